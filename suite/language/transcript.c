/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/language/execution.h"

#define OCTETS_SHOWN 1024

static void dump(FILE *out, const uint8_t *octets, size_t n)
{
	size_t shown = n < OCTETS_SHOWN ? n : OCTETS_SHOWN;

	for (size_t at = 0; at < shown; at += 16) {
		fprintf(out, "      %04zx ", at);
		for (size_t i = at; i < at + 16 && i < shown; i++)
			fprintf(out, " %02x", octets[i]);
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "      ... %zu octets more\n", n - shown);
}

static const char *arrow(enum observe_kind kind)
{
	switch (kind) {
	case OBSERVE_STARTUP_SENT:
	case OBSERVE_FRAME_SENT:
	case OBSERVE_OCTETS_SENT:
	case OBSERVE_FIN_SENT:
	case OBSERVE_RESET_SENT:
		return "peer -> device";
	case OBSERVE_AGENT_ASKED:
		return "suite -> agent";
	case OBSERVE_AGENT_SAID:
		return "agent -> suite";
	default:
		return "device -> peer";
	}
}

static const char *what(struct test *t, const struct event *e)
{
	switch (e->kind) {
	case OBSERVE_STARTUP_SENT:
	case OBSERVE_STARTUP_SEEN:
		return test_format(t, "startup frame, %zu octets", e->n);
	case OBSERVE_FRAME_SENT:
	case OBSERVE_FRAME_SEEN:
		/* As meant; the octets follow as they came. */
		return test_format(
			t, "%s (FPDU of %zu octets)",
			test_frame_text(
				t, interpret_meant(&t->interpreter, e->frame)),
			e->n);
	case OBSERVE_OCTETS_SENT:
	case OBSERVE_OCTETS_SEEN:
		return test_format(t, "%zu octets that are no frame", e->n);
	case OBSERVE_FIN_SENT:
	case OBSERVE_FIN_SEEN:
		return "FIN";
	case OBSERVE_RESET_SENT:
	case OBSERVE_RESET_SEEN:
		return "RST";
	default:
		return e->text ? e->text : "";
	}
}

const char *transcript_text(struct test *t)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return "";
	for (const struct event *e = observe_first(t->bed->log); e;
	     e = e->next) {
		fprintf(out, "  %s", arrow(e->kind));
		if (t->streams > 1)
			fprintf(out, " [%u]", e->stream);
		fprintf(out, "  %s\n", what(t, e));
		dump(out, e->octets, e->n);
	}
	const char *kept = "";

	if (fclose(out) == 0)
		kept = test_format(t, "%s", text);
	free(text);
	return kept;
}
