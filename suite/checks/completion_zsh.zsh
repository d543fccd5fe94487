# SPDX-License-Identifier: BSD-2-Clause
#
# completion_zsh.zsh FOLDER LINE...: type each line and TAB into a zsh in a
# terminal, with the completion of that folder, and print what it has become.
folder=$1
shift
zmodload zsh/zpty
zpty shell zsh -f -i
tell() { zpty -w shell "$1" }
tell "PROMPT='> '; fpath=(${(q)folder} \$fpath); autoload -Uz compinit"
tell 'compinit -u -D; setopt no_beep; unsetopt list_ambiguous'
tell "take() { print -r -- \"LINE \$BUFFER END\"; BUFFER=; zle accept-line }"
tell "zle -N take; bindkey '^X' take; print REA''DY"
while zpty -r shell said; do
	[[ $said == *READY* ]] && break
done
for line in "$@"; do
	zpty -w -n shell "$line"$'\t'$'\x18'
	while zpty -r shell said; do
		[[ $said == *'LINE '*' END'* ]] && break
	done
	said=${said##*LINE }
	print -r -- "${said%% END*}"
done
zpty -d shell
