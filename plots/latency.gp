# Distribution of load latency with its percentiles.  Reads latency.dat and about.gp; writes latency.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'latency.svg'
stats 'latency.dat' using 1:3 nooutput
top = STATS_max_y
low = STATS_min_x
stats 'latency.dat' using 2:4 nooutput
high = STATS_max_x
set title heading(latency_what)
set xlabel 'latency (ns)'
set ylabel 'share of loads (%)'
set y2label 'share of loads at or below (%)'
set y2tics 0, 25, 100 scale 0.6
set border 11
set rmargin 10
set logscale x
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000)
set xrange [low*0.8:high*1.3]
set yrange [0:100*top*1.28]
set y2range [0:128]
set style fill solid 0.75 noborder
set key top left Left reverse
array name[3] = ['p50', 'p95', 'p99']
array at[3] = [latency_p50_ns, latency_p95_ns, latency_p99_ns]
do for [i=1:3] {
    if (at[i] == at[i]) {
        set arrow i from at[i], graph 0 to at[i], graph (1.0 - 0.05*i) nohead ls 8
        set label i sprintf('%s %.0f ns', name[i], at[i]) at at[i], graph (1.0 - 0.05*i) left offset 0.4, 0 \
            tc rgb '#404040' font ',13'
    }
}
plot 'latency.dat' using 1:(100*$3):1:2:(0):(100*$3) with boxxyerror lc rgb c_blue title 'loads', \
     'latency.dat' using 2:(100*$4) axes x1y2 with lines ls 2 title 'cumulated (right axis)'
