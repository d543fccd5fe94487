#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bundle_test.sh BUILD - tests statements, and the bundles that seal a run: a
# sound bundle is verified by the suite and by other programs; every change of
# a bundle is found and named; a hostile bundle is reported in one line. Closes
# with the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
here=$(realpath "$here")
schema=$(realpath reports/schema/schema.json)
cd "$tmp" || exit 2

# NAME FILE REGEX: the file contains a match.
holds()
{
	if grep -qE -- "$3" "$2"; then
		ok "$1"
	else
		not_ok "$1" "$2 does not say /$3/" "$(head -c 400 "$2")"
	fi
}

# FILE FROM TO: the statement with one replacement.
restated()
{
	sed "s/^$2\$/$3/" s.ini >"$1"
	cmp -s s.ini "$1" && not_ok "$1" "s.ini has no line '$2'"
}

changed() { "$python" "$here/bundle.py" "$@"; }

# --- statements -------------------------------------------------------

says "a statement is written" 0 '' "$warpspec" ics --refdut -o s.ini
refuses "a statement that is there already" \
	"s.ini: this statement exists" "$warpspec" ics --refdut -o s.ini
says "the same on standard output" 0 'form = 1.*send = yes' \
	"$warpspec" ics --refdut
"$warpspec" ics --refdut --without imm,imm-se >no-imm.ini
holds "what is not claimed is stated so" no-imm.ini '^imm = no$'
refuses "a statement that cannot be written" "nowhere/s.ini: No such file" \
	"$warpspec" ics --refdut -o nowhere/s.ini
refuses "a statement over a folder" "Is a directory" \
	"$warpspec" ics --refdut -o "$tmp"
printf '[device]\nagent = 127.0.0.1:1\n' >gone.ini
says "no device to ask" 3 "agent 127.0.0.1:1" "$warpspec" ics -d gone.ini

held=("${run[@]}" --refdut mpa/crc/a_damaged_to_places_nothing)
says "a run held to its statement" 0 '' "${held[@]}" --ics s.ini \
	--report json=held.json
report_holds "the report names it" held.json \
	"len(r['statement']['sha256']) == 64 and r['statement']['path'] == 's.ini' and 'findings' not in r"
says "the report is of the schema" 0 '' "$python" -c "
import json, jsonschema, sys
jsonschema.validate(json.load(open('held.json')), json.load(open(sys.argv[1])))" \
	"$schema"

refuses "no statement there" "none.ini: No such file" "${held[@]}" --ics none.ini
mkfifo fifo
refuses "a FIFO for a statement" "fifo: " "${held[@]}" --ics fifo
restated bad.ini 'send = yes' 'send = often'
refuses "a support that is none" \
	'bad.ini:[0-9]+: \[features\] send = often: expected yes or no' \
	"${held[@]}" --ics bad.ini
restated bad.ini 'write = yes' ''
refuses "a feature without support" "bad.ini: \[features\] write is missing" \
	"${held[@]}" --ics bad.ini
restated bad.ini 'form = 1' 'form = 9'
refuses "a form of another time" "expected 1" "${held[@]}" --ics bad.ini
head -c 2000000 /dev/zero | tr '\0' '; ' >bad.ini
refuses "a statement without end" "bad.ini: .*octets" "${held[@]}" --ics bad.ini

# NAME FROM TO REGEX: a contradiction is a finding.
contradicts()
{
	restated c.ini "$2" "$3"
	exits "$1" 1 "${held[@]}" --ics c.ini --report json=c.json &&
		holds "$1: reported" c.json "$4"
}
contradicts "mandatory, and stated no" 'send-inv = yes' 'send-inv = no' \
	'send-inv = no: mandatory .RFC 5040 s4.1'
contradicts "one claim without the other" 'mpa-v2 = yes' 'mpa-v2 = no' \
	'p2p without mpa-v2'
contradicts "one atomic without the other" 'cmpswap = yes' 'cmpswap = no' \
	'fetchadd without cmpswap'
contradicts "what the agent does not claim" 'swap = no' 'swap = yes' \
	'swap = yes: the agent claims no'
contradicts "another limit" 'max-ird = 1024' 'max-ird = 7' \
	'max-ird = 7: the agent reports 1024'
contradicts "another device" 'name = built-in device' 'name = a card' \
	'name = a card: the device.s is built-in device'
contradicts "another text" 'spec = rfc7306' 'spec = draft-03' \
	'spec = draft-03: the run is of rfc7306'

# A stated feature that fails in all its cases; an unstated one that works.
exits "stated, but not seen on the wire" 1 "${run[@]}" --timeout-scale 0.3 \
	--control refuses-immediates --ics s.ini --report json=c.json \
	--jobs 32 feature:imm-se &&
	holds "stated, but not seen on the wire: reported" c.json \
		'imm-se = yes: none of the [0-9]+ cases that need it passed'
restated c.ini 'imm-se = yes' 'imm-se = no'
exits "not stated, and seen" 1 "${run[@]}" --refdut \
	'rdmap/immediate/an_event_*' \
	--ics c.ini --report json=c.json &&
	report_holds "not stated, and seen" c.json \
		"'imm-se = no: ' in r['statement']['notes']"

# --- who signs --------------------------------------------------------

{
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem \
		-days 30 -subj "/CN=An Authority"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key \
		-out other.pem -days 30 -subj "/CN=Another Authority"
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-keyout lab.key -out lab.csr -subj "/O=A Lab/CN=bench 3"
	openssl x509 -req -in lab.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
		-days 10 -out lab.pem
	openssl x509 -req -in lab.csr -CA ca.pem -CAkey ca.key -days -1 \
		-out old.pem
	openssl x509 -req -in lab.csr -CA ca.pem -CAkey ca.key -days 10 \
		-extfile <(echo keyUsage=keyAgreement) -out agree.pem
	openssl pkey -in lab.key -aes128 -passout pass:x -out locked.key
} 2>openssl.err || { not_ok "keys and certificates" "$(tail -n 3 openssl.err)"; }

# --- a sound one ------------------------------------------------------

mkdir cap
exits "the run" 0 "${run[@]}" --jobs 32 --refdut --ics s.ini \
	--report json=a.json || exit 1
seal=("$warpspec" report bundle a.json --ics s.ini --key lab.key --cert lab.pem)
verify=("$warpspec" report verify --ca ca.pem)

exits "a bundle" 0 "${seal[@]}" -o a.bundle
says "it is verified" 0 'verified: built-in device; 7 members, signed by O = A Lab, CN = bench 3' \
	"${verify[@]}" a.bundle
says "it says whose device it was, when, and by which suite" 0 \
	'device: maker not stated, name built-in device, model not stated.*its agent calls it: warpspec reference device.*tested: 20[0-9-]{8}, over socket, by warpspec .*claims: .*send' \
	"${verify[@]}" a.bundle
says "nobody knows which device it was" 0 \
	'warning: the statement lacks the model, the serial or the firmware' \
	"${verify[@]}" a.bundle
says "it was no device of anybody" 0 \
	"warning: the device was the suite's own reference device" \
	"${verify[@]}" a.bundle
says "nobody knows who tested it" 0 \
	'warning: the statement does not name the laboratory and the operator' \
	"${verify[@]}" a.bundle
says "no verdict was derived again" 0 \
	'verdicts: not derived again: the bundle has no captures' \
	"${verify[@]}" a.bundle
# Options for readers.
verified='verified: built-in device'
says "its signer" 0 "$verified" "${verify[@]}" --signer "bench 3" a.bundle
says "its signer, by the whole name" 0 "$verified" "${verify[@]}" \
	--signer "O = A Lab, CN = bench 3" a.bundle
says "another signer" 1 "signature: by O = A Lab, CN = bench 3, not by bench" \
	"${verify[@]}" --signer bench a.bundle
says "a suite as new" 0 "$verified" "${verify[@]}" --suite-at-least 0.0.10 a.bundle
says "a newer suite" 1 'suite.json: version [0-9.]+; at least 99.0 is required' \
	"${verify[@]}" --suite-at-least 99.0 a.bundle
refuses "a suite that is none" "--suite-at-least new: expected a version" \
	"${verify[@]}" --suite-at-least new a.bundle
says "a run of today" 0 "$verified" "${verify[@]}" --not-before 2026-01-31 a.bundle
says "a later run" 1 'run.json: tested on 20[0-9-]+, before the day' \
	"${verify[@]}" --not-before 2999-01-31 a.bundle
refuses "a day that is none" "--not-before 31.1.2026: expected a day" \
	"${verify[@]}" --not-before 31.1.2026 a.bundle
refuses "a signer for an authority" "lab.pem: one of its certificates is not that of an authority" \
	"$warpspec" report verify a.bundle --ca lab.pem
mkdir opened && tar -xf a.bundle -C opened
if (cd opened && sha256sum --quiet -c manifest.txt) &&
	openssl cms -verify -binary -inform DER -in opened/manifest.p7s \
		-content opened/manifest.txt -CAfile ca.pem -purpose any \
		-out /dev/null 2>openssl.err; then
	ok "others verify it: tar, sha256sum, openssl"
else
	not_ok "others verify it" "$(tail -n 3 openssl.err)"
fi
cmp -s opened/run.json a.json && cmp -s opened/statement.ini s.ini &&
	ok "results and statement are as they were" ||
	not_ok "results and statement are as they were"
holds "the test report has contents" opened/pctr.txt \
	'^     6.[0-9] mpa: [0-9]+ cases, [0-9]+ passed, 0 failed'
[[ $(tr -cd '\f' <opened/pctr.txt | wc -c) -ge 6 ]] &&
	ok "the test report has pages" || not_ok "the test report has pages"
holds "the test report concludes" opened/pctr.txt \
	'No nonconformity was found by the test campaign'
sleep 1
exits "the same again" 0 "${seal[@]}" -o b.bundle
mkdir again && tar -xf b.bundle -C again
rm opened/manifest.p7s again/manifest.p7s
diff -r opened again >/dev/null && ok "the same input makes the same members" ||
	not_ok "the same input makes the same members"
says "signed by somebody who is not believed" 1 \
	'signature: certificate of O = A Lab, CN = bench 3: unable to get' \
	"$warpspec" report verify a.bundle --ca other.pem

# --- certificates for people ------------------------------------------

exits "a certificate" 0 "$warpspec" report certificate a.bundle --ca ca.pem -o a.html
tar -xOf a.bundle pctr.txt >pctr.txt
number=$(sed -n 's/^  Number  *//p' pctr.txt)
holds "its number, as pctr.txt has it" a.html "Number <strong>$number</strong>"
holds "what it is, of the suite's own device" a.html 'Specimen of a certificate'
holds "what it says" a.html 'requires <strong>[0-9]+</strong> cases: [0-9]+ were run and none failed; 10 as initiator'
holds "what was not tested" a.html 'Not tested over link socket: DDP over SCTP .[0-9]+ cases.'
holds "how long it is valid, if nobody says" a.html "valid until $(($(date -u +%Y) + 2))-"
holds "how many passed in all" a.html '>all<td class=n>[1-9]'
holds "who signed it" a.html 'O = A Lab, CN = bench 3'
holds "what it is not worth" a.html 'Warning:<.*own reference device'
refuses "a day that is none, for its end" "--valid-until soon: expected a day" \
	"${seal[@]}" -o x --valid-until soon
exits "a certificate with an end" 0 "${seal[@]}" -o end.bundle --valid-until 2999-12-31
says "a certificate with another end has another number" 1 "^$number" \
	sh -c "tar -xOf end.bundle pctr.txt | sed -n 's/^  Number  *//p' | grep '$number' || echo $number is not there; exit 1"
says "a certificate with an end: verify says it" 0 \
	"certificate [0-9a-f]{16}, valid until 2999-12-31.*verified: " "${verify[@]}" end.bundle
exits "one that has ended" 0 "${seal[@]}" -o ended.bundle --valid-until 2020-01-31
says "one that has ended" 1 "suite.json: no longer valid: until 2020-01-31" \
	"${verify[@]}" ended.bundle
exits "one that has ended gets no page" 1 "$warpspec" report certificate \
	ended.bundle --ca ca.pem -o ended.html
[[ -e ended.html ]] && not_ok "one that has ended gets no page" || ok "one that has ended gets no page"
sed 's/"pass"/"PASS"/' a.bundle >altered.bundle
says "an altered bundle gets no page" 1 "altered.bundle:.*run.json: altered" \
	"$warpspec" report certificate altered.bundle --ca ca.pem -o altered.html
[[ -e altered.html ]] && not_ok "an altered bundle gets no page" || ok "an altered bundle gets no page"
says "a list of those that are certified" 1 "ended.bundle:.*no longer valid" \
	"$warpspec" report certified a.bundle ended.bundle end.bundle --ca ca.pem -o list.html
holds "the list has those that verify" list.html '2 certificates, each verified'
refuses "no place for a certificate" "report certificate: --output is missing" \
	"$warpspec" report certificate a.bundle --ca ca.pem
mkdir -p without
says "no browser to print it" 4 "a.pdf: no Chromium prints it .Debian: chromium." \
	env PATH="$tmp/without" "$warpspec" report certificate a.bundle --ca ca.pem -o a.pdf
if command -v chromium >/dev/null; then
	exits "a certificate, printed" 0 "$warpspec" report certificate a.bundle \
		--ca ca.pem -o a.pdf
	sheets=$("$python" -c "
import re
print(len(re.findall(rb'/Type\s*/Page[^s]', open('a.pdf', 'rb').read())))")
	[[ $sheets -ge 2 && $sheets -le 5 ]] && ok "two to five sheets" ||
		not_ok "two to five sheets" "$sheets"
	[[ ! -e $(echo /tmp/warpspec-print-*) ]] && ok "printing leaves nothing behind" ||
		not_ok "printing leaves nothing behind"
fi

# Over SCTP, where some cases find out on the way that a row is MPA's.
exits "a run over SCTP" 0 "${run[@]}" --jobs 32 --refdut --link sctp \
	--report json=sctp.json
exits "a bundle of a run over SCTP" 0 "$warpspec" report bundle sctp.json \
	--key lab.key --cert lab.pem -o sctp.bundle
says "it is verified, over SCTP" 0 'tested: .*over sctp.*verified: ' \
	"${verify[@]}" sctp.bundle

# With captures, of a few cases: required results are missing, and the bundle
# says so.
exits "a run with captures" 0 "${run[@]}" --refdut 'mpa/crc/*' --captures cap \
	--ics s.ini --report json=few.json
few=("$warpspec" report bundle few.json --ics s.ini --key lab.key --cert lab.pem)
says "a run that would not verify is not sealed" 1 \
	"required, but not run.*few.bundle: not sealed: [0-9]+ objections.*--force" \
	"${few[@]}" --captures cap -o few.bundle
[[ -e few.bundle ]] && not_ok "it leaves nothing" || ok "it leaves nothing"
says "a bundle with captures, by force" 1 \
	"few.bundle: written, but it will not verify: [0-9]+ objections" \
	"${few[@]}" --captures cap --force -o few.bundle
says "cases that the statement requires are missing" 1 \
	'required, but not run.*and [0-9]+ more cases, also not run' \
	"${verify[@]}" few.bundle
tar -tf few.bundle | grep -q '^captures/mpa/crc/.*\.pcapng$' &&
	ok "the captures are in it" || not_ok "the captures are in it"
mkdir linked secrets && cp -r cap/. linked && echo secret >secrets/it
one=$(find linked -name 'mpa.crc.*.pcapng' | head -n 1)
ln -sf ../secrets/it "$one"
[[ -L $one ]] && says "a capture that is a link" 2 "it is a link" \
	"${few[@]}" --captures linked --force -o linked.bundle
# The run ends while its pages are being written.
mkdir pages.tmp
TMPDIR=$PWD/pages.tmp "${few[@]}" --captures cap --html --force \
	-o ended.bundle >/dev/null 2>&1 &
for _ in {1..400}; do
	[[ $(ls pages.tmp) ]] && break
	sleep 0.01
done
if [[ $(ls pages.tmp) ]]; then
	kill -TERM $!
	wait $! 2>/dev/null
	[[ $(ls pages.tmp) ]] &&
		not_ok "ended by a signal, no pages are left" "$(ls pages.tmp)" ||
		ok "ended by a signal, no pages are left"
fi
exits "a bundle with pages" 1 "${few[@]}" --captures cap --html --force \
	-o pages.bundle
mkdir pages && tar -xf pages.bundle -C pages
page=pages/html/cases/mpa.crc.a_damaged_to_places_nothing.html
link=$(grep -oE 'href="\.\./\.\./captures/[^"]*"' "$page" | head -n 1)
link=${link#*\"}
if [[ $link && -s ${page%/*}/${link%\"} ]]; then
	ok "its pages lead to its captures"
else
	not_ok "its pages lead to its captures" "$page: ${link:-no link}"
fi
says "and are sealed with it" 1 'required, but not run' "${verify[@]}" pages.bundle
TMPDIR=$tmp/pages exits "the same elsewhere" 1 "${few[@]}" --captures cap \
	--html --force -o pages2.bundle
if cmp -s <(tar -xOf pages.bundle manifest.txt) \
	<(tar -xOf pages2.bundle manifest.txt) &&
	[[ ! -e $(echo "$tmp"/pages/warpspec-pages-*) ]]; then
	ok "the same pages, and nothing left behind"
else
	not_ok "the same pages, and nothing left behind" "$(ls pages)"
fi
refuses "captures that are gone" "No such file" "${few[@]}" --captures "$tmp" -o x

# Captures have to be those that the run wrote, when they are sealed and
# afterwards.
report_holds "the report has a SHA-256 of each capture" few.json \
	"all(len(c['capture_sha256']) == 64 for c in r['cases'] if c['capture'])"
file=mpa.crc.a_damaged_to_places_nothing.pcapng
member=captures/mpa/crc/a_damaged_to_places_nothing.pcapng
[[ $("$python" -c "
import json
print(*(c['capture_sha256'] for c in json.load(open('few.json'))['cases']
        if (c['capture'] or '').endswith('/$file')))") == \
	$(sha256sum "cap/$file" | cut -d ' ' -f 1) ]] &&
	ok "it is the SHA-256 of the file" || not_ok "it is the SHA-256 of the file"
not_of_it="$member: not the capture that the run wrote"
# NAME: a capture from another run is not sealed; in a bundle it is found.
foreign()
{
	says "$1: not sealed" 1 "$not_of_it.*not sealed: " "${few[@]}" \
		--captures foreign -o x
	"${few[@]}" --captures foreign --force -o foreign.bundle 2>/dev/null
	says "$1: found in a bundle" 1 "$not_of_it" "${verify[@]}" foreign.bundle
	rm -rf foreign
}
cp -r cap foreign && echo garbage >"foreign/$file"
foreign "a capture of garbage"
cp -r cap foreign
cp "cap/mpa.crc.crc_is_supported.pcapng" "foreign/$file"
foreign "a capture of another case"
"${run[@]}" --refdut 'mpa/crc/*' --captures foreign >/dev/null 2>&1
for kept in cap/*; do
	[[ $kept == "cap/$file" ]] || cp "$kept" foreign/
done
foreign "a capture of another run"
"$python" -c "
import json
run = json.load(open('few.json'))
for case in run['cases']:
    case.pop('capture_sha256', None)
json.dump(run, open('unbound.json', 'w'))"
says "captures of a suite that has no SHA-256 of them" 1 \
	"$member: run.json has no SHA-256 of it" "$warpspec" report bundle \
	unbound.json --ics s.ini --key lab.key --cert lab.pem --captures cap -o x
# Verdicts are derived again from captures, when they are sealed and afterwards.
derived='verdicts: derived again from [1-9][0-9]* of [0-9]+ captures, 0 of which'
says "verdicts are derived again" 1 "$derived contradict run.json; [0-9]+ do not" \
	"${verify[@]}" few.bundle
exits "a fault that captures show" 1 "${run[@]}" --captures seen \
	--refdut=ddp_reserved_bits_set --report json=seen.json \
	foundations/operations
changed whitewashed seen.json white.json
white=("$warpspec" report bundle white.json --key lab.key --cert lab.pem
	--captures seen -o white.bundle)
shown='captures/foundations/operations/[^:]*: shows DDP-4.1-11 broken .*, which run.json does not report'
says "a verdict that its capture contradicts: not sealed" 1 \
	"$shown.*not sealed" "${white[@]}"
"${white[@]}" --force 2>/dev/null
says "a verdict that its capture contradicts: found" 1 \
	"$shown.*verdicts: derived again from [1-9][0-9]* .*[1-9][0-9]* of which contradict" \
	"${verify[@]}" white.bundle
case=mpa/crc/a_damaged_to_places_nothing
changed without a.json less.json "$case"
"$warpspec" report bundle less.json --ics s.ini --key lab.key --cert lab.pem \
	-o less.bundle --force 2>/dev/null
says "one case that the statement requires is missing" 1 \
	"$case: required, but not run.*not verified: " "${verify[@]}" less.bundle
# Runs that were checked against no statement.
"$python" -c "
import json
run = json.load(open('a.json'))
del run['statement']
json.dump(run, open('plain.json', 'w'))
del run['claims']
json.dump(run, open('silent.json', 'w'))"
refuses "the statement is another file" "a.json: the run was checked against a statement" \
	"$warpspec" report bundle a.json --key lab.key --cert lab.pem -o none.bundle
"$warpspec" report bundle plain.json --key lab.key --cert lab.pem -o none.bundle
says "what nobody stated is what the agent claimed" 0 \
	'warning: the statement names neither maker.*required: [0-9]+ cases; .*none failed.*verified: ' \
	"${verify[@]}" none.bundle
refuses "nothing says what was due" "silent.json: the report does not have the claims" \
	"$warpspec" report bundle silent.json --key lab.key --cert lab.pem \
	-o silent.bundle

# REPORT: a case that failed there.
failed_case()
{
	"$python" -c "
import json, sys
print(next(c['id'] for c in json.load(open(sys.argv[1]))['cases']
           if c['verdict'] == 'fail'))" "$1"
}

# --- incorrect bundles ---------------------------------------------------

mutant=ignore_bad_crc
"$warpspec" ics --refdut=$mutant >m.ini
exits "a run that fails" 1 "${run[@]}" --refdut=$mutant --ics m.ini \
	--report json=m.json mpa/crc
"$warpspec" report bundle m.json --ics m.ini --key lab.key --cert lab.pem \
	-o m.bundle --force 2>/dev/null
says "a case that has failed" 1 'mpa/crc/[^:]*: required, but failed' \
	"${verify[@]}" m.bundle
tar -xOf m.bundle pctr.txt >pctr.txt
holds "its test report says so" pctr.txt 'Nonconformities were found'
exits "its page is no certificate" 1 "$warpspec" report certificate m.bundle \
	--ca ca.pem -o m.html
holds "its page is no certificate" m.html 'Test report: not conformant'
holds "its page has what was not met" m.html 'MPA-4.4-14 MUST<br>.*RFC 5044 s4.4'
holds "its page has what was seen" m.html 'due: .*the device ends the stream'
changed acquitted m.json acquitted.json
"$warpspec" report bundle acquitted.json --ics m.ini --key lab.key \
	--cert lab.pem -o acquitted.bundle --force 2>/dev/null
says "a verdict that is not what was found" 1 \
	'mpa/crc/[^:]*: pass, but MPA-4.4-[0-9]+ is reported as broken' \
	"${verify[@]}" acquitted.bundle
changed without m.json dropped.json "$(failed_case m.json)"
"$warpspec" report bundle dropped.json --ics m.ini --key lab.key \
	--cert lab.pem -o dropped.bundle --force 2>/dev/null
tar -xOf dropped.bundle pctr.txt >pctr.txt
dropped=$(failed_case m.json)
holds "a failed case is dropped" pctr.txt "^  yes  no   -       ${dropped#mpa/crc/}"
# A case that nobody required, and that failed all the same.
exits "a destructive case fails" 1 "${run[@]}" --refdut=reply_split_refused \
	--ics s.ini --destructive --report json=d.json \
	mpa/startup/reply_in_single_octets
"$warpspec" report bundle d.json --ics s.ini --key lab.key --cert lab.pem \
	-o d.bundle --force 2>/dev/null
says "what failed counts, required or not" 1 \
	'reply_in_single_octets: not required, but it ran and failed' \
	"${verify[@]}" d.bundle
tar -xOf d.bundle pctr.txt >pctr.txt
holds "its test report has it" pctr.txt '^  no   yes  fail    reply_in_single_octets'
holds "its test report counts it" pctr.txt 'Failed, not selected  *1'
exits "its page counts it" 1 "$warpspec" report certificate d.bundle --ca ca.pem \
	-o d.html
holds "its page counts it" d.html '<strong>1 more failed</strong>'
restated c.ini 'imm = yes' 'imm = no'
"${run[@]}" --refdut --ics c.ini --report json=c.json mpa/crc
"$warpspec" report bundle c.json --ics c.ini --key lab.key --cert lab.pem \
	-o c.bundle --force 2>/dev/null
says "a statement that is not of the device" 1 \
	"statement.ini: imm = no: the run's device claims yes" \
	"${verify[@]}" c.bundle
refuses "a statement that was changed after the run" \
	"checked against another statement" "$warpspec" report bundle a.json --ics c.ini \
	--key lab.key --cert lab.pem -o x

# --- keys, certificates, authorities -----------------------------------

refuses "another's certificate" "other.pem: this certificate does not belong to the key" \
	"$warpspec" report bundle plain.json --key lab.key --cert other.pem -o x
refuses "a key with a password" "locked.key: expected a private key in PEM, without a password" \
	"$warpspec" report bundle plain.json --key locked.key --cert lab.pem -o x
openssl req -x509 -newkey ed25519 -nodes -keyout ed.key -out ed.pem -days 30 \
	-subj /CN=ed 2>/dev/null
refuses "a key that CMS cannot use" "ed.key: a key of this kind cannot sign a bundle: use RSA or ECDSA" \
	"$warpspec" report bundle plain.json --key ed.key --cert ed.pem -o x
refuses "a certificate for a key" "lab.pem: expected a private key in PEM" \
	"$warpspec" report bundle plain.json --key lab.pem --cert lab.pem -o x
refuses "no key" "report bundle: --key is missing" \
	"$warpspec" report bundle a.json --cert lab.pem -o x
refuses "no report" "s.ini: " "$warpspec" report bundle s.ini --key lab.key \
	--cert lab.pem -o x
refuses "a key for an authority" "ca.key: expected a certificate in PEM" \
	"$warpspec" report verify a.bundle --ca ca.key
refuses "no authority" "report verify: --ca is missing" \
	"$warpspec" report verify a.bundle
refuses "no bundle there" "x: No such file" "${verify[@]}" x
refuses "a FIFO for a bundle" "fifo: " "${verify[@]}" fifo
refuses "a folder for a bundle" "opened: not a file, but a folder" "${verify[@]}" opened
refuses "a device for a bundle" "/dev/zero: " "${verify[@]}" /dev/zero
[[ -e x ]] && not_ok "what is refused leaves nothing" || ok "what is refused leaves nothing"
"$warpspec" report bundle a.json --ics s.ini --key lab.key --cert old.pem \
	-o old.bundle
says "a certificate that has expired" 1 \
	'signature: certificate of O = A Lab, CN = bench 3: certificate has expired' \
	"${verify[@]}" old.bundle
"$warpspec" report bundle a.json --ics s.ini --key lab.key --cert agree.pem \
	-o agree.bundle
says "a certificate that is for something else" 1 \
	"signature: the signer's certificate is not for signatures" \
	"${verify[@]}" agree.bundle

# --- changed bundles -----------------------------------------------------

# NAME REGEX CHANGE...: the change is found, and named.
found()
{
	local name=$1 regex=$2 change=$3
	shift 3
	changed "$change" a.bundle changed.bundle "$@"
	says "$name" 1 "$regex" "${verify[@]}" changed.bundle
}
found "a member removed" '^pctr.txt: missing' removed pctr.txt
found "a member added" 'run2.json: not in the manifest' added run.json run2.json
found "a member renamed, first line" 'run.json: missing' renamed run.json \
	run2.json
found "a member renamed, second line" 'run2.json: not in the manifest' \
	renamed run.json run2.json
found "results altered" '^run.json: altered' altered run.json
found "the statement altered" '^statement.ini: altered' altered statement.ini
found "the catalogue altered" '^catalogue.json: altered' altered catalogue.json
found "the manifest altered" 'signature: it does not match the manifest' altered \
	manifest.txt
mkdir repacked && tar -xf a.bundle -C repacked
tar -cf repacked.bundle -C repacked manifest.txt manifest.p7s catalogue.json \
	pctr.txt run.json statement.ini suite.json
says "packed again" 1 'octet [0-9]+ .*altered, or packed again by another program' \
	"${verify[@]}" repacked.bundle
head -c 100000 a.bundle >cut.bundle
says "cut short" 1 'bundle.*cut short|not a valid archive' "${verify[@]}" cut.bundle
says "no bundle at all" 1 '^not a bundle: not a tar archive' "${verify[@]}" s.ini
found "the signature altered" '^signature: ' altered manifest.p7s

# The same for captures, with a bundle that has some.
found_of()
{
	local name=$1 regex=$2 from=$3 change=$4
	shift 4
	changed "$change" "$from" changed.bundle "$@" ||
		not_ok "$name" "not changed"
	says "$name" 1 "$regex" "${verify[@]}" changed.bundle
}
second=$(tar -tf few.bundle | grep '^captures/' | sed -n 2p)
found_of "a capture altered" "^$member: altered" few.bundle altered "$member"
found_of "a capture removed" "^$member: missing" few.bundle removed "$member"
found_of "a capture added behind the end" \
	"$second: it is there twice|not in the order of names" few.bundle added "$member" "$second"
found_of "members in another order" "not in the order of names" a.bundle turned

found_of "captures swapped" "captures/[^:]*: altered.*captures/[^:]*: altered" \
	few.bundle exchanged
found_of "failed cases absolved" 'signature: it does not match the manifest' \
	m.bundle rewritten absolved
{ cat a.bundle && head -c 512 /dev/zero; } >longer.bundle
says "zeros behind the end" 1 'the end: 512 octets were added' \
	"${verify[@]}" longer.bundle

# Changes by the lab itself, which signs the bundle anew. NAME REGEX FROM
# CHANGE [KEY CERT [DIGEST]]
resealed()
{
	local name=$1 regex=$2 from=$3 change=$4
	shift 4
	[[ $# -gt 0 ]] || set -- lab.key lab.pem
	found_of "$name, signed anew" "$regex" "$from" resealed "$change" "$@"
}
changed resealed a.bundle changed.bundle same lab.key lab.pem
says "what is signed anew and not changed is verified" 0 "$verified" \
	"${verify[@]}" changed.bundle
resealed "captures swapped" "captures/.*: not the capture that the run wrote" \
	few.bundle swapped
resealed "a capture left out" "captures/[^:]*: (missing|not in)" few.bundle \
	forgotten
resealed "a capture of no case" "zz.pcapng: it belongs to no case" few.bundle \
	foreign
resealed "failed cases absolved" \
	'mpa/crc/[^:]*: pass, but MPA-4.4-[0-9]+ is reported as broken' m.bundle absolved
changed resealed a.bundle changed.bundle of_old lab.key lab.pem
says "an older suite in all members: a warning" 0 \
	'warning: the suite was version 0.0.9, older than this one.*verified: ' \
	"${verify[@]}" changed.bundle
says "an older suite, and a newer one is asked for" 1 \
	'suite.json: version 0.0.9; at least 0.1.0 is required' \
	"${verify[@]}" --suite-at-least 0.1.0 changed.bundle
resealed "the statement changed" \
	"the run was (held to|checked against) another|the run's device claims yes" \
	a.bundle stated
resealed "the test report changed" "pctr.txt: does not say what run.json does" \
	a.bundle failed
resealed "a verdict changed" "run.json: " a.bundle judged
resealed "another suite" "run.json: not of the suite that suite.json names" \
	a.bundle aged
resealed "a digest that is forged by now" \
	"expected the digest SHA-256, SHA-384 or SHA-512" a.bundle same lab.key lab.pem sha1
openssl req -x509 -newkey rsa:2048 -nodes -keyout self.key -out self.pem \
	-days 30 -subj "/O=A Lab/CN=bench 3" 2>openssl.err
resealed "a key of one's own by the lab's name" \
	"certificate of O = A Lab, CN = bench 3: self-signed certificate" a.bundle \
	same self.key self.pem

# A report that was changed before it was sealed.
changed counted a.json counted.json
refuses "totals that are not the cases'" "totals: pass: [0-9]+, but it has" \
	"$warpspec" report bundle counted.json --ics s.ini --key lab.key \
	--cert lab.pem -o x
changed ended m.json ended.json
says "an exit status that is not the run's" 1 \
	"exit_status: 0, but not every verdict is good.*not sealed" "$warpspec" \
	report bundle ended.json --ics m.ini --key lab.key --cert lab.pem -o x
restated firmware.ini 'firmware =' 'firmware = 1.0'
"${run[@]}" --refdut --ics firmware.ini --report json=firmware.json mpa/crc
changed renewed firmware.json renewed.json
says "a firmware that is not the statement's" 1 \
	"firmware = 1.0: the run's device is 9.9.*not sealed" \
	"$warpspec" report bundle renewed.json --ics firmware.ini --key lab.key \
	--cert lab.pem -o x
changed renamed-device a.json renamed.json
says "a device that is not the statement's" 1 \
	"name = built-in device: the run's device is another card.*not sealed" \
	"$warpspec" report bundle renamed.json --ics s.ini --key lab.key \
	--cert lab.pem -o x

mkdir flipped
changed flipped a.bundle flipped 24 >places
bad=0
while read -r file at owner before; do
	said=$(timeout 20 "${verify[@]}" "$file" 2>&1)
	status=$?
	[[ $owner == manifest.p7s ]] && owner="signature: |manifest.p7s"
	if [[ $status -eq 1 && $said =~ $owner|"after $before: not a valid archive"|"not a bundle: not a tar archive" ]]; then
		continue
	fi
	not_ok "octet $at, of ${owner}" "exit status $status: ${said:0:300}"
	bad=1
done <places
[[ $bad -eq 0 && -s places ]] &&
	ok "$(wc -l <places) octets altered, one at a time: each found and named"

# --- hostile bundles -----------------------------------------------------

mkdir hostile empty
changed hostile a.bundle hostile >names
while read -r name; do
	said=$(cd empty && timeout 20 "${verify[@]:0:3}" --ca ../ca.pem \
		"../hostile/$name" 2>&1)
	status=$?
	if [[ $status -ne 1 ]]; then
		not_ok "hostile: $name" "exit status $status: ${said:0:300}"
	elif [[ $(wc -l <<<"$said") -ne 2 || $said == *$'\e'* ||
		${said##*$'\n'} != "not verified: 1 objection" ]]; then
		not_ok "hostile: $name" "not one line: ${said:0:300}"
	else
		ok "hostile: $name: ${said%%$'\n'*}"
	fi
done <names
if [[ -e ../outside || -e outside || -e /tmp/outside || $(ls -A empty) ]]; then
	not_ok "nothing is written"
else
	ok "nothing is written"
fi

echo "bundle: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
