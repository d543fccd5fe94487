/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of the device that belong to no session of DDP at all. A case that
 * counts chunks, or awaits the next one, meets them in the place of those that
 * it is about.
 */
#include "suite/language/execution/chunks.h"

/* The same requirement is behind every chunk of a kind. */
static unsigned short row_of(const struct dut_chunk *c)
{
	/* Of a fragment, the first one alone has a function code. */
	if (!c->first)
		return 0;
	if (c->ppid != SESSION_PPID_SEGMENT && c->ppid != SESSION_PPID_CONTROL)
		return SCTPX_5_1_03.index;
	if (c->ppid == SESSION_PPID_CONTROL && c->n >= SESSION_CONTROL_OCTETS &&
	    !session_function_name((uint16_t)c->function))
		return IANA_3_5_03.index;
	return 0;
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
			if (row_of(&a->chunk[i])) {
				*of = a;
				return &a->chunk[i];
			}
	return NULL;
}

bool stray_explains(struct test *t, unsigned short req)
{
	const struct seen_association *a = NULL;
	const struct dut_chunk *c =
		t->chunks ? first_stray(t->chunks, &a) : NULL;
	unsigned short row = c ? row_of(c) : 0;

	if (!c || is_about_it(req, row, is_in_its_place(a, c)))
		return false;
	if (!t->chunks->stray_is_judged) {
		t->chunks->stray_is_judged = true;
		test_judge(t, row, false, true,
			   test_format(t, "of a chunk: %s\ndue:  %s\nseen: %s",
				       row == IANA_3_5_03.index
					       ? "its function code is not "
						 "registered"
					       : "its PPID is not one of DDP's",
				       row == IANA_3_5_03.index
					       ? "function code 1 to 7"
					       : "PPID 16 or 17",
				       chunk_text(t, c)));
	}
	return true;
}
