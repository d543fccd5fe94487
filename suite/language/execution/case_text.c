/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of a case: what was due and what was seen, octets, frames, and what
 * the device has sent last.
 */
#include "suite/language/execution/execution.h"

#include "harness/wire/terminate_names.h"

const char *test_format(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *s = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
	return s;
}

void test_due(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->due = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
}

void test_seen(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->seen = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
}

const char *test_hex(struct test *t, const uint8_t *octets, size_t n,
		     size_t max)
{
	return arena_hex(&t->interpreter.arena, octets, n, max);
}

const char *test_frame_hex(struct test *t, const struct frame *f, size_t max)
{
	f = interpret_sent(&t->interpreter, f);
	return test_hex(t, f->octets, f->n, max);
}

/* A sign that its fields are not where they should be. */
static const char *read_as(struct test *t, const struct frame *f)
{
	const char *readings = interpret_text(&t->interpreter, f);

	return *readings ? test_format(t, " (reading %s)", readings) : "";
}

const char *test_terminate_text(struct test *t, unsigned layer, unsigned etype,
				unsigned code)
{
	struct terminate_names n = terminate_names(layer, etype, code);
	const char *words[] = {n.layer, n.etype,
			       n.code ? n.code : "not registered"};
	const char *text = "";

	for (size_t i = 0; i < 3; i++)
		if (words[i] && *words[i])
			text = test_format(t, "%s%s%s", text, *text ? ", " : "",
					   words[i]);
	return test_format(t, "%x/%x/%02x (%s)", layer, etype, code, text);
}

const char *test_frame_text(struct test *t, const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (f->seg.short_header)
		return test_format(t,
				   "a ULPDU of %u octets, too short for "
				   "its header",
				   f->fpdu->ulpdu_length);
	if (!d->tagged && d->opcode == RDMAP_TERMINATE) {
		struct rdmap_terminate term = case_terminate_of(f);

		return test_format(t, "a Terminate %s%s",
				   test_terminate_text(t, term.layer,
						       term.etype, term.code),
				   read_as(t, f));
	}
	const char *name = rdmap_opcode_name(d->opcode);
	const char *crc = f->crc_ok ? "" : ", its CRC not matching";
	size_t n = f->seg.payload_octets;
	const char *plural = n == 1 ? "" : "s";

	if (d->tagged)
		return test_format(t,
				   "%s, STag 0x%08x, TO 0x%llx, %zu octet%s of "
				   "payload%s%s%s",
				   name, d->stag, (unsigned long long)d->to, n,
				   plural, d->last ? "" : ", L=0", crc,
				   read_as(t, f));
	return test_format(t,
			   "%s, QN %u, MSN %u, MO %u, %zu octet%s of "
			   "payload%s%s%s",
			   name, d->qn, d->msn, d->mo, n, plural,
			   d->last ? "" : ", L=0", crc, read_as(t, f));
}

struct last_seen {
	const struct event *octets; /* a frame, or what is none */
	const struct event *end;    /* FIN or RST behind it */
};

static struct last_seen last_from_device(const struct test *t)
{
	struct last_seen last = {0};

	for (const struct event *e = observe_first(t->bed->log); e; e = e->next)
		switch (e->kind) {
		case OBSERVE_STARTUP_SEEN:
		case OBSERVE_FRAME_SEEN:
		case OBSERVE_OCTETS_SEEN:
			last = (struct last_seen){.octets = e};
			break;
		case OBSERVE_FIN_SEEN:
		case OBSERVE_RESET_SEEN:
			last.end = e;
			break;
		default:
			break;
		}
	return last;
}

const char *test_last_seen(struct test *t)
{
	enum { SHOWN = 96 };
	const struct last_seen last = last_from_device(t);
	const struct event *e = last.octets;
	const char *text = "nothing", *end = "";

	if (e)
		text = test_format(t, "%s [%s]",
				   e->kind == OBSERVE_STARTUP_SEEN
					   ? "a startup frame"
				   : e->frame ? test_frame_text(t, e->frame)
					      : "octets of no frame",
				   test_hex(t, e->octets, e->n, SHOWN));
	if (last.end)
		end = last.end->kind == OBSERVE_FIN_SEEN ? ", and then FIN"
							 : ", and then RST";
	return test_format(t, "the last from the device: %s%s", text, end);
}
