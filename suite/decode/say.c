/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/decode/say.h"

#include <ctype.h>
#include <string.h>

#define WIDTH         80
#define VALUE_AT      49 /* the column in which values begin */
#define OCTETS_BESIDE 4u
#define DUMPED                                                                 \
	512u /* octets of one field, and of octets that are not a
			    * frame */

static const char bold[] = "\033[1m", red[] = "\033[31m", faint[] = "\033[2m",
		  plain[] = "\033[0m";

static const char *in(bool colour, const char *code)
{
	return colour ? code : "";
}

/* --- fields ------------------------------------------------------------------ */

static void dump(const uint8_t *octets, size_t from, size_t n, FILE *out)
{
	size_t shown = n < DUMPED ? n : DUMPED;

	for (size_t at = 0; at < shown; at += 16) {
		size_t end = at + 16 < shown ? at + 16 : shown;

		fprintf(out, "      %04zx ", from + at);
		for (size_t i = at; i < at + 16; i++)
			if (i < end)
				fprintf(out, " %02x", octets[from + i]);
			else
				fputs("   ", out);
		fputs("  ", out);
		for (size_t i = at; i < end; i++)
			fputc(isprint(octets[from + i]) ? octets[from + i]
							: '.',
			      out);
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "      ... %zu octets more\n", n - shown);
}

/* The bits of one octet, ".10....."; or up to four octets in hex. */
static void put_octets(const struct decoded *d, const struct field *f,
		       FILE *out)
{
	char text[16] = "";
	size_t n = 0;

	if (f->bits && f->octets == 1) {
		for (unsigned i = 0; i < 8; i++) {
			bool set = d->octets[f->at] >> (7 - i) & 1;
			bool ours =
				i >= f->first_bit && i < f->first_bit + f->bits;

			text[i] = ours ? (set ? '1' : '0') : '.';
		}
	} else {
		for (size_t i = 0; i < f->span && i < OCTETS_BESIDE; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%02x", i ? " " : "",
					      d->octets[f->at + i]);
		if (f->span > OCTETS_BESIDE)
			memcpy(text + 9, "..", 3);
	}
	fprintf(out, "%-11s", text);
}

/* A value that does not fit next to its name goes below it. */
static void put_value(const struct field *f, bool colour, FILE *out)
{
	char value[FIELD_TEXT], due[FIELD_TEXT], more[128];
	bool wrong = f->is_wrong || f->cut;
	struct field should = *f;

	field_value_text(f, value);
	should.value = f->due;
	field_value_text(&should, due);
	snprintf(more, sizeof(more), "%s%s%s%s",
		 f->cut ? "cut off here" : f->means,
		 f->is_wrong && *f->means ? "; " : "",
		 f->is_wrong ? "due: " : "", f->is_wrong ? due : "");
	fprintf(out, "%s%s", in(colour && wrong, red), value);
	if (*more &&
	    VALUE_AT + strlen(value) + strlen(", ") + strlen(more) > WIDTH)
		fprintf(out, "\n%*s%s", VALUE_AT, "", more);
	else if (*more)
		fprintf(out, ", %s", more);
	fprintf(out, "%s\n", in(colour && wrong, plain));
}

static void put_heading(const struct field *f, bool colour, FILE *out)
{
	const char *part = f->part == FIELD_OF_NOBODY
				   ? "octets after the last field"
				   : field_part_name(f->part);

	fprintf(out, "  %s%s%s%s%s\n", in(colour, faint), part,
		*f->section ? ", " : "", f->section, in(colour, plain));
}

static void put_fields(const struct decoded *d, bool colour, FILE *out)
{
	static struct field list[FIELDS_MAX];
	size_t n = frame_fields(d, list, FIELDS_MAX);

	for (size_t i = 0; i < n; i++) {
		const struct field *f = &list[i];

		if (!i || f->part != list[i - 1].part ||
		    strcmp(f->section, list[i - 1].section) != 0)
			put_heading(f, colour, out);
		fprintf(out, "  %4zu  ", f->at);
		put_octets(d, f, out);
		fprintf(out, "  %-27s ", f->name);
		put_value(f, colour, out);
		if (f->form == FIELD_OCTETS && f->span > OCTETS_BESIDE)
			dump(d->octets, f->at, f->span, out);
	}
}

/* --- frames -------------------------------------------------------------------- */

void say_flow(const struct captured *c, const struct decoded *d, bool colour,
	      FILE *out)
{
	const struct captured_flow *f =
		d->kind == DECODED_CHUNK ? NULL : &c->flows[d->flow];
	char end[2][LINK_END_TEXT];

	for (unsigned i = 0; i < 2; i++)
		link_end_text(&d->end[i], end[i]);
	fprintf(out, "%s%s -> %s%s%s\n", in(colour, bold), end[0], end[1],
		f ? "" : ", SCTP", in(colour, plain));
	for (unsigned i = 0; f && i < 2; i++)
		if (f->from[i].lost)
			fprintf(out,
				"%s%zu octets of %s follow a gap, and are left "
				"out%s\n",
				in(colour, red), f->from[i].lost, end[i],
				in(colour, plain));
}

void say_frame(const struct decoded *d, bool colour, FILE *out)
{
	if (d->packet)
		fprintf(out, "\n%spacket %u %s ", in(colour, bold), d->packet,
			d->from ? "<-" : "->");
	else
		fprintf(out, "\n%s", in(colour, bold));
	if (d->kind == DECODED_CHUNK)
		fprintf(out, "stream %u: %s%s\n", d->stream, d->title,
			in(colour, plain));
	else
		fprintf(out, "octet %zu: %s%s\n", d->at, d->title,
			in(colour, plain));
	if (*d->why)
		fprintf(out, "  %snot a frame: %s%s\n", in(colour, red), d->why,
			in(colour, plain));
	put_fields(d, colour, out);
	if (d->kind == DECODED_OCTETS)
		dump(d->octets, 0, d->n, out);
}
