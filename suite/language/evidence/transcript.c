/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/evidence/transcript.h"

static void dump(FILE *out, const struct result_event *e)
{
	for (size_t at = 0; at < e->kept; at += 16) {
		fprintf(out, "      %04zx ", at);
		for (size_t i = at; i < at + 16 && i < e->kept; i++)
			fprintf(out, " %02x", e->octets[i]);
		fputc('\n', out);
	}
	if (e->kept < e->n)
		fprintf(out, "      ... %zu octets more\n", e->n - e->kept);
}

static const char *arrow(const struct result_event *e)
{
	if (e->kind == EVENT_AGENT)
		return e->from_device ? "agent -> suite" : "suite -> agent";
	if (e->kind == EVENT_NOTE)
		return "note";
	return e->from_device ? "device -> peer" : "peer -> device";
}

void transcript_print(const struct result *r, FILE *out)
{
	bool several = false;

	for (size_t i = 0; i < r->event_count; i++)
		several |= r->events[i].stream > 0;
	for (size_t i = 0; i < r->event_count; i++) {
		const struct result_event *e = &r->events[i];

		fprintf(out, "  %s", arrow(e));
		if (several)
			fprintf(out, " [%u]", e->stream);
		fprintf(out, "  %s\n", e->text);
		dump(out, e);
	}
}
