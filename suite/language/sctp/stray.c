/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of the device that belong to no session of DDP at all. A case that
 * counts chunks, or awaits the next one, meets them in the place of those that
 * it is about.
 */
#include <string.h>

#include "suite/language/execution/chunks.h"
#include "suite/language/text/session_text.h"

static struct model_chunk chunk_of(const struct dut_chunk *c)
{
	struct model_chunk m = {.ppid = c->ppid, .ordered = !c->unordered};

	session_decode(&m.session, c->ppid == SESSION_PPID_CONTROL, c->octets,
		       c->n < CHUNK_OCTETS_KEPT ? c->n : CHUNK_OCTETS_KEPT);
	return m;
}

/* Of a fragment, the first one alone has a function code. */
static struct model_session_verdict verdict_on(const struct dut_chunk *c)
{
	struct model_session_verdict v = {.fault = MODEL_SESSION_RIGHT};
	bool control = c->ppid == SESSION_PPID_CONTROL;

	if (!c->first)
		return v;
	if (!control && c->ppid != SESSION_PPID_SEGMENT) {
		v.fault = MODEL_SESSION_PPID;
		v.req = SCTPX_5_1_03.index;
	} else if (control && c->n >= SESSION_CONTROL_OCTETS &&
		   (c->function < SESSION_INITIATE ||
		    c->function > SESSION_ENHANCED_REJECT)) {
		v.fault = MODEL_SESSION_FUNCTION;
		v.req = IANA_3_5_03.index;
	}
	return v;
}

/* It takes the place of a chunk of the session: by its number. */
static bool is_in_its_place(const struct seen_association *a,
			    const struct dut_chunk *stray)
{
	unsigned next = 0;

	for (const struct dut_chunk *c = a->chunk; c < stray; c++)
		if (c->stream == stray->stream)
			next = (c->ddp_ssn + 1) & 0xffff;
	return stray->ddp_ssn == next;
}

/* What a chunk is, is judged by these rows too, and it is their chunk. */
static bool is_about_it(unsigned short req, unsigned short row, bool in_place)
{
	static const struct req_must *const ppids[] = {&SCTPX_5_2_01,
						       &SCTPX_5_2_02};
	static const struct req_must *const codes[] = {
		&SCTPX_5_2_01,    &SCTPX_5_2_02,    &SCTPX_5_2_3_01,
		&SCTPX_5_2_3_02,  &SCTPX_5_2_3_03,  &SCTPX_5_2_3_04,
		&SCTPX_6_5_01,    &SCTPX_6581_7_01, &SCTPX_6581_7_02,
		&SCTPX_6581_7_03, &SCTPX_6581_7_07,
	};
	bool of_code = row == IANA_3_5_03.index;
	const struct req_must *const *rows = of_code ? codes : ppids;
	size_t n = of_code ? sizeof(codes) / sizeof(codes[0])
			   : sizeof(ppids) / sizeof(ppids[0]);

	if (req == row)
		return true;
	for (size_t i = 0; in_place && i < n; i++)
		if (rows[i]->index == req)
			return true;
	return false;
}

static const struct dut_chunk *first_stray(const struct chunk_log *l,
					   const struct seen_association **of)
{
	for (const struct seen_association *a = l->latest; a; a = a->next)
		for (size_t i = 0; i < a->count; i++)
			if (verdict_on(&a->chunk[i]).fault) {
				*of = a;
				return &a->chunk[i];
			}
	return NULL;
}

bool stray_explains(struct test *t, unsigned short req)
{
	const struct seen_association *a = NULL;
	const struct dut_chunk *c;

	if (!t->chunks || strcmp(req_table[req].layer, "SCTP") != 0 ||
	    !(c = first_stray(t->chunks, &a)))
		return false;
	struct model_session_verdict v = verdict_on(c);

	if (is_about_it(req, v.req, is_in_its_place(a, c)))
		return false;
	if (!t->chunks->stray_is_judged) {
		const struct model_chunk m = chunk_of(c);

		t->chunks->stray_is_judged = true;
		test_judge(t, v.req, false, true,
			   session_fault_text(t, &v, &m));
	}
	return true;
}
