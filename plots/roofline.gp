# Roofline: kernels between the memory roof and the arithmetic roof; the area of a mark is the kernel's share of
# time.  Reads roofline.dat and about.gp; writes roofline.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'roofline.svg'
stats 'roofline.dat' using 1:2 nooutput
low = STATS_min_x; high = STATS_max_x; least = STATS_min_y
knee = roof_TFLOPs*1e3/dram_peak_GBps
left = (low < knee ? low : knee)/3
right = (high > knee ? high : knee)*6
set logscale xy
set xrange [left:right]
set yrange [least/3:roof_TFLOPs*3]
set title heading('Roofline')
set xlabel 'arithmetic intensity (FLOP per byte moved to or from memory)'
set ylabel 'performance (TFLOP/s)'
set format x '10^{%L}'
set format xy '%g'
set key bottom right
roof(x) = x*dram_peak_GBps/1e3 < roof_TFLOPs ? x*dram_peak_GBps/1e3 : roof_TFLOPs
set samples 1000
set label 1 sprintf('%.0f TFLOP/s', roof_TFLOPs) at graph 0.99, first roof_TFLOPs right offset 0, 0.6 \
    tc rgb '#404040' font ',13'
set label 2 sprintf('memory %.0f GB/s', dram_peak_GBps) at sqrt(left*knee), roof(sqrt(left*knee))*2.2 right \
    tc rgb '#404040' font ',13'
set style fill transparent solid 0.45 border lc rgb c_blue
size(share) = 0.6 + 4*sqrt(share)
plot roof(x) with lines ls 7 title 'what the device allows', \
     'roofline.dat' using 1:2:(size($3)) with points pt 7 ps variable lc rgb c_blue \
         title 'kernel (area: share of time)', \
     'roofline.dat' using 1:2:4 with labels left offset 1.6, -0.8 font ',12' tc rgb '#202020' notitle
