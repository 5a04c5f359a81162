# Types words and a tab into a zsh with the completion script of a folder, and prints what its terminal shows: zsh -f complete.zsh FOLDER WORDS...
# Ends with 1 after half a minute without the text that is after the bar: WORDS is "typed|expected".
zmodload zsh/zpty
folder=$1; shift
zpty -b terminal "zsh -f -i"
shown() {
  local part seen=""
  repeat 300; do
    if zpty -r -t terminal part; then seen+=$part; else sleep 0.1; fi
    # Without the sequences of colours and positions.
    plain=${seen//$'\e'\[[0-9;?]#[a-zA-Z]/}
    if [[ $plain == *$1* ]]; then return 0; fi
  done
  print -r -- "no $1 in ${(V)plain}" >&2
  exit 1
}
setopt extended_glob
zpty -w terminal "fpath=(${(q)folder} \$fpath); autoload -U compinit; compinit -u -D; PS1='> '; print REA''DY"
shown READY
for pair; do
  zpty -w -n terminal "${pair%%\|*}"$'\t'
  shown "${pair##*\|}"
  # Ctrl-U: an empty line again.
  zpty -w -n terminal $'\x15'
done
zpty -d terminal
