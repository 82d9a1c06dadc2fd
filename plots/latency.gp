# Distribution of load latency with its percentiles.  Reads latency.dat and about.gp; writes latency.svg.
reset
load 'about.gp'
load 'style.gp'
set output 'latency.svg'
stats 'latency.dat' using 1:4 nooutput
top = STATS_max_y
low = STATS_min_x; high = STATS_max_x
set title heading('Load latency, issue of the load to data in a register')
set xlabel 'latency (ns)'
set ylabel 'share of loads'
set y2label 'share of loads at or below'
set ytics nomirror
set y2tics 0, 0.25, 1 format '%.0f %%' scale 0.6
set y2tics ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set format y '%g'
set border 11
set rmargin 10
set xrange [(low > 1 ? low*0.8 : 0):high*1.1]
if (low > 0 && high > 20*low) { set logscale x; set xrange [low*0.8:high*1.2] }
set yrange [0:top*1.28]
set y2range [0:1.28]
set style fill solid 0.75 noborder
set key top left
mark(n, v, text, where) = 0
array name[3] = ['p50', 'p95', 'p99']
array at[3] = [latency_p50_ns, latency_p95_ns, latency_p99_ns]
do for [i=1:3] {
    if (at[i] == at[i]) {
        set arrow i from at[i], graph 0 to at[i], graph (0.98 - 0.05*i) nohead ls 8
        set label i sprintf('%s %.0f ns', name[i], at[i]) at at[i], graph (0.98 - 0.05*i) left offset 0.4, 0 \
            tc rgb '#404040' font ',13'
    }
}
plot 'latency.dat' using ($1):4:1:2:(0):4 with boxxyerror lc rgb c_blue title 'loads', \
     'latency.dat' using 2:5 axes x1y2 with steps ls 2 title 'cumulated (right axis)'
