/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/text/session_text.h"

static const char *name_of(struct test *t, uint16_t function)
{
	const char *name = session_function_name(function);

	return name ? name
		    : test_format(t,
				  "message of session control with "
				  "function code %u",
				  function);
}

const char *session_chunk_text(struct test *t, const struct model_chunk *c)
{
	const struct session_chunk *m = &c->session;

	if (!session_ppid_of_ddp(c->ppid))
		return test_format(t,
				   "a chunk of %zu octets with PPID %u, which "
				   "is not DDP's",
				   m->body_octets + SESSION_SSN_OCTETS,
				   c->ppid);
	if (m->cut)
		return test_format(
			t, "a chunk with PPID %u, too short for its type",
			c->ppid);
	if (!m->control)
		return test_format(t, "a DDP Segment, DDP-SSN %u, %zu octets",
				   m->ddp_ssn, m->body_octets);
	return test_format(t, "%s, DDP-SSN %u, %zu octets of private data",
			   name_of(t, m->function), m->ddp_ssn, m->body_octets);
}

/* The fault, the correct value, and what was seen: NULL, the chunk. */
static const struct {
	const char *wrong, *due, *field;
} faults[] = {
	[MODEL_SESSION_PPID] = {"its PPID is not one of DDP's", "PPID 16 or 17",
				"PPID"},
	[MODEL_SESSION_ORDERED] = {"it is not unordered", "U=1", "U"},
	[MODEL_SESSION_CUT] = {"it ends inside its fields",
			       "a DDP-SSN, and of session control a function "
			       "code",
			       "DDP-SSN"},
	[MODEL_SESSION_SSN] = {"its DDP-SSN is not the next one of its session",
			       NULL, "DDP-SSN"},
	[MODEL_SESSION_FUNCTION] = {"its function code is not one that the "
				    "device may use",
				    "function code 1 to 4, or of RFC 6581 5 "
				    "to 7",
				    "Function Code"},
	[MODEL_SESSION_PRIVATE] = {"it has more private data than it may", NULL,
				   "Private Data"},
	[MODEL_SESSION_WITH_DATA] = {"a Session Terminate has private data",
				     "none", "Private Data"},
	[MODEL_SESSION_SEQUENCE] = {"no legal sequence has it here",
				    "the next message of RFC 5043 s6.2 to s6.4",
				    "Function Code"},
	[MODEL_SESSION_MIXED] = {"plain and enhanced function codes are mixed",
				 "an answer of the Initiate's kind",
				 "Function Code"},
	[MODEL_SESSION_UNASKED] = {"no ULP has requested a Reject",
				   "a Session Accept, or a Session Terminate",
				   "Function Code"},
	[MODEL_SESSION_AFTER_END] =
		{"its session, or its half of it, has ended", "nothing more",
		 NULL},
};

const char *session_fault_field(enum model_session_fault fault)
{
	return faults[fault].field;
}

static const char *due_of(struct test *t, const struct model_session_verdict *v)
{
	if (v->fault == MODEL_SESSION_SSN)
		return test_format(t, "DDP-SSN %llu",
				   (unsigned long long)v->due);
	if (v->fault == MODEL_SESSION_PRIVATE)
		return test_format(t, "at most %llu octets",
				   (unsigned long long)v->due);
	return faults[v->fault].due;
}

const char *session_fault_words(struct test *t,
				const struct model_session_verdict *v,
				const struct model_chunk *c)
{
	return test_format(t, "%s\ndue:  %s\nseen: %s", faults[v->fault].wrong,
			   due_of(t, v), session_chunk_text(t, c));
}

const char *session_fault_text(struct test *t,
			       const struct model_session_verdict *v,
			       const struct model_chunk *c)
{
	return test_format(t, "of a chunk: %s", session_fault_words(t, v, c));
}
