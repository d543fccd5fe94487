/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened on the wire as a ladder: the agent at the left, the suite's
 * peer in the middle, the device at the right, time downwards. It is a picture
 * of the list of events below it, which says the same in words.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/text/escape.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"

/* Units of the picture: about a pixel on a wide screen. */
enum {
	WIDTH = 1000,
	TOP = 44,
	STEP = 36,
	TIME_X = 96, /* right edge of the time */
	AGENT_X = 130,
	PEER_X = 420,
	DEVICE_X = 940,
	AGENT_CHARACTERS = 41, /* that fit between two lines */
	WIRE_CHARACTERS = 76,
	STREAMS = 4, /* that look different */
};

bool event_is_accused(const struct result *r, size_t i)
{
	if (r->events[i].mark_count)
		return true;
	for (size_t k = 0; k < r->line_count; k++)
		if (!r->lines[k].ok && !r->lines[k].consequence &&
		    r->lines[k].event == i + 1)
			return true;
	return false;
}

const char *event_way(const struct result_event *e)
{
	if (e->kind == EVENT_NOTE)
		return "note";
	if (e->kind == EVENT_AGENT)
		return e->from_device ? "agent to suite" : "suite to agent";
	return e->from_device ? "device to peer" : "peer to device";
}

static bool has_many_streams(const struct result *r)
{
	for (size_t i = 0; i < r->event_count; i++)
		if (r->events[i].stream)
			return true;
	return false;
}

static bool has_agent(const struct result *r)
{
	for (size_t i = 0; i < r->event_count; i++)
		if (r->events[i].kind == EVENT_AGENT)
			return true;
	return false;
}

/* As many characters of a text as fit. */
static void put_short(FILE *out, const char *text, size_t most)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_NONE);
	size_t n = 0, characters = 0;

	if (!clean)
		return;
	/* Continuation octets belong to the character. */
	for (; clean[n]; n++) {
		characters += ((unsigned char)clean[n] & 0xc0) != 0x80;
		if (characters == most + 1)
			break;
	}
	bool cut = clean[n] != '\0';

	while (cut && n && ((unsigned char)clean[--n] & 0xc0) == 0x80)
		;
	clean[n] = '\0';
	page_text(out, clean);
	if (cut)
		fputs("\xe2\x80\xa6", out);
	free(clean);
}

static void put_time(const struct result_event *e, int y, FILE *out)
{
	double ms = (double)e->at_ns / 1e6;

	fprintf(out, "<text class=t x=%d y=%d>%.*f %s</text>", TIME_X, y,
		ms < 1e6 ? 3 : 0, ms < 1e3 ? ms : ms / 1e3,
		ms < 1e3 ? "ms" : "s");
}

static void put_label(const struct result_event *e, bool many, bool accused,
		      int x, int y, size_t most, FILE *out)
{
	fprintf(out, "<text class=\"l%s\" x=%d y=%d>", accused ? " bad" : "", x,
		y);
	if (accused)
		fputs("\xe2\x9c\x97 ", out);
	if (many && e->kind != EVENT_AGENT)
		fprintf(out, "[%u] ", e->stream);
	put_short(out, e->text, most - (accused ? 2 : 0) - (many ? 4 : 0));
	fputs("</text>", out);
}

/* An arrow from x to x; it is cut off if the stream is reset. */
static void put_arrow(const struct result_event *e, bool accused, int from,
		      int to, int y, FILE *out)
{
	int back = to > from ? -1 : 1;

	fprintf(out, "<path class=\"a s%u%s%s\" d=\"M%d %dH%d\"/>",
		e->stream % STREAMS, accused ? " bad" : "",
		e->kind == EVENT_AGENT ? " g" : "", from, y, to + back * 8);
	if (e->kind == EVENT_RESET)
		fprintf(out,
			"<path class=\"x s%u\" d=\"M%d %dl10 10m0 -10l-10 "
			"10\"/>",
			e->stream % STREAMS, to + back * 12 - 5, y - 5);
	else
		fprintf(out,
			"<path class=\"h s%u%s%s\" d=\"M%d %dl%d -5v10z\"/>",
			e->stream % STREAMS, accused ? " bad" : "",
			e->kind == EVENT_AGENT ? " g" : "", to, y, back * 10);
}

static void put_event(const struct result *r, size_t i, bool many, FILE *out)
{
	const struct result_event *e = &r->events[i];
	bool accused = event_is_accused(r, i);
	int y = TOP + STEP * (int)(i + 1);
	bool agent = e->kind == EVENT_AGENT;
	int left = agent ? AGENT_X : PEER_X, right = agent ? PEER_X : DEVICE_X;
	/* The agent is on the left, the device on the right. */
	bool leftward = e->from_device != agent;

	fputs("<g><title>", out);
	page_put(out, "%z. %m: %s", i + 1, event_way(e), e->text);
	fputs("</title>", out);
	fprintf(out, "<text class=t x=24 y=%d>%zu</text>", y, i + 1);
	put_time(e, y, out);
	if (e->kind == EVENT_NOTE) {
		fprintf(out, "<rect class=n x=%d y=%d width=%d height=22 />",
			AGENT_X + 10, y - 16, DEVICE_X - AGENT_X - 20);
		put_label(e, many, accused, (AGENT_X + DEVICE_X) / 2, y,
			  AGENT_CHARACTERS + WIRE_CHARACTERS, out);
	} else {
		put_label(e, many, accused, (left + right) / 2, y - 7,
			  agent ? AGENT_CHARACTERS : WIRE_CHARACTERS, out);
		put_arrow(e, accused, leftward ? right : left,
			  leftward ? left : right, y, out);
	}
	fputs("</g>\n", out);
}

static void put_column(int x, const char *name, int bottom, FILE *out)
{
	fprintf(out,
		"<text class=c x=%d y=22>%s</text>"
		"<path class=r d=\"M%d 32V%d\"/>\n",
		x, name, x, bottom);
}

/* Streams differ in how their lines are drawn, not only in colour. */
static const char style[] =
	"<style>.t{font:11px ui-monospace,'DejaVu Sans Mono',monospace;"
	"fill:var(--dim);text-anchor:end}"
	".l{font:11px ui-monospace,'DejaVu Sans Mono',monospace;fill:var(--fg);"
	"text-anchor:middle}.l.bad{font-weight:700;fill:var(--bad)}"
	".c{font:700 14px system-ui,'DejaVu Sans',sans-serif;fill:var(--fg);"
	"text-anchor:middle}.r{stroke:var(--line);stroke-width:2}"
	".n{fill:var(--panel);stroke:var(--line)}"
	".a{stroke:var(--s0);stroke-width:1.6;fill:none}.h{fill:var(--s0)}"
	".x{stroke:var(--s0);stroke-width:2.2;fill:none}"
	".a.s1,.x.s1{stroke:var(--s1)}.a.s1{stroke-dasharray:10 4}"
	".a.s2,.x.s2{stroke:var(--s2)}.a.s2{stroke-dasharray:3 3}"
	".a.s3,.x.s3{stroke:var(--s3)}.a.s3{stroke-dasharray:12 3 3 3}"
	".h.s1{fill:var(--s1)}.h.s2{fill:var(--s2)}.h.s3{fill:var(--s3)}"
	".a.g{stroke:var(--dim);stroke-dasharray:2 4}.h.g{fill:var(--dim)}"
	".a.bad{stroke:var(--bad);stroke-width:3}.h.bad{fill:var(--bad)}"
	"</style>";

void ladder_put(const struct result *r, FILE *out)
{
	int bottom = TOP + STEP * (int)r->event_count + 16;
	bool many = has_many_streams(r);

	fputs("<figure><div class=wide tabindex=0 role=region "
	      "aria-label=\"Ladder of the case\">",
	      out);
	fprintf(out,
		"<svg class=ladder viewBox=\"0 0 %d %d\" width=%d role=img "
		"aria-labelledby=\"ladder-title ladder-text\" "
		"style=\"min-width:46rem\">",
		WIDTH, bottom + 4, WIDTH);
	page_put(out,
		 "<title id=ladder-title>Ladder of %s</title>"
		 "<desc id=ladder-text>%z events between the agent, the "
		 "suite's peer and the device, in their order. The list below "
		 "describes each event.</desc>\n%m",
		 r->id, r->event_count, style);
	if (has_agent(r))
		put_column(AGENT_X, "agent", bottom, out);
	put_column(PEER_X, "peer (the suite)", bottom, out);
	put_column(DEVICE_X, "device", bottom, out);
	for (size_t i = 0; i < r->event_count; i++)
		put_event(r, i, many, out);
	fputs("</svg></div>\n<figcaption class=dim>", out);
	if (many)
		fputs("[n] is the connection; each has a line of its own "
		      "kind. ",
		      out);
	fputs("\xe2\x9c\x97 and a thick line: the suite objects to part of it. "
	      "Times are since the case began.</figcaption></figure>\n",
	      out);
}
