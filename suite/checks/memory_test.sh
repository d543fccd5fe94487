#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# memory_test.sh BUILD - if memory runs out, an answer is either complete, or a
# single line with the matching status. Single allocations fail, at places
# spread over a command (POINTS of each, 12). Closes with the counts. Exit: 0
# all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

# A preloaded library and a sanitizer both replace the allocator.
if nm "$warpspec" 2>/dev/null | grep -q ' __asan_init'; then
	echo "skip memory: a sanitizer has the allocator's place"
	echo "memory: 1 passed, 0 failed"
	exit 0
fi

# ALLOCATION_FAILS=N: the N-th allocation of the process fails, and with
# ALLOCATION_ENDS all later ones. ALLOCATIONS=FILE: how many there were.
# TEXT_FAILS=N: the N-th text in memory cannot be started.
cat >"$tmp/short.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static unsigned long made, fails, texts, text_fails;
static int ends, knows;
static pid_t first;

static int is_short(void)
{
	unsigned long n = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);

	if (!knows)
		return 0;
	if (!fails || (ends ? n < fails : n != fails))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n) { return is_short() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t of)
{
	return is_short() ? NULL : __libc_calloc(n, of);
}
void *realloc(void *at, size_t n)
{
	return is_short() ? NULL : __libc_realloc(at, n);
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t f)
{
	static FILE *(*real)(void *, const char *, cookie_io_functions_t);

	if (++texts == text_fails) {
		errno = ENOMEM;
		return NULL;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fopencookie");
	return real(cookie, mode, f);
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("ALLOCATION_FAILS"), *t = getenv("TEXT_FAILS");

	first = getpid();
	fails = n ? strtoul(n, NULL, 10) : 0;
	text_fails = t ? strtoul(t, NULL, 10) : 0;
	ends = getenv("ALLOCATION_ENDS") && getenv("ALLOCATION_ENDS")[0] == 'y';
	made = 0;
	knows = 1;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("ALLOCATIONS");
	char text[32];
	int fd, k;

	if (!path || getpid() != first)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	k = snprintf(text, sizeof(text), "%lu\n", made);
	(void)!write(fd, text, (size_t)k);
	close(fd);
}
C
if ! ${CC:-cc} -shared -fPIC -O1 -o "$tmp/short.so" "$tmp/short.c" -ldl \
	2>"$tmp/cc.err"; then
	echo "not ok a library to preload"
	sed 's/^/  /' "$tmp/cc.err"
	echo "memory: 0 passed, 1 failed"
	exit 1
fi
short=(env LD_PRELOAD="$tmp/short.so")

# NAME STATUS OUTPUT COMMAND...: at POINTS places of this command, output and
# status are either as they are with enough memory; or a line names memory, the
# status is that of an error, and there is no output. OUTPUT: a file or a
# folder, or "".
falls_short()
{
	local name=$1 due=$2 output=$3 n i at got ends bad=0
	shift 3
	[[ $output ]] && rm -rf "$output"
	ALLOCATIONS=$tmp/count timeout 60 "${short[@]}" "$@" </dev/null \
		>"$tmp/whole.out" 2>"$tmp/whole.err"
	got=$?
	if [[ $got -ne $due ]]; then
		not_ok "$name" "exit status $got with memory" "$(<"$tmp/whole.err")"
		return
	fi
	rm -rf "$tmp/whole"
	[[ $output ]] && mv "$output" "$tmp/whole"
	n=$(<"$tmp/count")
	for ((i = 0; i < ${POINTS:-12}; i++)); do
		# Half of them are among the last: these write.
		at=$((i % 2 ? n - (i * 7919 + 13) % (n < 400 ? n : 400)
			: 1 + (i * 104729 + 17) % n))
		for ends in no yes; do
			[[ $output ]] && rm -rf "$output"
			ALLOCATION_FAILS=$at ALLOCATION_ENDS=$ends timeout 60 \
				"${short[@]}" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
			got=$?
			if [[ $got -eq $due ]] && cmp -s "$tmp/out" "$tmp/whole.out" &&
				{ [[ ! $output ]] ||
					diff -rq "$output" "$tmp/whole" >/dev/null 2>&1; }; then
				continue
			fi
			if [[ $got -ge 2 && $got -le 4 && (! $output || ! -e $output) ]] &&
				grep -qiE 'memory|allocat' "$tmp/err"; then
				continue
			fi
			bad=$((bad + 1))
			[[ $bad -le 3 ]] && not_ok "$name: allocation $at of $n, ends: $ends" \
				"exit status $got, not $due: $(head -c 300 "$tmp/err")"
		done
	done
	[[ $bad -eq 0 ]] && ok "$name: $((2 * ${POINTS:-12})) places of $n"
}

cd "$tmp" || exit 2
some=('mpa/crc/wrong_*' 'mpa/crc/a_damaged_*' mpa/rtr_sent rdmap/header)
"${run[@]}" --refdut --report json=good.json "${some[@]}" >out 2>&1
"${run[@]}" --refdut=ignore_bad_crc --report json=bad.json --evidence all \
	"${some[@]}" >out 2>&1
for k in 1 2; do
	"${run[@]}" --refdut --report json=shard$k.json --shard $k/2 "${some[@]}" \
		>out 2>&1
done
report=("$warpspec" report)

# --- commands on reports -------------------------------------------------

for format in text markdown html; do
	falls_short "report diff, $format" 1 "" \
		"${report[@]}" diff --format $format good.json bad.json
	falls_short "report matrix, $format" 0 made \
		"${report[@]}" matrix --format $format -o made good.json bad.json
done
for format in text summary junit tap sarif github json; do
	falls_short "report $format" 0 "" "${report[@]}" $format bad.json
done
falls_short "report html" 0 made "${report[@]}" html bad.json -o made
falls_short "report merge" 0 made "${report[@]}" merge shard1.json shard2.json \
	-o made

# --- commands on bundles -------------------------------------------------

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
	-subj "/CN=a laboratory" -addext "keyUsage=critical,digitalSignature" \
	-keyout key.pem -out cert.pem >out 2>&1
"$warpspec" ics --refdut -o s.ini >out 2>&1
"${run[@]}" --refdut --ics s.ini --report json=held.json mpa/crc >out 2>&1
falls_short "list" 0 "" "$warpspec" list --json mpa/crc
# Its octets differ each time, because its signature does.
"${report[@]}" bundle held.json --ics s.ini --key key.pem --cert cert.pem \
	-o sound.tar >out 2>&1
bundle=("${report[@]}" bundle held.json --ics s.ini --key key.pem
	--cert cert.pem -o short.tar)
ALLOCATIONS=count "${short[@]}" "${bundle[@]}" >out 2>err
n=$(<count) bad=0
for ((i = 0; i < 2 * ${POINTS:-12}; i++)); do
	at=$((i % 2 ? n - (i * 7919 + 13) % n : 1 + (i * 104729 + 17) % n))
	rm -f short.tar
	if ALLOCATION_FAILS=$at timeout 60 "${short[@]}" "${bundle[@]}" >out 2>err; then
		"${report[@]}" verify --ca cert.pem short.tar >verified 2>&1
		grep -q 'does not say what' verified || continue
	elif [[ ! -e short.tar && -s err ]]; then
		continue
	fi
	bad=$((bad + 1))
	[[ $bad -le 3 ]] && not_ok "report bundle: allocation $at of $n" \
		"$(head -c 300 err)"
done
[[ $bad -eq 0 ]] && ok "report bundle: $((2 * ${POINTS:-12})) places of $n"
"${report[@]}" verify --ca cert.pem sound.tar >due 2>&1
falls_short "report verify" $? "" "${report[@]}" verify --ca cert.pem sound.tar

# --- runs -------------------------------------------------------------

# The contradiction of a statement is a text of the run itself.
sed 's/^markers-rx = yes$/markers-rx = no/' s.ini >wrong.ini
cmp -s s.ini wrong.ini && not_ok "a statement that is wrong"
held=("${run[@]}" --refdut --ics wrong.ini --report json=run.json
	mpa/crc/crc_is_supported)
says "a statement is not of the device" 1 'does not match this device' "${held[@]}" \
	--report text
for ((i = 1, lost = 0; i <= 6; i++)); do
	TEXT_FAILS=$i timeout 120 "${short[@]}" "${held[@]}" >out 2>err
	status=$?
	if [[ $status -eq 4 ]] && grep -q 'out of memory' err; then
		lost=$((lost + 1))
	elif [[ $status -ne 1 ]]; then
		not_ok "a run: text $i is lost" "exit status $status" "$(<err)"
	fi
done
if [[ $lost -gt 1 ]]; then
	ok "a run without one of its texts"
else
	not_ok "a run without one of its texts" "$lost were lost"
fi
explored=("$warpspec" explore --quiet --refdut=fetchadd_mask_ignored --seed 1
	--findings 1 --programs "$tmp" --report json=explored.json)
says "an exploration that finds something" 1 '' "${explored[@]}"
for ((i = 1, lost = 0; i <= 4; i++)); do
	TEXT_FAILS=$i timeout 120 "${short[@]}" "${explored[@]}" >out 2>err
	status=$?
	if [[ $status -eq 4 ]] && grep -q 'out of memory' err; then
		lost=$((lost + 1))
	elif [[ $status -ne 1 ]]; then
		not_ok "an exploration: text $i is lost" "exit status $status" \
			"$(<err)"
	fi
done
if [[ $lost -gt 0 ]]; then
	ok "an exploration without the text of its finding"
else
	not_ok "an exploration without the text of its finding"
fi

echo "memory: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
