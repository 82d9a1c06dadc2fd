# One look for every plot.  Colours are the eight of Okabe and Ito (2008), told apart with any common colour
# blindness; dash patterns and point shapes repeat the distinction in grey print.
set terminal svg size 900,540 dynamic noenhanced background rgb 'white' font 'DejaVu Sans,15' linewidth 1.2
set encoding utf8
c_blue = '#0072B2'; c_orange = '#E69F00'; c_green = '#009E73'; c_red = '#D55E00'
c_purple = '#CC79A7'; c_sky = '#56B4E9'; c_yellow = '#F0E442'; c_black = '#000000'; c_grey = '#7F7F7F'
set style line 1 lc rgb c_blue   lw 2 dt 1 pt 7 ps 0.7
set style line 2 lc rgb c_orange lw 2 dt 1 pt 5 ps 0.7
set style line 3 lc rgb c_green  lw 2 dt 1 pt 9 ps 0.8
set style line 4 lc rgb c_red    lw 2 dt 2 pt 13 ps 0.8
set style line 5 lc rgb c_purple lw 2 dt 4 pt 11 ps 0.8
set style line 6 lc rgb c_sky    lw 2 dt 5 pt 4 ps 0.8
set style line 7 lc rgb c_black  lw 2 dt 1 pt 6 ps 0.7
set style line 8 lc rgb c_grey   lw 1.5 dt 3
set style line 9 lc rgb '#D9D9D9' lw 0.8 dt 1
set grid back ls 9
set border 3 lc rgb '#404040' lw 1
set tics nomirror out scale 0.6 tc rgb '#404040'
set key opaque box lc rgb '#D9D9D9' samplen 2 spacing 1.15
set lmargin 11; set rmargin 4; set tmargin 4.5; set bmargin 4
heading(what) = sprintf("%s\n%s, %s, seed %d", what, device, workload, seed)
