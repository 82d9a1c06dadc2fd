# Latency against bandwidth of one memory system.  Reads load.dat and about.gp; writes load.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'load.svg'
stats 'load.dat' using 2:3 nooutput
most = STATS_max_x
idle = STATS_min_y
worst = STATS_max_y
stats 'load.dat' using 2:5 nooutput
worst = STATS_max_y > worst ? STATS_max_y : worst
right = dram_peak_GBps == dram_peak_GBps && dram_peak_GBps > most ? dram_peak_GBps : most
set lmargin 13
set title heading('Read latency against bandwidth')
set xlabel 'achieved bandwidth (GB/s)'
set ylabel 'latency (ns)'
set xrange [0:right*1.06]
if (worst > 20*idle) { set logscale y; set format y '%.0f' } else { set yrange [0:*] }
set key top left Left reverse width 1
if (dram_peak_GBps == dram_peak_GBps) {
    set arrow 1 from dram_peak_GBps, graph 0 to dram_peak_GBps, graph 1 nohead ls 8
    set label 1 sprintf('pins %.4g GB/s', dram_peak_GBps) at dram_peak_GBps, graph 0.03 rotate by 90 left \
        offset -1.1, 0 tc rgb '#404040' font ',13'
}
# two labels side by side need room between them
if (dram_bound_GBps == dram_bound_GBps && dram_bound_GBps < 0.97*dram_peak_GBps) {
    set arrow 2 from dram_bound_GBps, graph 0 to dram_bound_GBps, graph 1 nohead ls 8
    set label 2 sprintf('ceiling with refresh %.4g GB/s', dram_bound_GBps) at dram_bound_GBps, graph 0.03 \
        rotate by 90 left offset -1.1, 0 tc rgb '#404040' font ',13'
}
plot 'load.dat' using 2:5 with linespoints ls 4 title 'p99', \
     'load.dat' using 2:4 with linespoints ls 3 title 'p50', \
     'load.dat' using 2:3 with linespoints ls 1 title 'mean'
