# Roofline: kernels between the memory roof and the roofs of the arithmetic units they use, each by its name; the area
# of a mark is the kernel's share of time.  The longest eight have a colour and a line in the key.  Reads roofline.dat and about.gp; writes
# roofline.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'roofline.svg'
stats 'roofline.dat' using 1:2 nooutput
low = STATS_min_x; high = STATS_max_x; least = STATS_min_y; most = STATS_max_y
rows = int(STATS_records)
names = ''; shares = ''
stats 'roofline.dat' using (names = names.'"'.strcol(4).'" ', shares = shares.sprintf('%.9f ', $3), 1) nooutput
named = rows < 8 ? rows : 8
roofs = words(roof_TFLOPs)
flat(i) = i <= roofs ? real(word(roof_TFLOPs, i)) : NaN
top = roofs > 0 ? flat(1) : most
knee = top*1e3/dram_peak_GBps
left = (low < knee ? low : knee)/3
right = (high > knee ? high : knee)*4
array colour[8] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0xF0E442, 0x000000]
set logscale xy
set xrange [left:right]
set yrange [least/3:top*3]
set title heading('Roofline')
set xlabel 'arithmetic intensity (FLOP per byte moved to or from memory)'
set ylabel 'performance (TFLOP/s)'
set format xy '%g'
set rmargin at screen 0.64
set key at screen 0.66, graph 1 left top Left reverse nobox samplen 1 spacing 1.3 maxcols 1 title 'share of time' left
slope(x) = x*dram_peak_GBps/1e3
roof(x) = slope(x) < top ? slope(x) : top
set samples 1000
do for [i=1:roofs] {
    set label 2+i sprintf('%.4g TFLOP/s %s', flat(i), word(roof_units, i)) at graph 0.98, first flat(i) right \
        offset 0, 0.6 tc rgb '#404040' font ',13'
}
set label 2 sprintf('memory %.4g TB/s', dram_peak_GBps/1e3) at sqrt(left*knee), roof(sqrt(left*knee))*1.7 right \
    tc rgb '#404040' font ',13'
size(share) = 0.7 + 3*sqrt(share)
percent(x) = x < 9.95 ? sprintf('%.2g', x) : sprintf('%.0f', x)
entry(i) = sprintf('%s %s %%', word(names, i), percent(100*real(word(shares, i))))
plot roof(x) with lines ls 7 notitle, \
     for [i=2:roofs] (slope(x) < flat(i) ? NaN : flat(i)) with lines ls 7 dt 2 notitle, \
     for [i=1:named] 'roofline.dat' every ::i-1::i-1 using 1:2:(size($3)) with points pt 7 ps variable \
         lc rgb 0x50000000 + colour[i] notitle, \
     'roofline.dat' every ::named using 1:2:(size($3)) with points pt 7 ps variable lc rgb 0x507F7F7F notitle, \
     for [i=1:named] NaN with points pt 7 ps 1.2 lc rgb 0x50000000 + colour[i] title entry(i), \
     NaN with points pt 7 ps 1.2 lc rgb (rows > named ? 0x507F7F7F : 0xFFFFFFFF) \
         title (rows > named ? sprintf('%d others', rows - named) : '')
