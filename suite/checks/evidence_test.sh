#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# evidence_test.sh BUILD - tests what a case leaves behind (--evidence): for
# the requested cases, and the same with any number of jobs and from a journal;
# the octets that a line objects to, and the memory that it compared. Closes
# with the counts.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

schema=$(realpath "${0%/*}/../../reports/schema/schema_check.sh")
cd "$tmp" || exit 2

# NAME REPORT: the part of it that must not differ between two runs.
same_part()
{
	"$python" - "$2" <<'PY' >"$1"
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
for c in report["cases"]:
    e = c.get("evidence", {"events": [], "lines": []})
    # Leave out how a device cuts its messages, and how often it is asked.
    print(c["id"], *[(x["kind"], x["from_device"], x["stream"], x["octets"][32:40])
                     for x in e["events"] if x["kind"] == "startup"])
    print(*[(x["requirement"], x["ok"], "by_model" in x) for x in e["lines"]])
    print(*[(x["offset"], x.get("due"), x["line"]) for x in e.get("memory", [])])
PY
}

some=('mpa/crc/*' 'rdmap/fetchadd/*' 'ddp/untagged/*' 'mpa/enhanced/*')
exits "all" 0 "${run[@]}" --refdut --jobs 2 --evidence all --report json=all.json "${some[@]}"
report_holds "of all cases" all.json \
	'(all(("evidence" in c) == (c["verdict"] != "skip") for c in cases.values())
	and all(c["evidence"]["lines"] and all(x["ok"] for x in c["evidence"]["lines"])
		for c in cases.values() if c["verdict"] == "pass"))'
report_holds "a line is on the event that it is about" all.json \
	'(all(x["event"] < len(c["evidence"]["events"]) for c in cases.values() if "evidence" in c
		for x in c["evidence"]["lines"] if "event" in x)
	and sum("event" in x for c in cases.values() if "evidence" in c
		for x in c["evidence"]["lines"]) > 200)'
exits "none" 0 "${run[@]}" --refdut --evidence none --report json=none.json "${some[@]}"
report_holds "of none" none.json 'not any("evidence" in c for c in cases.values())'
if "$schema" all.json none.json 2>err; then
	ok "they fit their schema"
else
	not_ok "they fit their schema" "$(<err)"
fi
"${run[@]}" --refdut --jobs 16 --seed 7 --evidence all --report json=other.json \
	"${some[@]}" >/dev/null 2>&1
same_part one all.json
same_part two other.json
if [[ -s one ]] && cmp -s one two; then
	ok "the same at any number of jobs"
else
	not_ok "the same at any number of jobs" "$(diff one two | head -n 6)"
fi

# Of a fact: what came, and which part of it failed.
says "what came of a fact that does not hold" 1 \
	'if the[[:space:]]+layer is .*seen: a Terminate [0-9]/[0-9]/[4-9a-f][0-9a-f] .*\]:[[:space:]]+not[[:space:]]+a[[:space:]]+registered[[:space:]]+type' \
	"$warpspec" run --quiet --report text --refdut=terminate_codes_from_64_on rdmap/codes

# Of memory, the octets that differ and 8 beside them, however large the region.
says "of memory, only what differs" 1 \
	'seen: at octet 0 of the region: 68 65 6c 6c 6f( 00){8}[[:space:]]+[a-zA-Z]' \
	"${run[@]}" --report text --refdut=write_access_unchecked \
	ddp/protection/a_write_needs_the_right_to

fails=('mpa/crc/wrong_crc*' 'mpa/crc/a_damaged_length*' 'ddp/untagged/*')
exits "a fault" 1 "${run[@]}" --refdut=ignore_bad_crc --jobs 8 --journal one.journal \
	--report json=fails.json "${fails[@]}"
report_holds "of failures, unless said otherwise" fails.json \
	'(by["fail"] and by["pass"] and all(("evidence" in c) ==
		(c["verdict"] in ("fail", "warn", "blocked", "error")) for c in cases.values()))'
report_holds "each broken requirement is a line that did not hold" fails.json \
	'all(any(l["requirement"] == b["requirement"] and not l["ok"] for l in c["evidence"]["lines"])
		for c in cases.values() for b in c.get("broken", []))'
"${run[@]}" --refdut=ignore_bad_crc --resume one.journal --report json=again.json \
	"${fails[@]}" >/dev/null 2>&1
if "$python" - fails.json again.json <<'PY'
import json, sys
one, two = ([c.get("evidence") for c in json.load(open(p, encoding="utf-8"))["cases"]]
            for p in sys.argv[1:])
sys.exit(one != two or not any(one))
PY
then
	ok "out of a journal it is the same, in every octet"
else
	not_ok "out of a journal it is the same, in every octet"
fi

# MUTANT CASE EXPRESSION: over `marked`, the octets marked in that case, as
# (from, octets) in hex, and its evidence `e`.
marks()
{
	"${run[@]}" --refdut="$1" --report json=mutant.json "$2" >/dev/null 2>&1
	local said
	if said=$("$python" - mutant.json "$3" <<'PY' 2>&1
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    e = [c for c in json.load(f)["cases"] if "evidence" in c][0]["evidence"]
marked = {(m["from"], x["octets"][2 * m["from"]:2 * (m["from"] + m["octets"])])
          for x in e["events"] for m in x.get("marks", [])}
sys.exit(None if eval(f"({sys.argv[2]})") else f"{marked} {e.get('memory')}")
PY
	); then
		ok "the octets at fault: $1"
	else
		not_ok "the octets at fault: $1" "${said##*$'\n'}"
	fi
}

marks msn_starts_at_zero ddp/untagged/each_queue_starts_with_msn_one \
	'(12, "00000000") in marked'
marks pad_not_zero ddp/lengths/a_send_leaves_whole/1 '(21, "deadbe") in marked'
marks request_revision_zero mpa/startup/plain_request_is_revision_one \
	'(17, "00") in marked'
marks marker_pointer_from_ulpdu foundations/operations/a_message_with_markers_leaves \
	'(478, "01da") in marked'
marks reply_ord_above_ird foundations/startup/an_enhanced_responder_comes_up \
	'(22, "0010") in marked'
marks write_sent_as_read_response foundations/operations/a_posted_write_leaves \
	'(3, "42") in marked'
marks fetchadd_mask_ignored 'rdmap/fetchadd/a_carry_stops_at_the_lowest_mask_bit/0x100000001' \
	'e["memory"][0]["before"] == "0100000000000000" and e["memory"][0]["due"] == "00" * 8
	 and e["memory"][0]["after"] == "0200000000000000"'

# Octets that a device sends without end are bounded, and a cut text says so.
"${run[@]}" --refdut --evidence all --report json=large.json \
	'ddp/reassembly/a_large_write_is_placed' >/dev/null 2>&1
report_holds "of long events and of many the first part is kept" large.json \
	'all(len(json.dumps(c["evidence"])) < 120000 and any("of" in x for x in c["evidence"]["events"])
		for c in cases.values())'
# Sixteen octets without a CRC field: not an FPDU.
exits "octets that are no whole FPDU" 1 "${run[@]}" --refdut=crc_field_missing \
	--report json=part.json --report text=part.txt --report html=part \
	'foundations/startup/a_write_of_no_octets_leaves*'
report_holds "they are reported, with how many were due" part.json \
	'all("after 16 octets of an FPDU of 20, and no more: 00 0e" in
		" ".join(b["text"] for b in c["broken"])
		and any(e["kind"] == "octets" for e in c["evidence"]["events"])
		for c in cases.values() if c["verdict"] == "fail")'
if grep -q "16 octets of an FPDU" part.txt &&
	grep -q "16 octets of an FPDU" part/cases/*.html; then
	ok "so they are in text and pages"
else
	not_ok "so they are in text and pages" "$(<part.txt)"
fi
refuses "--evidence some" "--evidence some: expected all, failures or none" \
	"$warpspec" run --evidence some

echo "evidence: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
