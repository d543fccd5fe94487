#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# readme_test.sh BUILD [README] - README.md is correct: its examples are run,
# in their order, in a folder of their own, with the built-in device instead of
# the reader's. Run from the top of the tree. Each fenced block has a kind:
#
#   sh            every command in it succeeds
#   sh stays      a command that keeps running until the end
#   sh elsewhere  for another machine: only its options are checked
#   console       commands after a $, each with its output; ... stands for
#   anything
#   make          targets of the Makefile
#   ini           a device file, or known deviations
#   text          nothing is run
#
# Any other kind is a failure. Closes with the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
readme=$(realpath "${2:-README.md}") top=$PWD
PATH=$build:$PATH

mkdir "$tmp/blocks" "$tmp/work"
"$python" - "$readme" "$tmp/blocks" <<'PY'
import re
import sys
import textwrap

with open(sys.argv[1], encoding="utf-8") as f:
    text = f.read()
blocks = re.findall(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", text, re.M)
for n, (_, kind, body) in enumerate(blocks):
    with open(f"{sys.argv[2]}/{n:02}.{kind or 'none'}", "w") as f:
        f.write(textwrap.dedent(body))
PY

# A free port instead of the one in the text; the system does not assign it to
# other programs that run at the same time.
free=$("$python" -c '
import random, socket
s = socket.socket()
while True:
    try:
        s.bind(("127.0.0.1", random.randrange(20000, 32768)))
        break
    except OSError:
        pass
print(s.getsockname()[1])')
cp -r "$top/examples" "$tmp/work"
sed -i "s/18515/$free/" "$tmp/work/examples/device.ini" "$tmp"/blocks/*
# Nor one of a service there.
sed -i "s/20049/$((free - 10000))/" "$tmp"/blocks/*
cd "$tmp/work" || exit 2

# FILE: print its commands, one per line.
commands()
{
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$1" | sed -E 's/ +# .*//; /^ *$/d'
}

# FILE: each command ends with 0. A command that runs all cases runs some of
# them here.
run_all()
{
	local command some
	while read -r command; do
		some=
		[[ $command == "warpspec run"* && $command != *" mpa/"* ]] &&
			some=" --shard 1/8"
		exits "$command" 0 bash -c "$command$some" && ok "$command"
	done < <(commands "$1")
}

# FILE: each command prints the output in the text.
run_console()
{
	local command
	while read -r command; do
		timeout 60 bash -c "$command" >"$tmp/out" 2>"$tmp/err" </dev/null
		if said=$("$python" - "$1" "$command" "$tmp/out" <<'PY'
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    due = f.read().split("$ " + sys.argv[2] + "\n")[1].split("\n$ ")[0]
with open(sys.argv[3], encoding="utf-8") as f:
    out = f.read()
# A busy host adds why a case ran again.
out = re.sub(r"^ +run again, alone: .*\n(?: +[a-z].*\n)*(?= +[A-Z])", "", out,
             flags=re.M)
pattern = "".join(
    r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"[^\n]*\n"
    for line in due.rstrip("\n").split("\n"))
sys.exit(None if re.fullmatch(pattern, out) else out)
PY
		) 2>&1; then
			ok "$command"
		else
			not_ok "$command" "prints something else: $said" \
				"$(head -n 40 "$tmp/out")"
		fi
	done < <(sed -n 's/^\$ //p' "$1")
}

# FILE: the options of each command are in the manual page of its program.
know_options()
{
	local command program page option
	while read -r command; do
		program=${command%% *} page=$program
		# Its subcommands have a page of their own.
		[[ $command == "warpspec report "* ]] && page=warpspec-report
		for option in $(grep -oE -e '--[a-z-]+' <<<"$command"); do
			if grep -qE "^\.It Fl -${option#--}( |$)" \
				"$top/man/$page.1"; then
				ok "$program $option"
			else
				not_ok "$program $option" "no such option"
			fi
		done
	done < <(commands "$1")
}

# FILE: it is read as a file of its kind; deviations have to explain the
# failures.
read_ini()
{
	if grep -q '^\[deviation\]' "$1"; then
		# Valid whenever this test runs.
		sed 's/^expires = .*/expires = 2999-12-31/' "$1" >sample.ini
		says "the deviations of ${1##*/}" 0 "2 xfail" "${run[@]}" --jobs 4 \
			--refdut=ignore_bad_crc --deviations sample.ini \
			'mpa/crc/wrong_crc_is_never_delivered*'
	else
		sed -E 's/^agent = .*/agent = 127.0.0.1:1/' "$1" >sample.ini
		exits "the device file of ${1##*/}" 3 "$warpspec" check-agent \
			-d sample.ini && ok "the device file of ${1##*/}"
	fi
}

shopt -s nullglob
for block in "$tmp"/blocks/*; do
	kind=${block##*/}
	case ${kind#*.} in
	sh) run_all "$block" ;;
	"sh stays") start bash -c "exec $(commands "$block")"
		if [[ $line ]]; then
			ok "$(commands "$block")"
		else
			not_ok "$(commands "$block")" "$(<"$tmp/start.err")"
		fi ;;
	"sh elsewhere") know_options "$block" ;;
	console) run_console "$block" ;;
	make)
		while read -r _ target; do
			if grep -q "^$target:" "$top/Makefile"; then
				ok "make $target"
			else
				not_ok "make $target" "no such target"
			fi
		done < <(commands "$block") ;;
	ini) read_ini "$block" ;;
	text) ;;
	*) not_ok "the block ${kind%%.*}" "of no kind: ${kind#*.}" ;;
	esac
done

# --- figures ----------------------------------------------------------

# NAME REGEX FIGURE: the figure in the text is the counted one.
figure()
{
	local said
	said=$(tr '\n' ' ' <"$readme" | grep -oE "$2" | grep -oE '[0-9]+$|^[0-9]+')
	if [[ $said == "$3" ]]; then
		ok "$1: $3"
	else
		not_ok "$1" "said: ${said:-nothing}" "counted: $3"
	fi
}
figure "requirements" 'a catalogue of [0-9]+' \
	"$("$warpspec" coverage --json | "$python" -c '
import json, sys
print(len(json.load(sys.stdin)["requirements"]))')"
figure "faults" '[0-9]+ faults' "$("$refdut" --list-mutants | wc -l)"
figure "choices" '[0-9]+ legal variants' "$("$refdut" --list-variants | wc -l)"
for target in $(grep -oE '`make [a-z-]+' "$readme" | sed 's/`make //' | sort -u); do
	if grep -q "^$target:" "$top/Makefile"; then
		ok "make $target"
	else
		not_ok "make $target" "no such target"
	fi
done
for page in $(grep -oE '`(man )?([0-9] )?warpspec-?[a-z]*`' "$readme" |
	grep -oE 'warpspec[a-z-]*' | sort -u); do
	set -- "$top/man/$page".[15]
	if [[ $# -gt 0 ]]; then
		ok "the page $page"
	else
		not_ok "the page $page" "is not there"
	fi
done

echo "readme: $passed passed, $failed failed"
[[ $failed -eq 0 ]]
