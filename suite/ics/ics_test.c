/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/ics.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/ics/against.h"
#include "suite/ics/items.h"
#include "suite/req/req.h"

#define PATH       "lab/statement.ini"
#define BIT(ident) (UINT64_C(1) << AGENT_FEATURE_BIT_##ident)

/* A device with all features, except those that RFC 7306 removed. */
static struct device device;
static struct agent_hello hello;
static const uint64_t all =
	((UINT64_C(1) << AGENT_FEATURES) - 1) & ~(BIT(SWAP) | BIT(SCTP));

static void a_device(void)
{
	device_init(&device);
	strcpy(device.name, "a card; of \"many\" words");
	strcpy(device.identity[DEVICE_MAKER], "M\xc3\xbcller ; Sons");
	strcpy(device.identity[DEVICE_FIRMWARE], "1.2.3");
	hello = (struct agent_hello){.max_ird = 16,
				     .max_ord = 16,
				     .max_private = 512,
				     .max_message = UINT64_C(1) << 32};
}

static char *form_of(const struct ics *s)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	CU_ASSERT_TRUE(ics_write(s, "the agent's \x1b words", out));
	fclose(out);
	return text;
}

/* Of a device with these features, written and read again. */
static struct ics stated(uint64_t features)
{
	struct ics s, back;
	char why[512] = "";

	a_device();
	ics_of(&s, &device, &hello, features, "rfc7306", "socket");
	char *text = form_of(&s);

	CU_ASSERT_TRUE(
		ics_parse(&back, PATH, text, strlen(text), why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "");
	free(text);
	return back;
}

static void what_is_written_is_read(void)
{
	struct ics s = stated(all);

	CU_ASSERT_EQUAL(s.yes, all);
	CU_ASSERT_STRING_EQUAL(s.text[ICS_TEXT_NAME],
			       "a card, of \"many\" words");
	CU_ASSERT_STRING_EQUAL(s.text[ICS_TEXT_MAKER], "M\xc3\xbcller , Sons");
	CU_ASSERT_STRING_EQUAL(s.text[ICS_TEXT_FIRMWARE], "1.2.3");
	CU_ASSERT_STRING_EQUAL(s.spec, "rfc7306");
	CU_ASSERT_TRUE(s.limit[ICS_LIMIT_MAX_IRD].stated);
	CU_ASSERT_EQUAL(s.limit[ICS_LIMIT_MAX_IRD].most, 16);
	CU_ASSERT_EQUAL(s.limit[ICS_LIMIT_MAX_MESSAGE].most, UINT64_C(1) << 32);
	CU_ASSERT_FALSE(s.limit[ICS_LIMIT_MAX_POSTS].stated);
	CU_ASSERT_STRING_EQUAL(s.choice[ICS_CHOICE_CRC], "asked");
	CU_ASSERT_EQUAL(strlen(s.sha256), 64);
}

static void every_row_is_one(void)
{
	const struct ics_item *item;
	uint64_t seen = 0;

	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		for (const char *at = item->rows; *at;) {
			char id[40];
			size_t n = strcspn(at, " ");

			snprintf(id, sizeof(id), "%.*s", (int)n, at);
			if (!req_find(id))
				fprintf(stderr, "%s: no row %s\n", item->name,
					id);
			CU_ASSERT_PTR_NOT_NULL(req_find(id));
			at += n + (at[n] == ' ');
		}
		if (item->kind == ICS_IS_FEATURE)
			seen |= UINT64_C(1) << item->index;
		/* Each mandatory item has requirements behind it. */
		CU_ASSERT_TRUE(!item->status || *item->status != 'm' ||
			       *item->rows);
	}
	CU_ASSERT_EQUAL(seen, (UINT64_C(1) << AGENT_FEATURES) - 1);
	char rows[ICS_ROWS];

	ics_rows("RDMAP-4.1-24 RDMAP-4.1-25 MPA-4.3-01", rows, sizeof(rows));
	CU_ASSERT_STRING_EQUAL(rows, "RFC 5040 s4.1: RDMAP-4.1-24, "
				     "RDMAP-4.1-25; RFC 5044 s4.3: MPA-4.3-01");
}

/* The form with one thing replaced is refused, with this message. */
static void refused(const char *from, const char *to, const char *told)
{
	struct ics s, back;
	char why[512] = "", *changed = NULL;

	a_device();
	ics_of(&s, &device, &hello, all, "rfc7306", "socket");
	char *text = form_of(&s), *at = strstr(text, from);

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_TRUE(asprintf(&changed, "%.*s%s%s", (int)(at - text), text,
				to, at + strlen(from)) > 0);
	CU_ASSERT_FALSE(ics_parse(&back, PATH, changed, strlen(changed), why,
				  sizeof(why)));
	if (!strstr(why, told))
		fprintf(stderr, "due: %s\nsaid: %s\n", told, why);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, told));
	CU_ASSERT_EQUAL(strncmp(why, PATH ":", sizeof(PATH)), 0);
	free(changed);
	free(text);
}

static void what_is_none_is_refused(void)
{
	refused("\nsend = yes", "\nsend = maybe", "expected yes or no");
	refused("\nsend = yes", "\nsend =", "expected yes or no");
	refused("\nsend = yes", "",
		"[features] send is missing: expected yes or no");
	refused("\nsend = yes", "\nsend = yes\nsend = no",
		"already has a value for it");
	refused("\nsend = yes", "\nsent = yes", "did you mean send?");
	refused("max-ird = 16", "max-ird = -1", "expected a number");
	refused("max-ird = 16", "max-ird = 99999999999999999999",
		"expected a number");
	refused("form = 1", "form = 2", "expected 1");
	refused("form = 1", "", "form is missing");
	refused("spec = rfc7306", "spec = rfc5040", "expected rfc7306");
	refused("crc = asked", "crc = sometimes",
		"expected asked always never");
	refused("MPA-4.3-12 =", "MPA-4.3-01 =", "that is left open");
	refused("MPA-4.3-12 =", "MPA-4.3-99 =", "the id of a requirement");
	refused("[limits]", "[limit]", "is one of [limits]");
	refused("\nsend = yes", "\nsend = yes\ngarbage",
		"neither a [section] nor");
	refused("\nsend = yes", "\nsend = yes\x01", "statement.ini:");
}

static bool told(char *text, const char *what)
{
	bool yes = text && strstr(text, what);

	if (!yes)
		fprintf(stderr, "due: %s\nsaid: %s\n", what,
			text ? text : "nothing");
	free(text);
	return yes;
}

static void what_contradicts_itself(void)
{
	struct ics s = stated(all);

	CU_ASSERT_PTR_NULL(ics_against_itself(&s));
	s = stated(all & ~BIT(SEND_INV));
	CU_ASSERT_TRUE(told(ics_against_itself(&s),
			    "\n  send-inv = no: mandatory (RFC 5040 s4.1"));
	s = stated(all & ~BIT(MPA_V2));
	CU_ASSERT_TRUE(told(ics_against_itself(&s),
			    "  p2p without mpa-v2 (RFC 6581 s9.2"));
	s = stated(all & ~BIT(CMPSWAP));
	CU_ASSERT_TRUE(told(ics_against_itself(&s),
			    "fetchadd without cmpswap (RFC 7306 s5"));
	s = stated(all & ~BIT(MASKED_ATOMICS));
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "without masked-atomics"));
	s = stated(all | BIT(SWAP));
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "swap: excluded"));
	strcpy(s.spec, "draft-03");
	CU_ASSERT_PTR_NULL(ics_against_itself(&s));
	s = stated(all & ~(BIT(RESPONDER) | BIT(INITIATOR)));
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "neither responder nor"));
	s = stated(all);
	s.limit[ICS_LIMIT_MAX_PRIVATE].most = 513;
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "more than 512"));
	s.limit[ICS_LIMIT_MAX_PRIVATE].most = 0;
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "max-private = 0"));
	s = stated(all);
	strcpy(s.choice[ICS_CHOICE_CRC], "never");
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "CRCs are mandatory"));
	strcpy(s.choice[ICS_CHOICE_CRC], "always");
	CU_ASSERT_TRUE(told(ics_against_itself(&s), "and crc-off = yes"));
}

static void what_contradicts_the_device(void)
{
	struct ics s = stated(all);
	struct ics_run r = {.device = &device,
			    .hello = &hello,
			    .claims = all,
			    .spec = "rfc7306",
			    .link = "socket"};

	CU_ASSERT_PTR_NULL(ics_against_device(&s, &r));
	/* An empty item is not stated. */
	s.text[ICS_TEXT_MAKER][0] = '\0';
	strcpy(s.text[ICS_TEXT_MODEL], "X-1");
	CU_ASSERT_PTR_NULL(ics_against_device(&s, &r));
	strcpy(s.text[ICS_TEXT_FIRMWARE], "1.2.4");
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r),
			    "firmware = 1.2.4: the device's is 1.2.3"));
	s = stated(all);
	r.claims = all & ~BIT(IMM);
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r),
			    "imm = yes: the agent claims no"));
	r.claims = all | BIT(SCTP);
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r),
			    "sctp = no: the agent claims yes"));
	r.claims = all;
	hello.max_ird = 15;
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r),
			    "max-ird = 16: the agent reports 15"));
	hello.max_ird = 16;
	r.spec = "draft-03";
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r), "the run is of"));
	r.spec = "rfc7306";
	r.link = "raw";
	CU_ASSERT_TRUE(told(ics_against_device(&s, &r),
			    "link = socket: the run is over raw"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is written is read", what_is_written_is_read},
		{"every row is one", every_row_is_one},
		{"what is none is refused", what_is_none_is_refused},
		{"what contradicts itself", what_contradicts_itself},
		{"what contradicts the device", what_contradicts_the_device},
	};

	return unit_run("ics", tests, UNIT_COUNT(tests));
}
