# bash completion for memsim; made by `memsim help --bash-completion`
_memsim() {
    local cur=${COMP_WORDS[COMP_CWORD]}
    case $cur in
    -*) COMPREPLY=($(compgen -W '-o --output --force -s --set -D --define --json -q --quiet -v --verbose --exact --sample --time-budget --seed --threads --check --trace-commands --follow --requests --load --mix --explain -h --help --version' -- "$cur")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W 'run dram trace show map explain help' -- "$cur") $(compgen -f -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi ;;
    esac
}
complete -o filenames -F _memsim memsim
