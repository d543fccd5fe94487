/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/deviations/deviations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/unit.h"

static char path[] = "/tmp/warpspec-deviations-XXXXXX";
static char why[512];
static struct deviations_written written;

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static struct deviations *load(const char *text)
{
	put(text);
	why[0] = '\0';
	return deviations_load(path, false, NULL, 0, why, sizeof(why));
}

static struct result failed(const char *id, const char *signature)
{
	return (struct result){.id = id,
			       .verdict = VERDICT_FAIL,
			       .signature = signature,
			       .reason = ""};
}

/* The first stale entry goes to why. */
static size_t apply(struct deviations *d, struct result *r, size_t n,
		    time_t now)
{
	const struct result_stale *stale;
	size_t count = deviations_apply(d, r, n, now, &stale);

	why[0] = '\0';
	for (size_t i = 0; i < count; i++)
		snprintf(why + strlen(why), sizeof(why) - strlen(why), "%s\n",
			 stale[i].text);
	return count;
}

/* No cases are linked here, so that every glob matches none: cli_test.sh tests
 * the staleness that needs a registry, with the whole program. */
static void a_listed_failure_is_expected(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/crc/*\nsignature = MPA-4.4-14\n"
		     "reason = no checksum\n");
	struct result r[] = {
		failed("mpa/crc/a", "MPA-4.4-14"),
		failed("mpa/crc/b", "MPA-4.4-14 MPA-8-02"),
		failed("ddp/header/c", "MPA-4.4-14"),
	};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	apply(d, r, UNIT_COUNT(r), 0);
	CU_ASSERT_EQUAL(r[0].verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r[0].reason, "no checksum");
	CU_ASSERT_EQUAL(r[1].verdict, VERDICT_FAIL);
	CU_ASSERT_EQUAL(r[2].verdict, VERDICT_FAIL);
	deviations_free(d);
}

static void an_expired_entry_excuses_nothing(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/crc/*\nsignature = MPA-4.4-14\n"
		     "reason = x\nexpires = 2026-01-31\n");
	time_t before = 1769817600; /* 2026-01-31 */
	time_t after = before + 86400;
	struct result r = failed("mpa/crc/a", "MPA-4.4-14");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, &r, 1, after), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "has expired"));
	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	apply(d, &r, 1, before);
	CU_ASSERT_EQUAL(r.verdict, VERDICT_XFAIL);
	deviations_free(d);
}

static void wrong_files_are_refused(void)
{
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\nsignature = X\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(why, "case = a: case, signature and reason"));
	CU_ASSERT_PTR_NULL(
		load("[deviation]\ncase = a\nsignature = X\nreason = y\n"
		     "expires = soon\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":5: [deviation] expires = soon"));
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\nwhatever = X\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":3: [deviation] whatever"));
	CU_ASSERT_PTR_NULL(load("[deviation]\nsignature = X\nreason = y\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "case = : case, signature and"));
	/* An unterminated entry does not run into the next one. */
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\n[deviation]\ncase = b\n"
				"signature = X\nreason = y\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "case = a: "));
	CU_ASSERT_PTR_NULL(load("[other]\ncase = a\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":2: [other] case"));
	CU_ASSERT_PTR_NULL(deviations_load("/nowhere/at-all", false, NULL, 0,
					   why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "/nowhere/at-all: No such"));
}

static void entries_of_one_case_add_up(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/crc/a\n\tmpa/crc/b\n"
		     "\tmpa/crc/c mpa/crc/d\n"
		     "signature = MPA-8-02\nreason = no Terminate\n"
		     "[deviation]\ncase = mpa/crc/b mpa/crc/d\n"
		     "signature = MPA-4.4-14\nreason = no checksum\n");
	struct result r[] = {
		failed("mpa/crc/a", "MPA-8-02"),
		failed("mpa/crc/b", "MPA-4.4-14 MPA-8-02"),
		failed("mpa/crc/c", "MPA-4.4-14 MPA-8-02"),
		failed("mpa/crc/d", "MPA-4.4-14"),
	};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	apply(d, r, UNIT_COUNT(r), 0);
	CU_ASSERT_EQUAL(r[0].verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r[0].reason, "no Terminate");
	CU_ASSERT_EQUAL(r[1].verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r[1].reason, "no checksum; no Terminate");
	/* More is broken than listed. */
	CU_ASSERT_EQUAL(r[2].verdict, VERDICT_FAIL);
	/* Everything broken is explained, though not everything listed is
	 * broken. */
	CU_ASSERT_EQUAL(r[3].verdict, VERDICT_XFAIL);
	deviations_free(d);
}

static void an_update_keeps_what_holds(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/crc/*\nsignature = OLD\n"
		     "reason = because\nreference = bug 1\n");
	struct result r[] = {
		failed("mpa/crc/a", "OLD"),
		failed("mpa/crc/d", "NEW OLD"),
		failed("ddp/header/c", "NEW"),
		{.id = "mpa/crc/b", .verdict = VERDICT_PASS, .signature = ""},
	};
	char text[512];

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_TRUE(deviations_update(d, path, r, UNIT_COUNT(r), &written,
					 why, sizeof(why)));
	CU_ASSERT_EQUAL(written.changed, 1);
	CU_ASSERT_EQUAL(written.added, 1);
	CU_ASSERT_EQUAL(written.kept + written.removed, 0);
	deviations_free(d);
	FILE *f = fopen(path, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	CU_ASSERT_STRING_EQUAL(
		text, "; Known deviations of a device: man 5 "
		      "warpspec-deviations. --update-deviations writes them "
		      "anew.\n\n"
		      "[deviation]\ncase = mpa/crc/a\n\tmpa/crc/d\n"
		      "signature = OLD\nreason = because\n"
		      "reference = bug 1\n\n"
		      "[deviation]\ncase = mpa/crc/d\n\tddp/header/c\n"
		      "signature = NEW\nreason = not yet explained\n\n");
	d = deviations_load(path, false, NULL, 0, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	apply(d, r, UNIT_COUNT(r), 0);
	CU_ASSERT_EQUAL(r[0].verdict, VERDICT_XFAIL);
	CU_ASSERT_EQUAL(r[1].verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r[1].reason, "not yet explained; because");
	CU_ASSERT_EQUAL(r[2].verdict, VERDICT_XFAIL);
	CU_ASSERT_EQUAL(r[3].verdict, VERDICT_PASS);
	deviations_free(d);
}

static void an_update_keeps_comments(void)
{
	struct deviations *d =
		load("; Known deviations; see --deviations.\n"
		     "# of the card in slot 3\n\n"
		     "; the engine is off\n[deviation]\n"
		     "case = mpa/crc/a ; in both roles\n"
		     "; as they told us\nsignature = OLD\nreason = because\n\n"
		     "; fixed in 1.3\n[deviation]\ncase = mpa/crc/b\n"
		     "signature = OLD\nreason = because\n"
		     "; that is all");
	struct result r[] = {
		failed("mpa/crc/a", "OLD"),
		{.id = "mpa/crc/b", .verdict = VERDICT_PASS, .signature = ""},
	};
	char text[512];

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_TRUE(deviations_update(d, path, r, UNIT_COUNT(r), &written,
					 why, sizeof(why)));
	CU_ASSERT_EQUAL(written.kept, 1);
	CU_ASSERT_EQUAL(written.removed, 1);
	CU_ASSERT_EQUAL(written.changed + written.added, 0);
	deviations_free(d);
	for (unsigned twice = 0; twice < 2; twice++) {
		FILE *f = fopen(path, "r");

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
		CU_ASSERT_STRING_EQUAL(
			text,
			"; Known deviations of a device: man 5 "
			"warpspec-deviations. --update-deviations writes them "
			"anew.\n\n"
			"# of the card in slot 3\n\n"
			"; the engine is off\n; in both roles\n"
			"; as they told us\n[deviation]\ncase = mpa/crc/a\n"
			"signature = OLD\nreason = because\n\n"
			"; that is all\n");
		d = deviations_load(path, false, NULL, 0, why, sizeof(why));
		CU_ASSERT_PTR_NOT_NULL_FATAL(d);
		CU_ASSERT_TRUE(deviations_update(d, path, r, UNIT_COUNT(r),
						 &written, why, sizeof(why)));
		CU_ASSERT_EQUAL(written.kept, 1);
		deviations_free(d);
	}
}

static void what_happens_by_chance_is_not_stale(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/a mpa/b\n"
		     "signature = device-crashed\nreason = a race\n"
		     "sometimes = yes\n"
		     "[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		     "reason = no Terminate\n");
	struct result r[] = {
		failed("mpa/a", "device-crashed"),
		{.id = "mpa/b",
		 .verdict = VERDICT_PASS,
		 .signature = "",
		 .reason = ""},
	};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	/* No case is linked here: only that is reported. */
	apply(d, r, UNIT_COUNT(r), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "matches no case"));
	CU_ASSERT_PTR_NULL(strstr(why, "new way"));
	CU_ASSERT_EQUAL(r[0].verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r[0].reason, "a race");
	CU_ASSERT_EQUAL(r[1].verdict, VERDICT_PASS);
	CU_ASSERT_STRING_EQUAL(deviations_crash(d, "mpa/b", 0), "a race");
	CU_ASSERT_PTR_NULL(deviations_crash(d, "mpa/c", 0));
	deviations_free(d);
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\nsometimes = no\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "sometimes = yes"));
}

/* Longer than one line of a file that libinih reads. */
static void long_values_survive(void)
{
	static const char id[] =
		"rdmap/a_file_of_cases/a_case_that_takes_a_whole_line_to_name/"
		"and_a_row_of_it_that_is_as_long@initiator";
	char signature[400] = "MPA-4.4-14";
	struct deviations *d =
		deviations_load("/nowhere", true, NULL, 0, why, sizeof(why));

	for (unsigned i = 0; i < 25; i++)
		strcat(signature, " RDMAPX-5.1-01");
	struct result r = failed(id, signature);

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_TRUE(
		deviations_update(d, path, &r, 1, &written, why, sizeof(why)));
	deviations_free(d);
	d = deviations_load(path, false, NULL, 0, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	apply(d, &r, 1, 0);
	CU_ASSERT_EQUAL(r.verdict, VERDICT_XFAIL);
	deviations_free(d);
}

static void an_update_that_fails_leaves_the_file(void)
{
	struct deviations *d =
		load("[deviation]\ncase = a\nsignature = X\nreason = y\n");
	struct result r = failed("b", "Z");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_FALSE(deviations_update(d, "/nowhere/at-all", &r, 1, &written,
					  why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "/nowhere/at-all"));
	deviations_free(d);
}

/* Values read in several lines are written in the same way, and read again. */
static void a_long_signature_is_read_back(void)
{
	static const char *const ids[] = {"mpa/crc/a"};
	static const char long_one[] =
		"MPA-4.4-01 MPA-4.4-02 MPA-4.4-03 MPA-4.4-04 MPA-4.4-05 "
		"MPA-4.4-06 MPA-4.4-07 MPA-4.4-08 MPA-4.4-09 MPA-4.4-10 "
		"MPA-4.4-11 MPA-4.4-12 MPA-4.4-13 MPA-4.4-14 MPA-4.4-15 "
		"MPA-4.4-16 MPA-4.4-17 MPA-4.4-18 MPA-4.4-19 MPA-4.4-20";
	struct result r = failed("mpa/crc/a", long_one);

	FILE *f = fopen(path, "w");

	fprintf(f,
		"[deviation]\ncase = mpa/crc/a\nsignature = %.109s\n"
		"\t%s\nreason = y\n",
		long_one, long_one + 110);
	fclose(f);
	struct deviations *d =
		deviations_load(path, false, ids, 1, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_TRUE(
		deviations_update(d, path, &r, 1, &written, why, sizeof(why)));
	deviations_free(d);
	d = deviations_load(path, false, ids, 1, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, &r, 1, 0), 0);
	CU_ASSERT_EQUAL(r.verdict, VERDICT_XFAIL);
	deviations_free(d);
}

static void what_is_no_text_is_refused(void)
{
	static const char text[] =
		"[deviation]\ncase = a\0b\nsignature = X\nreason = y\n";

	CU_ASSERT_PTR_NULL(deviations_parse("f", text, sizeof(text) - 1, NULL,
					    0, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "f:2: a NUL");
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = \033]0;x\007\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":2: a control character, U+001B"));
	CU_ASSERT_PTR_NULL(
		deviations_load("/dev/zero", true, NULL, 0, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "/dev/zero: not a file, but a device");
}

/* For programs: by requirement; an entry about one program applies to no other.
 * The avoided steps stay in the file. */
static void programs_are_known_by_requirement(void)
{
	struct deviations *d =
		load("[deviation]\ncase = mpa/crc/*\nsignature = MPA-4.4-14\n"
		     "reason = no checksum\navoid = peer-reads fault=wrap\n"
		     "avoid = stream initiator\n\n"
		     "[deviation]\ncase = explore/DDP-4.1-01\n"
		     "signature = RDMAP-5.5-10\nreason = of one\n\n"
		     "[deviation]\ncase = mpa/*\nsignature = MPA-4.1-03\n"
		     "reason = was\nexpires = 1969-01-01\navoid = settle\n");
	struct result known = failed("explore/MPA-4.4-14", "MPA-4.4-14"),
		      beside = failed("explore/MPA-4.4-14",
				      "MPA-8-02 MPA-4.4-14"),
		      more = failed("explore/MPA-4.4-14",
				    "MPA-4.4-14 DDP-4.1-01"),
		      own = failed("explore/DDP-4.1-01", "RDMAP-5.5-10"),
		      another = failed("explore/RDMAP-5.5-10", "RDMAP-5.5-10"),
		      over = failed("explore/MPA-4.1-03", "MPA-4.1-03");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_STRING_EQUAL(deviations_requirements(d, &known, 1),
			       "no checksum");
	/* MPA-8-02 is a SHOULD: it fails no case. */
	CU_ASSERT_PTR_NOT_NULL(deviations_requirements(d, &beside, 1));
	CU_ASSERT_PTR_NULL(deviations_requirements(d, &more, 1));
	CU_ASSERT_PTR_NOT_NULL(deviations_requirements(d, &own, 1));
	CU_ASSERT_PTR_NULL(deviations_requirements(d, &another, 1));
	CU_ASSERT_PTR_NULL(deviations_requirements(d, &over, 1));
	CU_ASSERT_STRING_EQUAL(deviations_avoid(d, 0, 1),
			       "peer-reads fault=wrap");
	CU_ASSERT_STRING_EQUAL(deviations_avoid(d, 1, 1), "stream initiator");
	CU_ASSERT_PTR_NULL(deviations_avoid(d, 2, 1));
	deviations_free(d);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a listed failure is expected", a_listed_failure_is_expected},
		{"an expired entry excuses nothing",
		 an_expired_entry_excuses_nothing},
		{"wrong files are refused", wrong_files_are_refused},
		{"entries of one case add up", entries_of_one_case_add_up},
		{"an update keeps what holds", an_update_keeps_what_holds},
		{"an update keeps comments", an_update_keeps_comments},
		{"what happens by chance is not stale",
		 what_happens_by_chance_is_not_stale},
		{"long values survive", long_values_survive},
		{"an update that fails leaves the file",
		 an_update_that_fails_leaves_the_file},
		{"a long signature is read back",
		 a_long_signature_is_read_back},
		{"what is no text is refused", what_is_no_text_is_refused},
		{"programs are known by requirement",
		 programs_are_known_by_requirement},
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int status = unit_run("deviations", tests, UNIT_COUNT(tests));

	unlink(path);
	return status;
}
