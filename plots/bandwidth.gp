# Bandwidth over time, one curve a level.  Reads bandwidth.dat and about.gp; writes bandwidth.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'bandwidth.svg'
stats 'bandwidth.dat' using 1 every ::1 nooutput
columns = STATS_columns
last_us = STATS_max
# time in the unit that keeps the axis readable
scale = last_us > 2e6 ? 1e-6 : last_us > 2e3 ? 1e-3 : 1
unit = last_us > 2e6 ? 's' : last_us > 2e3 ? 'ms' : 'us'
set title heading('Bandwidth over simulated time')
set xlabel sprintf('time (%s)', unit)
top = 0
do for [i=2:columns] { stats 'bandwidth.dat' using i every ::1 nooutput; top = STATS_max > top ? STATS_max : top }
rate = top > 2e3 ? 1e-3 : 1
rate_unit = top > 2e3 ? 'TB/s' : 'GB/s'
set ylabel sprintf('bandwidth (%s)', rate_unit)
set xrange [0:*]
set yrange [0:*]
set key outside bottom center horizontal maxrows 1 samplen 1.5 nobox
set bmargin 6
peak_title = sprintf('memory pins: %.4g %s', dram_peak_GBps*rate, rate_unit)
plot for [i=2:columns] 'bandwidth.dat' using ($1*scale):(column(i)*rate) with steps ls i-1 title columnheader(i), \
     (dram_peak_GBps == dram_peak_GBps ? dram_peak_GBps*rate : NaN) with lines ls 8 title peak_title
