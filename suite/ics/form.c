/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "suite/ics/items.h"
#include "suite/req/req.h"

#define WIDTH 78

/* Words as lines of comment, the first after `mark`. */
static void comment(FILE *out, const char *mark, const char *text)
{
	size_t at = (size_t)fprintf(out, "; %s", mark);
	const char *apart = *mark ? " " : "";

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at + 1 + n > WIDTH && at > 6) {
			fputs("\n;    ", out);
			at = 5;
			apart = " ";
		}
		fprintf(out, "%s%.*s", apart, (int)n, text);
		at += strlen(apart) + n;
		apart = " ";
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

/* A device file's text is UTF-8; text after a blank and a semicolon would be a
 * comment, and text that does not fit on a line is left out. */
void ics_clean(char *to, size_t cap, const char *from)
{
	size_t n = 0;

	from += strspn(from, " \t");
	for (; *from && n + 1 < cap; from++)
		to[n++] = (unsigned char)*from < 0x20 ? ' '
			  : *from == ';'              ? ','
						      : *from;
	/* No half of a character. */
	while (*from && n && ((unsigned char)*from & 0xc0) == 0x80)
		from--, n--;
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
}

void ics_of(struct ics *s, const struct device *d, const struct agent_hello *h,
	    uint64_t features, const char *spec, const char *link)
{
	static const char *const crc[AGENT_CRCS] = {"asked", "always", "never"};
	static const struct {
		enum ics_text text;
		enum device_identity identity;
	} said[] = {{ICS_TEXT_MAKER, DEVICE_MAKER},
		    {ICS_TEXT_MODEL, DEVICE_MODEL},
		    {ICS_TEXT_SERIAL, DEVICE_SERIAL},
		    {ICS_TEXT_FIRMWARE, DEVICE_FIRMWARE},
		    {ICS_TEXT_DRIVER, DEVICE_DRIVER},
		    {ICS_TEXT_OPERATOR, DEVICE_OPERATOR}};

	*s = (struct ics){.yes = features};
	ics_clean(s->spec, sizeof(s->spec), spec);
	ics_clean(s->text[ICS_TEXT_NAME], ICS_VALUE, d->name);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		ics_clean(s->text[said[i].text], ICS_VALUE,
			  d->identity[said[i].identity]);
	for (unsigned i = 0; i < ICS_LIMITS; i++) {
		s->limit[i].most = ics_limit_of(h, (enum ics_limit)i);
		/* 0: not reported, except where 0 is a value. */
		s->limit[i].stated =
			s->limit[i].most || i == ICS_LIMIT_MAX_IRD ||
			i == ICS_LIMIT_MAX_ORD || i == ICS_LIMIT_MAX_PRIVATE;
	}
	strcpy(s->choice[ICS_CHOICE_CRC], crc[h->crc]);
	strcpy(s->choice[ICS_CHOICE_BYTE_ORDER],
	       h->big_endian ? "big" : "little");
	if (d->request.known)
		strcpy(s->choice[ICS_CHOICE_REQUEST],
		       d->request.rtr        ? "peer-to-peer"
		       : d->request.enhanced ? "enhanced"
					     : "plain");
	ics_clean(s->choice[ICS_CHOICE_LINK], sizeof(s->choice[0]), link);
	strcpy(s->choice[ICS_CHOICE_DESTRUCTIVE], "no");
}

static void take_claim(struct ics *s, const struct result_claim *c)
{
	const struct ics_item *item;

	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		if (strcmp(item->name, c->name) != 0)
			continue;
		if (item->kind == ICS_IS_FEATURE)
			s->yes |= UINT64_C(1) << item->index;
		if (item->kind != ICS_IS_LIMIT)
			continue;
		s->limit[item->index].stated = true;
		s->limit[item->index].most = strtoull(c->value, NULL, 10);
	}
}

void ics_of_run(struct ics *s, const struct run_result *run)
{
	const struct ics_item *item;

	*s = (struct ics){.yes = 0};
	ics_clean(s->spec, sizeof(s->spec), run->spec);
	ics_clean(s->text[ICS_TEXT_NAME], ICS_VALUE, run->device_name);
	for (size_t i = 0; (item = ics_item_at(i)); i++)
		for (size_t k = 0;
		     item->kind == ICS_IS_TEXT && k < run->identity_count; k++)
			if (strcmp(item->name, run->identity[k].name) == 0)
				ics_clean(s->text[item->index], ICS_VALUE,
					  run->identity[k].value);
	for (size_t i = 0; i < run->claim_count; i++)
		take_claim(s, &run->claims[i]);
	ics_clean(s->choice[ICS_CHOICE_LINK], sizeof(s->choice[0]), run->link);
	strcpy(s->choice[ICS_CHOICE_DESTRUCTIVE], "no");
}

static void put_item(const struct ics *s, const struct ics_item *item,
		     FILE *out)
{
	char rows[ICS_ROWS], about[ICS_ROWS + 256], mark[48] = "";

	ics_rows(item->rows, rows, sizeof(rows));
	snprintf(about, sizeof(about), "%s%s%s%s%s%s%s", item->text,
		 item->values ? " (" : "", item->values ? item->values : "",
		 item->values ? ")" : "", *rows ? " [" : "", rows,
		 *rows ? "]" : "");
	if (item->status)
		snprintf(mark, sizeof(mark), "%s  ", item->status);
	if (*about || *mark)
		comment(out, mark, about);
	fprintf(out, "%s =", item->name);
	switch (item->kind) {
	case ICS_IS_TEXT:
		if (*s->text[item->index])
			fprintf(out, " %s", s->text[item->index]);
		break;
	case ICS_IS_FEATURE:
		fputs(s->yes >> item->index & 1 ? " yes" : " no", out);
		break;
	case ICS_IS_LIMIT:
		if (s->limit[item->index].stated)
			fprintf(out, " %llu",
				(unsigned long long)s->limit[item->index].most);
		break;
	case ICS_IS_CHOICE:
		if (*s->choice[item->index])
			fprintf(out, " %s", s->choice[item->index]);
		break;
	}
	fputc('\n', out);
}

static void put_section(const struct ics *s, const char *name,
			const char *about, FILE *out)
{
	const struct ics_item *item;

	fprintf(out, "\n[%s]\n", name);
	if (*about)
		comment(out, "", about);
	for (size_t i = 0; (item = ics_item_at(i)); i++)
		if (strcmp(item->section, name) == 0)
			put_item(s, item, out);
}

static const char *stated_of(const struct ics *s, const char *id)
{
	for (size_t i = 0; i < s->open_count; i++)
		if (strcmp(s->open[i].requirement, id) == 0)
			return s->open[i].text;
	return "";
}

static void put_open(const struct ics *s, FILE *out)
{
	fputs("\n[choices]\n", out);
	comment(out, "",
		"Requirements that the RFCs leave open: what the "
		"implementation does, in its supplier's words, or nothing. "
		"Reports show it next to the observed choice.");
	for (size_t i = 0; i < REQ_COUNT; i++) {
		const struct req *r = &req_table[i];
		const char *stated = stated_of(s, r->id);

		if (r->kind != REQ_KIND_open)
			continue;
		comment(out, "", r->requirement);
		fprintf(out, "%s =%s%s\n", r->id, *stated ? " " : "", stated);
	}
}

bool ics_write(const struct ics *s, const char *impl, FILE *out)
{
	char line[256];

	comment(out, "",
		"Implementation Conformance Statement (ICS) of an iWARP "
		"implementation, in the words of X.296: a form that its "
		"supplier completes. warpspec-ics(5) says more.");
	fputs(";\n"
	      "; status   m mandatory; o optional; o.N at least one of those "
	      "of this N;\n"
	      ";          c conditional; x excluded; - a means of testing\n"
	      "; support  yes or no; a text or a number that is not known is "
	      "left empty\n",
	      out);
	if (*impl) {
		ics_clean(line, sizeof(line), impl);
		for (char *c = line; *c; c++)
			*c = (unsigned char)*c > 0x7e ? '?' : *c;
		fputs(";\n", out);
		comment(out, "The agent calls the device:", line);
	}
	fprintf(out,
		"\n[statement]\nform = %d\n"
		"; the RFCs that it implements: rfc7306, draft-10, draft-03 or "
		"draft-01\nspec = %s\n",
		ICS_VERSION, s->spec);
	const struct ics_item *item;

	for (size_t i = 0; (item = ics_item_at(i)); i++)
		if (strcmp(item->section, "statement") == 0)
			put_item(s, item, out);
	put_section(s, "supplier", "", out);
	put_section(s, "implementation", "", out);
	put_section(s, "features", "What it does, in both directions.", out);
	put_section(s, "limits", "", out);
	put_section(s, "options", "", out);
	put_section(s, "testing",
		    "Extra information for testing (IXIT): what the agent can "
		    "do, and how the suite is to be run.",
		    out);
	put_open(s, out);
	return fflush(out) == 0 && !ferror(out);
}
