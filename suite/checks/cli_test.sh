#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# cli_test.sh BUILD - tests the command line, and what a run leaves behind if
# the agent, the disk or the suite itself fails. Each check prints ok or not
# ok. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

# MODE [N]: an agent that fails; the device file is $tmp/fake.ini.
start_fake()
{
	local mode=$1
	shift
	start "$python" "$here/fake_agent.py" "$mode" "$@"
	fake_pid=$pid fake_port=$line
	device_file "$tmp/fake.ini" "$line"
}

# Wait until the fake agent reports that it has failed: there were `resets`
# cases in its session, and `near` is the port at the suite's end of it.
struck()
{
	resets=0 near=0
	read -r -t 120 -u "$spoken" _ resets near
}

# --- usage ------------------------------------------------------------

refuses "no command" "no command" "$warpspec"
refuses "an unknown command" "unknown command 'frobnicate'" "$warpspec" frobnicate
refuses "an unknown option" "unknown option" "$warpspec" run --frobnicate
refuses "an option without its value" "a value is missing" "$warpspec" run --jobs
refuses "a fault that there is not" \
	"no such mutant: ignore_badcrc; did you mean ignore_bad_crc.$" \
	"$warpspec" run --refdut=ignore_badcrc mpa/crc
refuses "a choice for a fault" "did you mean the variant .big_endian.$" \
	"$warpspec" run --refdut=big_endian mpa/crc
says "help on a subcommand" 0 "^warpspec report verify BUNDLE.*--suite-at-least" \
	"$warpspec" help report verify
refuses "help on a subcommand that there is not" "did you mean verify" \
	"$warpspec" help report verfy
refuses "an unknown case, by show" "'mpa/crc/nothing' matches no case" \
	"$warpspec" show mpa/crc/nothing
refuses "a glob that matches nothing" "'mpa/nothing/\*' matches no case" \
	"$warpspec" run 'mpa/nothing/*'
refuses "a requirement that is none" "'req:MPA-0-00' matches no case" \
	"$warpspec" run req:MPA-0-00
refuses "a requirement without its kind" "did you mean req:MPA-4.4-14" \
	"$warpspec" run MPA-4.4-14
refuses "a role that is none" "a role is responder or initiator" \
	"$warpspec" list role:passive
refuses "a subcommand as a command" "did you mean 'report verify'" "$warpspec" verify x
refuses "an unknown kind of selector" "'colour:red'" "$warpspec" run colour:red
refuses "an exclusion that matches nothing" "'!mpa/nothing' matches no case" \
	"$warpspec" list '!mpa/nothing'
refuses "no jobs" "--jobs 0" "$warpspec" run --jobs 0
refuses "a peer judged in no known way" "--judge-peer lenient: expected strict" \
	"$warpspec" run --judge-peer=lenient
refuses "a shard beyond the last" "--shard 3/2" "$warpspec" run --shard 3/2
refuses "a seed that is no number" "--seed x" "$warpspec" run --seed x
refuses "a time scale that is no number" "--timeout-scale fast" \
	"$warpspec" run --timeout-scale fast
refuses "an unknown link" "--link carrier-pigeon" \
	"$warpspec" run --link carrier-pigeon
refuses "a link that there is not" "udp: expected socket, raw, sctp or auto" \
	"$warpspec" run --link udp
refuses "an address family that is none" "--family 5" "$warpspec" run --family 5
refuses "an unknown specification" "--spec rfc1149" "$warpspec" run --spec rfc1149
refuses "an unknown mutant" "no_such_mutant" "$warpspec" run --refdut=no_such_mutant
refuses "an unknown control" "no_such_control" "$warpspec" run --control=no_such_control
refuses "an unknown report format" "no such format" \
	"$warpspec" run --report morse
refuses "a report where there is no folder" "$tmp/no/report.json: No such file" \
	"$warpspec" run --report json="$tmp/no/report.json"
refuses "a report that is a folder" "$tmp: Is a directory" \
	"$warpspec" run --report json="$tmp"
refuses "a journal where there is no folder" "$tmp/no/journal: No such file" \
	"$warpspec" run --journal "$tmp/no/journal"
refuses "a journal to resume that is not there" "$tmp/none: No such file" \
	"$warpspec" run --resume "$tmp/none"
echo "not a journal" >"$tmp/not-a-journal"
refuses "a journal to resume that is none" "$tmp/not-a-journal:1: " \
	"$warpspec" run --resume "$tmp/not-a-journal"
refuses "a journal over a file that is none" \
	"$tmp/not-a-journal: .*not overwritten" \
	"$warpspec" run --journal "$tmp/not-a-journal" --refdut mpa/crc
if [[ $(<"$tmp/not-a-journal") == "not a journal" ]]; then
	ok "and it is as it was"
else
	not_ok "and it is as it was"
fi
refuses "a FIFO as journal" "not a file, but a FIFO|No such device" \
	"$warpspec" run --resume <(:)
refuses "zeros without end as journal" "/dev/zero: not a file" \
	"$warpspec" run --resume /dev/zero
refuses "a journal into a device" "/dev/full: not a file" \
	"$warpspec" run --journal /dev/full
refuses "captures where a file is" "captures $tmp/not-a-journal" \
	"$warpspec" run --captures "$tmp/not-a-journal"
refuses "known deviations that are not there" "$tmp/none.*: No such file" \
	"$warpspec" run --deviations "$tmp/none"
refuses "two devices at once" "choose one" \
	"$warpspec" run -d "$tmp/none.ini" --refdut=ignore_bad_crc
refuses "a family for a device that has addresses" "-d and --family" \
	"$warpspec" run -d "$tmp/none.ini" --family 6

for twice in "-d a -d b" "--captures a --captures b" "--journal a --journal b" \
	"--deviations a --deviations b"; do
	# shellcheck disable=SC2086
	refuses "what would be lost: $twice" "given twice" "$warpspec" run $twice
done
refuses "two reports in one file" "json and junit: both would be written to" \
	"$warpspec" run --report json="$tmp/a" --report junit="$tmp/../${tmp##*/}/a"
refuses "an option that takes no value" "--strict: takes no value" \
	"$warpspec" run --strict=yes

# --- suggestions for misspelt words --------------------------------------

# WORDS MEANT: one line suggests MEANT.
means()
{
	# shellcheck disable=SC2086
	refuses "'$1': $2 was meant" "did you mean $2\\?" "$warpspec" $1
}
means rnu run
means "run --reprot json" --report
means "run --report jsn" json
means "list mpa/crcs" mpa/crc
means "list mpa/crc/wrong_crc_is_never_deliverd" mpa/crc/wrong_crc_is_never_delivered
means "list wrong_crc_is_never_delivred" mpa/crc/wrong_crc_is_never_delivered
means "list req:RDMAP-5.2.1-01" req:RDMAP-5.2.1-02
means "list feture:imm" feature
means "list feature:im" feature:imm
means "help covrage" coverage
refuses "a part of ids" "did you mean '\*wrong_crc\*', as in mpa/crc/[a-z_]*wrong_crc" \
	"$warpspec" run wrong_crc
refuses "selectors that leave nothing" "exclude every case that they select" \
	"$warpspec" run mpa/crc '!mpa'

# --- device files -----------------------------------------------------

refuses "no device file" "$tmp/none.ini: No such file" \
	"$warpspec" run -d "$tmp/none.ini"
refuses "a folder as device file" "$tmp: not a file" "$warpspec" run -d "$tmp"
mkfifo "$tmp/fifo.ini"
refuses "a FIFO as device file" "$tmp/fifo.ini: not a file, but a FIFO" \
	"$warpspec" run -d "$tmp/fifo.ini"
refuses "a FIFO as deviations" "$tmp/fifo.ini: not a file, but a FIFO" \
	"$warpspec" run --deviations "$tmp/fifo.ini"
refuses "zeros without end as device file" "/dev/zero: not a file" \
	"$warpspec" run -d /dev/zero
truncate -s 2M "$tmp/large.ini"
refuses "a device file of 2 MiB" "at most 1048576 are read" \
	"$warpspec" run -d "$tmp/large.ini"

# NAME REGEX: the device file is on stdin.
bad_device_file()
{
	cat >"$tmp/bad.ini"
	refuses "device file: $1" "$tmp/bad.ini$2" "$warpspec" run -d "$tmp/bad.ini"
}
bad_device_file "an unknown key" ':3: .*colour' <<-END
	[device]
	agent = 127.0.0.1:1
	colour = red
END
bad_device_file "two agents" ':3: .*agent = 127.0.0.1:2: line 2 already has a value' <<-END
	[device]
	agent = 127.0.0.1:1
	agent = 127.0.0.1:2
END
bad_device_file "an escape sequence" ':3: a control character, U.001B' \
	< <(printf '[device]\nagent = 127.0.0.1:1\nname = \033[2J\n')
bad_device_file "a NUL" ':3: a NUL' \
	< <(printf '[device]\nagent = 127.0.0.1:1\n[limits]\0\nstreams = 1\n')
refuses "a name that would move the cursor is not printed raw" \
	'mpa/\\x1b\[2J. matches no case;' "$warpspec" show $'mpa/\e[2J'
bad_device_file "an unknown section" ':1: |:2: .*\[paint\]' <<-END
	[paint]
	colour = red
END
bad_device_file "a line that is none" ':3: ' <<-END
	[device]
	agent = 127.0.0.1:1
	what is this
END
bad_device_file "an agent without a port" ':2: .*agent' <<-END
	[device]
	agent = 127.0.0.1
END
bad_device_file "an agent by name" ':2: .*agent' <<-END
	[device]
	agent = somewhere.example:18515
END
bad_device_file "no agent" ': .*agent' <<-END
	[device]
	name = nobody
END
bad_device_file "an unknown feature" ':4: .*teleport' <<-END
	[device]
	agent = 127.0.0.1:1
	[features]
	teleport = yes
END
bad_device_file "a feature that is neither yes nor no" ':4: .*imm' <<-END
	[device]
	agent = 127.0.0.1:1
	[features]
	imm = perhaps
END
bad_device_file "a time that is none" ':4: .*settle-ms' <<-END
	[device]
	agent = 127.0.0.1:1
	[timing]
	settle-ms = soon
END
bad_device_file "a Request of no form" ':4: .*request' <<-END
	[device]
	agent = 127.0.0.1:1
	[startup]
	request = perhaps
END
bad_device_file "an RTR in a plain Request" ':5: .*rtr' <<-END
	[device]
	agent = 127.0.0.1:1
	[startup]
	request = plain
	rtr = read
END
bad_device_file "an unknown link" ':4: .*kind' <<-END
	[device]
	agent = 127.0.0.1:1
	[link]
	kind = string
END
bad_device_file "a link that there is not" ':2: .*kind = udp: expected socket, raw, sctp or auto' <<-END
	[link]
	kind = udp
END
bad_device_file "a port of UDP that is none" ':2: .*sctp-udp = 0: expected a port, 1 to 65535, or no' <<-END
	[link]
	sctp-udp = 0
END
bad_device_file "a key that is misspelt" ':3: .*did you mean firmware\?' <<-END
	[device]
	agent = 127.0.0.1:1
	firmwear = 1
END
bad_device_file "a network namespace that is not there" ': .*netns.* nowhere' <<-END
	[device]
	agent = 127.0.0.1:1
	[link]
	netns = nowhere
END
bad_device_file "a network namespace by its path" ': .*netns.*\.\./1' <<-END
	[device]
	agent = 127.0.0.1:1
	[link]
	netns = ../1
END
printf '[device]\nagent = 127.0.0.1:1\ntoken-file = %s\n' "$tmp/no-token" \
	>"$tmp/token.ini"
refuses "device file: a token file that is not there" \
	"$tmp/token.ini:3: .*token-file = $tmp/no-token: it does not exist" \
	"$warpspec" run -d "$tmp/token.ini"
head -c 65536 /dev/zero >"$tmp/zero.ini"
exits "device file: zeros" 2 "$warpspec" run -d "$tmp/zero.ini" &&
	ok "device file: zeros"

# --- output --------------------------------------------------------------

says "the version" 0 "^warpspec $(<"$here/../../VERSION")" "$warpspec" --version
says "the help" 0 "Exit: 0 every MUST met" "$warpspec" help
says "list" 0 "mpa/crc/wrong_crc_is_never_delivered" "$warpspec" list
for command in run list show coverage explore check-agent device; do
	says "$command --help" 0 "^warpspec $command .*Options:.*--help" \
		"$warpspec" "$command" --help
	if [[ $("$warpspec" help "$command") == "$out" ]]; then
		ok "help $command"
	else
		not_ok "help $command" "not as $command --help"
	fi
	wide=$(awk 'length > 80' <<<"$out")
	[[ $wide ]] && not_ok "$command --help fits 80 columns" "$wide"
done
says "every format of a report" 0 "$("$warpspec" run --report morse 2>&1 |
	sed 's/.*there are //; s/ and / or /')" "$warpspec" help
wide=$({ "$warpspec" help; "$warpspec" device --keys; } | awk 'length > 80')
if [[ -z $wide ]]; then
	ok "help fits 80 columns"
else
	not_ok "help fits 80 columns" "$wide"
fi
# If the output is a terminal of 80 columns.
"$python" - "$warpspec" >"$tmp/terminal" <<'PY'
import fcntl
import os
import pty
import struct
import sys
import termios

pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], "list", "mpa"])
said = b""
try:
    while got := os.read(fd, 4096):
        said += got
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(said.replace(b"\r\n", b"\n"))
PY
wide=$(awk 'length > 80 && /^ /' "$tmp/terminal")
if [[ ! $wide && $(grep -c '^mpa/' "$tmp/terminal") -eq \
	$("$warpspec" list mpa | grep -c '^mpa/') ]] &&
	grep -A1 '^mpa/crc/wrong_crc_is_never_delivered$' "$tmp/terminal" |
	grep -q '^    MUST: an FPDU whose CRC is wrong'; then
	ok "list fits a terminal"
else
	not_ok "list fits a terminal" "$wide" "$(head -n 4 "$tmp/terminal")"
fi
says "every key of a device file" 0 'agent = .*markers-tx = .*health-timeout-ms = ' \
	"$warpspec" device --keys
for folder in mpa mpa/crc mpa/crc/nothing_from_a_damaged_fpdu_on; do
	if [[ $("$warpspec" list "$folder") == "$("$warpspec" list "$folder/*")" ]]; then
		ok "a folder is all below it: $folder"
	else
		not_ok "a folder is all below it: $folder"
	fi
done
# By link and by verdict.
raw=$("$warpspec" list --link raw mpa ddp | tail -n 1)
socket=$("$warpspec" list --link socket mpa ddp | tail -n 1)
sctp=$("$warpspec" list --link sctp mpa ddp | tail -n 1)
if [[ ${raw% cases} -gt ${socket% cases} && ${socket% cases} -gt ${sctp% cases} &&
	${sctp% cases} -gt 0 ]]; then
	ok "a link can carry some of the cases"
else
	not_ok "a link can carry some of the cases" "$raw, $socket, $sctp"
fi
"${run[@]}" --refdut=ignore_bad_crc mpa/crc --report json="$tmp/verdicts.json"
says "cases with a verdict" 0 "_is_never_delivered +MUST +fail .*[1-9] cases" \
	"$warpspec" list --results "$tmp/verdicts.json" --verdict fail,error mpa/crc
says "requirements with a verdict" 0 \
	"MPA-4.4-14 +MUST .* [1-9][0-9]* fail"$'\n'".*: [0-9]+ covered, 0 uncovered" \
	"$warpspec" coverage --results "$tmp/verdicts.json" --verdict fail
says "what no case judges on a link" 0 "MPA-8-09 +MUST NOT +uncovered +0 cases" \
	"$warpspec" coverage --link sctp --uncovered rfc:5044
refuses "a verdict of no run" "--verdict: --results is missing" \
	"$warpspec" list --verdict fail
refuses "a verdict that is none" "--verdict failed: expected pass, fail" \
	"$warpspec" list --results "$tmp/verdicts.json" --verdict failed
refuses "a verdict that no case has" "--verdict xfail: no such case" \
	"$warpspec" list --results "$tmp/verdicts.json" --verdict xfail
refuses "an '=' that is missing" "did you mean --refdut=ignore_bad_crc" \
	"$warpspec" run --refdut ignore_bad_crc
refuses "an option of the built-in device" "did you mean --refdut=MUTANT" \
	"$warpspec" run --mutant ignore_bad_crc
refuses "a fault that is none" "--list-mutants lists them.*: nothing_like_that" \
	"$warpspec" run --refdut=nothing_like_that
refuses "two files to decode" "one file at a time" "$warpspec" decode "$0" "$0"
# Foundations that were not selected leave no captures, unless they fail.
"${run[@]}" --refdut mpa/crc/crc_is_supported --captures "$tmp/one"
[[ $(ls "$tmp/one") == mpa.crc.crc_is_supported.pcapng ]] &&
	ok "the capture that was asked for, alone" ||
	not_ok "the capture that was asked for, alone" "$(ls "$tmp/one")"
says "what a case does, in words" 0 \
	"Given a listening device, when a Request comes one octet per segment" \
	"$warpspec" show mpa/startup/request_in_single_octets
# TCP announces at least 256 octets, whatever the path has room for.
if unshare -n true 2>/dev/null && command -v ip >/dev/null; then
	says "a path of very small segments is not the device's fault" 0 \
		"[1-9][0-9]* passed, 0 failed, [0-9]* info" unshare -n sh -c \
		'ip link set lo mtu 200 up && exec "$@"' sh "$warpspec" run \
		--refdut --quiet mpa/mulpdu mpa/crc mpa/markers_sent
else
	echo "skip a path of very small segments: no network namespace"
fi
says "a section of requirements" 0 "MPA-4.4-14 .*[1-9][0-9] requirements: " \
	"$warpspec" coverage req:MPA-4.4
says "show of a folder" 0 "22_to_23"$'\n.*'"built-in device: pass.*"$'\n'"mpa/crc/wrong_crc_is_n" \
	"$warpspec" show mpa/crc/a_damaged_length_is_caught \
	mpa/crc/wrong_crc_is_never_delivered
says "show" 0 "MPA-4.4-14" "$warpspec" show mpa/crc/wrong_crc_is_never_delivered
says "a fault is found, and due and seen are reported" 1 \
	"due: .*seen: " "$warpspec" run --refdut=ignore_bad_crc \
	mpa/crc/wrong_crc_is_never_delivered
says "what follows an error is not judged where there was none for the device" 1 \
	"MPA-4.4-14 MUST.*0 passed, 1 failed, 0 error" "$warpspec" run \
	--refdut=ignore_bad_crc mpa/close/outstanding_work_fails_after_a_crc_error
# Except ids and words that are longer than a line.
text=$("${run[@]}" --refdut=ignore_bad_crc mpa/crc --report text)
wide=$(awk 'length > 80 && !/^ *[^ ]+( \\)?$|^(FAIL|WARN)   [^ ]+$/' <<<"$text")
if [[ $text && ! $wide ]]; then
	ok "the text report fits 80 columns"
else
	not_ok "the text report fits 80 columns" "$wide"
fi
wide=$("${run[@]}" --refdut=rx_pad_zero_taken_as_four ddp/header --report summary |
	awk 'length > 80 && !/^ *[^ ]+$/')
if [[ ! $wide ]]; then
	ok "a summary of what is BLOCKED fits 80 columns"
else
	not_ok "a summary of what is BLOCKED fits 80 columns" "$wide"
fi
if [[ ! $text =~ $'\n'(SKIP|INFO|PASS) && $text =~ $'\n\nFAIL   mpa/crc/' ]]; then
	ok "it lists failures, but neither SKIP nor INFO"
else
	not_ok "it lists failures, but neither SKIP nor INFO"
fi
[[ $text =~ To\ rerun\ [0-9]+\ cases,\ add\ --report\ json=FILE ]] &&
	ok "too many to be named: how to rerun them" ||
	not_ok "too many to be named: how to rerun them"
text=$("${run[@]}" --refdut=ignore_bad_crc mpa/crc/a_damaged_length_is_caught \
	mpa/crc/wrong_crc_is_never_delivered --report text)
again=$(sed -n '/^To rerun/,$p' <<<"$text" |
	sed -n '/^  .*warpspec run/,/[^\\]$/p')
failed_ids=$(grep -c '^    mpa/crc/' <<<"$again")
exits "its command runs the failures again" 1 \
	bash -c "$again --quiet --report json='$tmp/again.json'" &&
	report_holds "its command runs the failures again" "$tmp/again.json" \
		"n == len(by['fail']) == $failed_ids"
says "what is not claimed is not applicable, and no success" 5 \
	"0 passed, 0 failed.* [1-9][0-9]* skipped" \
	"${run[@]}" --without markers-rx feature:markers-rx

says "a device whose every Request is enhanced is judged by the rest" 0 \
	"[1-9][0-9][0-9]+ passed, 0 failed.* 0 error" \
	"${run[@]}" --without mpa-v1 role:initiator

# --- the parts of a run -----------------------------------------------

exits "the clean device" 0 "${run[@]}" --report json="$tmp/whole.json" &&
	ok "the clean device"
report_holds "nothing fails on it" "$tmp/whole.json" \
	'by["pass"] and not by["fail"] and not by["error"]'
all=$("$python" -c 'import json, sys
print(len(json.load(open(sys.argv[1]))["cases"]))' "$tmp/whole.json")
for k in 1 2 3; do
	"${run[@]}" --shard $k/3 --report json="$tmp/shard$k.json" >/dev/null 2>&1
done
shards=$("$python" - "$tmp" <<'PY'
import json
import sys

ids = [c["id"] for k in (1, 2, 3)
       for c in json.load(open(f"{sys.argv[1]}/shard{k}.json"))["cases"]]
print(len(ids), len(set(ids)))
PY
)
if [[ $shards == "$all $all" ]]; then
	ok "three shards are the whole, and nothing twice"
else
	not_ok "three shards are the whole, and nothing twice" "$shards of $all"
fi
exits "--fail-fast" 1 "${run[@]}" --refdut=ignore_bad_crc --fail-fast --jobs 1 \
	--report json="$tmp/fast.json" 'mpa/crc/*' &&
	report_holds "--fail-fast ends at the first failure" "$tmp/fast.json" \
		'len(by["fail"]) == 1'

# --- the first line and the last ones -------------------------------------

says "the first line: what is tested" 0 \
	"warpspec: [0-9]+ cases on built-in device, link socket, 2 jobs" \
	"$warpspec" run --jobs 2 mpa/crc
says "the first line: more may turn out not to be applicable" 0 \
	"; at least [0-9]+ more are not applicable" \
	"$warpspec" run --without imm,imm-se mpa/crc rdmap/immediate
exits "reports in files: the end is said, too" 1 "$warpspec" run \
	--refdut=ignore_bad_crc --jobs 16 mpa/crc ddp/tagged \
	--report json="$tmp/end.json" --report html="$tmp/end.d" --captures "$tmp/end.caps" \
	--evidence none &&
	says "reports in files: layers, the worst, a grade, the files" 0 \
	"Layer +passed +failed.*mpa .*The worst findings, and how to reproduce each:.*MPA-4.4-14 MUST, RFC 5044 s4.4 \([0-9]+ cases\): .*warpspec run --refdut=ignore_bad_crc.*mpa/crc/.*Grade: FAIL, broken: [0-9]+ MUST.* failed.*Wrote $tmp/end.json.*Wrote $tmp/end.d/index.html.*Captures are in $tmp/end.caps" \
	echo "$err"
exits "reports in files, --quiet: not a word" 0 "${run[@]}" mpa/crc \
	--report json="$tmp/end.json" && says "reports in files, --quiet: not a word" 0 \
	'^<>' echo "<$out$err>"

# --- known deviations -------------------------------------------------

crc=mpa/crc/wrong_crc_is_never_delivered
known=("${run[@]}" --deviations "$tmp/known.ini" "$crc")
exits "--update-deviations writes what fails" 1 "${known[@]}" \
	--refdut=ignore_bad_crc --update-deviations &&
	says "--update-deviations writes what fails" 0 "signature = .*MPA-4.4-14" \
		cat "$tmp/known.ini"
says "--update-deviations says what it writes" 0 \
	"known.ini: entries: 0 added, 0 changed, 0 removed, [1-9][0-9]* kept" \
	"$warpspec" run --deviations "$tmp/known.ini" "$crc" --update-deviations \
	--refdut=ignore_bad_crc
# A link, rights, and a file next to it that belongs to somebody else.
cp "$tmp/known.ini" "$tmp/kept.ini" && chmod 600 "$tmp/kept.ini"
ln -s kept.ini "$tmp/linked.ini" && echo mine >"$tmp/linked.ini.new"
exits "--update-deviations through a link" 1 "${run[@]}" --refdut=ignore_bad_crc \
	--deviations "$tmp/linked.ini" --update-deviations 'mpa/crc/*' || :
if [[ -L $tmp/linked.ini && $(stat -c %a "$tmp/kept.ini") == 600 &&
	$(<"$tmp/linked.ini.new") == mine ]] && ! cmp -s "$tmp/known.ini" "$tmp/kept.ini"; then
	ok "--update-deviations keeps a link, rights and other files"
else
	not_ok "--update-deviations keeps a link, rights and other files" \
		"$(ls -l "$tmp"/*.ini*)"
fi
exits "a failure that is known" 0 "${known[@]}" --refdut=ignore_bad_crc \
	--report json="$tmp/known.json" && report_holds \
	"a failure that is known" "$tmp/known.json" 'by["xfail"] and not by["fail"]'
says "one that is known and does not happen" 1 "stale" "${known[@]}"
says "what is not explained passes, and is said" 0 \
	"1 known deviation is not yet explained.*$crc.*Grade: PASS, .* known deviations" \
	"${known[@]}" --refdut=ignore_bad_crc
# One line per entry, however many cases it covers, and how to remove it.
says "a bug that is fixed: a line for each entry" 1 "entries: [1-9][0-9]* added" \
	"$warpspec" run --deviations "$tmp/many.ini" --update-deviations --jobs 16 \
	--timeout-scale 0.2 --refdut=ignore_bad_crc mpa/crc
entries=$(grep -c '^\[deviation\]' "$tmp/many.ini")
says "a bug that is fixed: how many are stale, last" 1 \
	"[0-9]+ of its cases do not fail; --update-deviations.*run --deviations=$tmp/many.ini mpa/crc --update-deviations.*Grade: FAIL, no case failed.* $entries stale[[:space:]]deviations" \
	"$warpspec" run --deviations "$tmp/many.ini" --jobs 16 mpa/crc
exits "a bug that is fixed, for CI" 1 "${run[@]}" --deviations "$tmp/many.ini" \
	--jobs 16 --report junit="$tmp/many.xml" mpa/crc
says "a bug that is fixed: as many failures as entries" 0 \
	"<testsuite name=\"deviations\" tests=\"$entries\" failures=\"$entries\"" \
	cat "$tmp/many.xml"
exits "CI sees it" 1 "${known[@]}" --report tap="$tmp/stale.tap" \
	--report junit="$tmp/stale.xml"
says "CI sees it: JUnit" 0 '<testsuite name="deviations" tests="1" failures="1"' \
	cat "$tmp/stale.xml"
says "CI sees it: TAP" 1 "Failed tests?: +2" prove -e cat "$tmp/stale.tap"
exits "CI sees a SHOULD that fails the run" 1 "${run[@]}" --strict \
	--refdut=+silent_about_errors_of_mpa mpa/crc --report tap="$tmp/strict.tap"
says "CI sees a SHOULD that fails the run" 1 "Failed tests?:" \
	prove -e cat "$tmp/strict.tap"
printf '[deviation]\ncase = mpa/crc/*\nexpires = soon\n' >"$tmp/bad-known"
refuses "a file of deviations that is wrong" "$tmp/bad-known:3: .*expires" \
	"$warpspec" run --deviations "$tmp/bad-known"

# --- agents that fail -------------------------------------------------

# NAME STATUS: run against $tmp/fake.ini; full reports in every case.
run_on_fake()
{
	local name=$1 status=$2
	shift 2
	rm -f "$tmp/fake.json"
	exits "$name" "$status" "${run[@]}" -d "$tmp/fake.ini" --timeout-scale 0.5 \
		--report json="$tmp/fake.json" "$@" || return 1
	ok "$name"
}

# A port at which nobody listens any more.
start_device
end "$device_pid"
device_file "$tmp/fake.ini" "$port"
run_on_fake "an agent that is absent" 3 && report_holds \
	"every case is an error then" "$tmp/fake.json" \
	"n == len(by['error']) == $all"

for mode in silent garbage liar flood; do
	start_fake $mode
	run_on_fake "an agent that is $mode" 3 && report_holds \
		"every case is an error with it ($mode)" "$tmp/fake.json" \
		"n == len(by['error']) == $all"
	end "$fake_pid"
done

start_device
start_fake die "$port" 200
run_on_fake "an agent that dies under the run" 3 --jobs 2 && report_holds \
	"the report is full: what ran, and errors for the rest" \
	"$tmp/fake.json" \
	"n == $all and by['pass'] and by['error'] and not by['fail']"

start_fake stall "$port" 200
run_on_fake "an agent that falls silent under the run" 3 --jobs 2 &&
	report_holds "the same when it falls silent" "$tmp/fake.json" \
		"n == $all and by['pass'] and by['error'] and not by['fail']"
end "$fake_pid"

# Three cases need the built-in device.
start_fake leave "$port" 200
run_on_fake "an agent that goes away and comes back" 0 --jobs 2 && report_holds \
	"the cases of that moment run again, and it costs none of them" \
	"$tmp/fake.json" \
	"n == $all and not by['error'] and not by['fail'] and \
	1 <= sum('came back' in c.get('retried', '') for c in r['cases']) <= 10 and \
	len(by['pass']) + 3 >= $("$python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["totals"]["pass"])' "$tmp/whole.json")"
end "$fake_pid"

# A message about an agent names the failed request, not an earlier one.
start "$python" "$here/faulty_agent.py" invalidates_again "$port"
device_file "$tmp/fake.ini" "$line"
says "an agent that does what it should refuse" 3 \
	"a stale STag can be invalidated again \(its answer is OK\)" \
	"${run[@]}" -d "$tmp/fake.ini" mpa/crc
end "$pid"
start "$python" "$here/faulty_agent.py" has_no_unknown_verb "$port"
device_file "$tmp/fake.ini" "$line"
says "an agent that refuses in another way" 3 \
	"not refused as one \(agent: a raw line: bad-argument " \
	"${run[@]}" -d "$tmp/fake.ini" mpa/crc
end "$pid"

# On both sides the token is the first line, and only its owner may write the
# file.
mkdir "$tmp/folder.token"
says "a token that is a folder" 2 "Is a directory" \
	"$refdut" --agent-port 0 --token-file "$tmp/folder.token"
echo "open sesame" >"$tmp/open.token"
chmod 666 "$tmp/open.token"
says "a token that others may write" 2 "others may write it: chmod o-w" \
	"$refdut" --agent-port 0 --token-file "$tmp/open.token"
printf 'open sesame\n# of the lab\n' >"$tmp/right.token"
echo "open barley" >"$tmp/wrong.token"
start "$refdut" --agent-port 0 --token-file "$tmp/right.token"
device_file "$tmp/fake.ini" "${line##*:}"
cp "$tmp/fake.ini" "$tmp/none.token.ini"
echo "token-file = wrong.token" >>"$tmp/fake.ini"
says "a wrong token" 3 "auth" "${run[@]}" -d "$tmp/fake.ini" 'mpa/crc/*'
says "no token where one is asked for" 3 "auth" \
	"${run[@]}" -d "$tmp/none.token.ini" 'mpa/crc/*'

# Clients without a token that send requests without end and never read.
waited=$(timeout 60 "$python" - "${line##*:}" <<'PY'
import socket
import sys
import threading
import time

at = ("127.0.0.1", int(sys.argv[1]))
flood = b"hello version=1\n" + b"state conn=c1\n" * 4000
until = time.monotonic() + 3
strangers = [socket.create_connection(at) for _ in range(66)]
for s in strangers:
    s.setblocking(False)


def ask():
    while time.monotonic() < until:
        for s in list(strangers):
            try:
                s.send(flood)
            except BlockingIOError:
                pass
            except OSError:
                strangers.remove(s)


threading.Thread(target=ask).start()
time.sleep(1)
began = time.monotonic()
with socket.create_connection(at) as s:
    s.sendall(b"hello version=1\n")
    s.recv(64)
print(int(1000 * (time.monotonic() - began)))
PY
)
if [[ $waited && $waited -lt 20000 ]]; then
	ok "strangers who ask without end do not keep others from the agent"
else
	not_ok "strangers who ask without end do not keep others from the agent" \
		"another client was greeted after ${waited:-too many} ms"
fi
sed -i s/wrong/right/ "$tmp/fake.ini"
exits "a token beside its device file" 0 "${run[@]}" -d "$tmp/fake.ini" 'mpa/crc/*' &&
	ok "a token beside its device file"
echo "impl = Widget *" >>"$tmp/fake.ini"
says "another device than the one meant" 3 \
	'its device is "warpspec reference device [0-9.]+", not "Widget \*" as the device file says' \
	"${run[@]}" -d "$tmp/fake.ini" 'mpa/crc/*'
sed -i 's/^impl = .*/impl = warpspec reference */' "$tmp/fake.ini"
exits "the device that is meant" 0 "${run[@]}" -d "$tmp/fake.ini" 'mpa/crc/*' &&
	ok "the device that is meant"

# The token, its MAC and its nonce are in nothing that is kept or printed.
rm -rf "$tmp/kept" && mkdir "$tmp/kept"
if exits "a run with a token, kept whole" 0 "${run[@]}" -d "$tmp/fake.ini" \
	--evidence all --verbose --captures "$tmp/kept/caps" \
	--journal "$tmp/kept/journal" --report json="$tmp/kept/r.json" \
	--report text="$tmp/kept/r.txt" --report html="$tmp/kept/pages" \
	--report junit="$tmp/kept/r.xml" 'mpa/crc/wrong_*'; then
	"$warpspec" device -d "$tmp/fake.ini" >"$tmp/kept/device" 2>&1
	cp "$tmp/out" "$tmp/err" "$tmp/kept"
	if found=$(grep -rlaE 'open sesame|6f70656e20736573616d65|mac=|nonce=' \
		"$tmp/kept"); then
		not_ok "a token is kept nowhere" "$found"
	else
		ok "a token is kept nowhere"
	fi
fi
end "$pid"

# --- little room --------------------------------------------------------

says "too few descriptors" 4 "no more than 10 files .* at least 16" \
	bash -c 'ulimit -n 10; "$@"' - "${run[@]}" --refdut 'mpa/crc/*'
says "too small a stack" 4 "to 128 KiB only: .* at least 256" \
	bash -c 'ulimit -s 128; "$@"' - "${run[@]}" --refdut 'mpa/crc/*'

# --- the suite is killed ----------------------------------------------

# After the foundations, whose results are kept one floor at a time.
start_fake stall "$port" 1500
"${run[@]}" -d "$tmp/fake.ini" --jobs 1 --journal "$tmp/journal" \
	--report json="$tmp/killed.json" >/dev/null 2>&1 &
suite=$!
struck
{ kill -KILL "$suite" && wait "$suite"; } 2>/dev/null
end "$fake_pid"
lines=$(($(wc -l <"$tmp/journal") - 1)) # the first identifies the run
# The session that failed was in the middle of its last case.
if [[ $lines -gt 0 && $lines -ge $((resets - 1)) ]]; then
	ok "kill -9: the journal holds every finished case"
else
	not_ok "kill -9: the journal holds every finished case" \
		"$lines lines, but case $resets had begun"
fi
if [[ -e $tmp/killed.json ]]; then
	not_ok "kill -9: no half report" "there is one"
else
	ok "kill -9: no half report"
fi
# The same device, by the same name; only the route to its agent is different.
device_file "$tmp/device.ini" "$port"
printf '{"torn' >>"$tmp/journal"
exits "kill -9: --resume completes the run" 0 "${run[@]}" -d "$tmp/device.ini" \
	--resume "$tmp/journal" \
	--report json="$tmp/resumed.json" && report_holds \
	"kill -9: --resume completes the run" "$tmp/resumed.json" \
	"n == $all and not by['error'] and not by['fail'] and \
	0 < r['from_journal']['verdicts'] <= $lines"
# Cases that are not applicable are not in it.
exits "a complete journal has nothing left to run" 0 "${run[@]}" -d "$tmp/device.ini" \
	--resume "$tmp/journal" --report json="$tmp/again.json" && report_holds \
	"a complete journal has nothing left to run" "$tmp/again.json" \
	"n == $all and r['from_journal']['verdicts'] >= n - len(by['skip'])"

# --- shards of a run -------------------------------------------------------

for part in 1 2 3; do
	exits "a shard" 0 "${run[@]}" -d "$tmp/device.ini" ddp/header \
		--shard "$part/3" --journal "$tmp/shard.$part"
done
# The results of two shards are reused, and the rest is run.
shards=(--resume "$tmp/shard.1" --resume "$tmp/shard.3")
refuses "several journals, and none to go on in" "with --journal FILE" \
	"$warpspec" run -d "$tmp/device.ini" "${shards[@]}"
exits "journals of shards become one" 0 "${run[@]}" -d "$tmp/device.ini" \
	ddp/header "${shards[@]}" --journal "$tmp/shards" \
	--report json="$tmp/shards.json" && report_holds \
	"journals of shards become one" "$tmp/shards.json" \
	"n == sum(r['totals'].values()) and not by['error'] and not by['fail'] \
	and n // 2 < r['from_journal']['verdicts'] < n - len(by['skip']) and \
	r['from_journal']['path'] == '$tmp/shard.1, $tmp/shard.3'"
exits "and that one is whole" 0 "${run[@]}" -d "$tmp/device.ini" ddp/header \
	--resume "$tmp/shards" --report json="$tmp/shards.json" &&
	report_holds "and that one is whole" "$tmp/shards.json" \
	"r['from_journal']['verdicts'] == n - len(by['skip'])"
refuses "a shard of another device" "another run: .*without" "$warpspec" run \
	ddp/header "${shards[@]}" --without imm --journal "$tmp/shards.2"

# --- journals of other runs ----------------------------------------------

# NAME REGEX ARGUMENT...: with the journal of the full run above, or another.
not_this_run()
{
	local name=$1 regex=$2
	shift 2
	refuses "a journal of another run: $name" "$regex" "$warpspec" run "$@"
}
crcs=("${run[@]}" 'mpa/crc/*')
exits "a journal of a good device" 0 "${crcs[@]}" --journal "$tmp/good" &&
	ok "a journal of a good device"
not_this_run "a mutant" 'device: expected "[^"]*ignore_bad_crc", found "built-in device"' \
	--resume "$tmp/good" --refdut=ignore_bad_crc
not_this_run "without a feature" 'without: expected "imm", found ""' \
	--resume "$tmp/good" --without imm
not_this_run "a specification" 'spec: expected "draft-01", found "rfc7306"' \
	--resume "$tmp/good" --spec draft-01
not_this_run "a segmentation" 'segmentation: expected "octets", found "whole"' \
	--resume "$tmp/good" --segmentation octets
not_this_run "a family" 'family: expected "6", found "4"' \
	--resume "$tmp/good" --family 6
not_this_run "a device" 'device: expected "a device", found "built-in device"' \
	--resume "$tmp/good" -d "$tmp/device.ini"
sed 's/= a device/= another/' "$tmp/device.ini" >"$tmp/another.ini"
not_this_run "a name" 'device: expected "another", found "a device"' \
	--resume "$tmp/journal" -d "$tmp/another.ini"
printf '[features]\nimm = no\n' >>"$tmp/device.ini"
not_this_run "a claim" 'features: expected ' \
	--resume "$tmp/journal" -d "$tmp/device.ini"
sed '3s/"pass"/"fail"/' "$tmp/good" >"$tmp/altered"
not_this_run "a verdict altered" "altered:3: not as it was written" \
	--resume "$tmp/altered"
sed 3d "$tmp/good" >"$tmp/altered"
not_this_run "a line missing" "altered:3: not as it was written" \
	--resume "$tmp/altered"
sed '1d; s/,"chain":"[^"]*"//' "$tmp/good" >"$tmp/altered"
not_this_run "one without a first line" "altered:1: .*an earlier warpspec" \
	--resume "$tmp/altered"
says "how many verdicts are from the journal" 0 \
	"[1-9][0-9]* of them are from the journal $tmp/good" \
	"${crcs[@]}" --resume "$tmp/good"
says "other selectors are no other run" 0 'selectors "mpa/crc/\*"; it has 0 cases' \
	"$warpspec" run mpa/close/* --resume "$tmp/good"
exits "another journal is whole, too" 0 "${crcs[@]}" --resume "$tmp/good" \
	--journal "$tmp/good.2" && exits "another journal is whole, too" 0 \
	"${crcs[@]}" --resume "$tmp/good.2" --report json="$tmp/good.json" &&
	report_holds "another journal is whole, too" "$tmp/good.json" \
		"r['from_journal']['verdicts'] == n"

# A second run while the first one uses the journal.
start_fake stall "$port" 200
"${run[@]}" -d "$tmp/fake.ini" --jobs 1 --journal "$tmp/shared" >/dev/null 2>&1 &
suite=$!
struck
refuses "two runs with one journal" "shared: another run is writing it .process [0-9]+" \
	"$warpspec" run --journal "$tmp/shared"
kill "$suite"
wait "$suite"
end "$fake_pid"

# The parent of this test may ignore these signals (nohup); the run must not.
for signal in INT TERM HUP; do
	start_fake stall "$port" 200
	env --default-signal="$signal" "${run[@]}" -d "$tmp/fake.ini" --jobs 2 \
		--report json="$tmp/$signal.json" --report text="$tmp/$signal.txt" \
		>/dev/null 2>&1 &
	suite=$!
	struck
	kill -$signal "$suite"
	wait "$suite"
	status=$?
	end "$fake_pid"
	if [[ $status -ne 0 ]]; then
		ok "SIG$signal: is no success"
	else
		not_ok "SIG$signal: is no success" "exit status 0"
	fi
	report_holds "SIG$signal: reports of what ran" "$tmp/$signal.json" \
		"0 < n < $all and by['pass'] and not by['fail']"
	if [[ $(tail -n 1 "$tmp/$signal.txt") =~ ^[1-9][0-9]*\ passed ]]; then
		ok "SIG$signal: the text report too"
	else
		not_ok "SIG$signal: the text report too" \
			"$(tail -n 2 "$tmp/$signal.txt" 2>&1)"
	fi
done

# --- a case that crashes ----------------------------------------------

# Print the process that holds the near end of the connection between two
# ports.
holder_of()
{
	local inode fd
	inode=$(awk -v near="$(printf ':%04X$' "$1")" \
		-v far="$(printf ':%04X$' "$2")" \
		'$2 ~ near && $3 ~ far && $10 { print $10 }' /proc/net/tcp)
	# One process for all of them: a busy machine needs more time for
	# thousands than the case waits.
	fd=$(find /proc/[0-9]*/fd -lname "socket:\\[$inode\\]" -print -quit \
		2>/dev/null)
	fd=${fd#/proc/}
	echo "${fd%%/*}"
}

# A worker whose agent does not answer is killed.
start_fake stall-one "$port" 200
"${run[@]}" -d "$tmp/fake.ini" --jobs 2 --report json="$tmp/crash.json" \
	>"$tmp/out" 2>&1 &
suite=$!
struck
worker=$(holder_of "$near" "$fake_port")
kill -ABRT "$worker" || kill "$suite"
wait "$suite"
status=$?
if [[ $status -eq 4 ]]; then
	ok "a case that crashes: exit 4"
else
	not_ok "a case that crashes: exit 4" "exit status $status" \
		"$(tail -n 3 "$tmp/out")"
fi
report_holds "a case that crashes is its own error, and the run goes on" \
	"$tmp/crash.json" "n == $all and len(by['error']) == 1 and by['pass'] \
	and not by['fail'] and 'signal 6' in cases[by['error'][0]]['reason']"
end "$fake_pid"
end "$device_pid"

# --- a host without room ----------------------------------------------

# NAME PROCESSES STATUS EXPRESSION: with this limit on processes, without
# root's rights.
narrow=$tmp/narrow
mkdir -m 777 "$narrow"
in_narrow_room()
{
	exits "$1" "$3" prlimit --nproc="$2" setpriv --reuid=65534 --regid=65534 \
		--clear-groups "${run[@]}" --refdut --jobs 16 \
		--report json="$narrow/report.json" mpa/crc || return
	report_holds "$1" "$narrow/report.json" "$4"
}
if chmod o+x "$tmp" && setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$warpspec" help >/dev/null 2>&1; then
	in_narrow_room "a host with room for a few processes: fewer workers" \
		10 0 "by['pass'] and not by['error']"
	in_narrow_room "a host with room for no worker: each case says so" 2 4 \
		"n == len(by['error']) and all('no worker could be started: \
Resource temporarily unavailable' in c['reason'] for c in r['cases'])"
else
	echo "skip a host without room: no other user can be taken here"
fi

# --- full disks -------------------------------------------------------

says "a report to a full device" 4 "/dev/full: No space left" \
	"${run[@]}" --report json=/dev/full 'mpa/crc/*'
says "show, to a full device" 4 "standard output failed" \
	bash -c '"$0" show mpa/crc/wrong_crc_is_never_delivered >/dev/full' "$warpspec"
says "the help, to a full device" 4 "standard output failed" \
	bash -c '"$0" help >/dev/full' "$warpspec"
says "a journal that may not grow" 4 "full.journal: (File too large|the disk is full)" \
	bash -c 'ulimit -f 4; "$@"' - "${run[@]}" --journal "$tmp/full.journal" \
	--report text=/dev/stderr 'mpa/crc/*'
if [[ -c /dev/full ]]; then
	ok "and /dev/full is still what it was"
else
	not_ok "and /dev/full is still what it was"
fi

# In a private mount namespace: a small file system, filled up.
full_disk()
{
	mount -t tmpfs -o size=256k none "$1" || exit 77
	cd "$1" || exit 77
	"$3" run --quiet --report json=report.json 'mpa/crc/*' >/dev/null || exit 78
	cp report.json "$2/before.json"
	cat /dev/zero >filler 2>/dev/null
	"$3" run --quiet --report json=report.json --journal journal --captures captures \
		'mpa/*' >"$2/full.out" 2>&1
	echo $? >"$2/full.status"
	cp report.json "$2/after.json"
}
export -f full_disk
mkdir "$tmp/small"
unshare -m bash -c 'full_disk "$@"' - "$tmp/small" "$tmp" "$warpspec" 2>/dev/null
case $? in
77 | 1 | 126 | 127)
	echo "skip a full disk: no file system can be mounted here" ;;
*)
	status=$(<"$tmp/full.status")
	if [[ $status -eq 4 ]] && grep -q "No space left" "$tmp/full.out"; then
		ok "a full disk is said, and exit 4"
	else
		not_ok "a full disk is said, and exit 4" \
			"exit status $status" "$(tail -n 3 "$tmp/full.out")"
	fi
	if cmp -s "$tmp/before.json" "$tmp/after.json"; then
		ok "a report that was complete before stays whole"
	else
		not_ok "a report that was complete before stays whole"
	fi ;;
esac

# --- a mute device ----------------------------------------------------

exits "a mute device" 3 "${run[@]}" --control=mute --report json="$tmp/mute.json" &&
	ok "a mute device"
report_holds "a mute device: full reports" "$tmp/mute.json" \
	"n == len(by['error']) == $all"

# A wrong revision in each Request is reported by the foundation of a stream
# and by the case about the revision; a case that runs alone reports it itself.
exits "a value that is always wrong" 1 "${run[@]}" --refdut=request_revision_zero \
	--report json="$tmp/always.json" foundations/startup mpa/startup mpa/fpdu &&
	report_holds "a value that is always wrong is reported once" "$tmp/always.json" \
		"sorted(by['fail']) == ['foundations/startup/an_initiator_comes_up',
			'mpa/startup/plain_request_is_revision_one']"
exits "and not hidden without that case" 1 "${run[@]}" --refdut=request_revision_zero \
	--report json="$tmp/always.json" mpa/fpdu

exits "what blocks others" 1 "${run[@]}" --refdut=read_requests_in_host_order \
	--report json="$tmp/key.json" foundations/startup \
	'foundations/operations/a_posted_read_completes*' mpa/crc/a_damaged_to_places_nothing &&
	report_holds "names the key of the device file that goes further" "$tmp/key.json" \
		"by['blocked'] and all('read = no in the device file' in cases[c]['reason']
			for c in by['blocked'])"
report_holds "what does not rest on it is judged" "$tmp/key.json" \
	"([b['requirement'] for b in
		cases['foundations/operations/a_posted_read_completes@initiator']['broken']] ==
		['RDMAP-4.4-01'])"

echo "cli: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
