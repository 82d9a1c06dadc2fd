# Where the time of the memory's data bus went.  Reads loss.dat and about.gp; writes loss.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'loss.svg'
stats 'loss.dat' using 1 nooutput
rows = STATS_records
top = STATS_max
set title heading('Time of the memory data bus')
set xlabel 'share of time (%)'
set xrange [0:100*top*1.18]
set yrange [rows - 0.4:-0.6]
set ytics scale 0
set lmargin 24
set grid xtics noytics back ls 9
unset key
set style fill solid 0.85 noborder
half = 0.36
# the first row is data, the rest are reasons why no data moved
plot 'loss.dat' using (0):0:(0):(100*$1):($0 - half):($0 + half):($0 == 0 ? 0x0072B2 : 0xE69F00):ytic(2) \
         with boxxyerror lc rgb variable notitle, \
     '' using (100*$1):0:(sprintf('%.1f %%', 100*$1)) with labels left offset 0.6, 0 font ',13' notitle
