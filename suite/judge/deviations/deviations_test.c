/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/deviations/deviations.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/unit.h"

/* Those that the update of a file calls, and that fail on demand. */
static bool is_full, is_of_another;

int fsync(int fd)
{
	if (!is_full)
		return (int)syscall(SYS_fsync, fd);
	errno = EIO;
	return -1;
}

int fchmod(int fd, mode_t mode)
{
	if (!is_of_another)
		return (int)syscall(SYS_fchmod, fd, mode);
	errno = EPERM;
	return -1;
}

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
	deviations_free(load("[other]\ncase = a\n"));
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
		     "; Known deviations, of a new firmware\n"
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
			"; Known deviations, of a new firmware\n"
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

static const char *const cases[] = {"mpa/a", "mpa/b", "mpa/c"};

static struct deviations *load_for_cases(const char *text)
{
	put(text);
	why[0] = '\0';
	return deviations_load(path, false, cases, UNIT_COUNT(cases), why,
			       sizeof(why));
}

static struct result passed(const char *id)
{
	return (struct result){.id = id,
			       .verdict = VERDICT_PASS,
			       .signature = "",
			       .reason = ""};
}

/* One line for each entry that does not hold, about its first case. */
static void an_entry_that_does_not_hold_is_stale(void)
{
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/*\nsignature = MPA-8-02\n"
		"reason = no Terminate\n");
	struct result mended[] = {passed("mpa/a")};
	struct result all_mended[] = {passed("ddp/x"), passed("mpa/a"),
				      passed("mpa/b")};
	struct result new_way[] = {failed("mpa/a", "MPA-4.4-14"),
				   failed("mpa/b", "MPA-4.4-14"),
				   failed("mpa/c", "MPA-8-02")};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, mended, 1, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "MPA-8-02: mpa/a does not fail; "
				    "--update-deviations corrects the entry\n");
	CU_ASSERT_EQUAL(apply(d, all_mended, 3, 0), 1);
	CU_ASSERT_STRING_EQUAL(why,
			       "MPA-8-02: 2 of its cases do not fail (the "
			       "first is mpa/a); --update-deviations corrects "
			       "the entry\n");
	CU_ASSERT_EQUAL(apply(d, new_way, 3, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "MPA-8-02: 2 of its cases fail in a new "
				    "way (the first is mpa/a): MPA-4.4-14\n");
	CU_ASSERT_EQUAL(new_way[0].verdict, VERDICT_FAIL);
	CU_ASSERT_EQUAL(new_way[2].verdict, VERDICT_XFAIL);
	deviations_free(d);
	d = load_for_cases("[deviation]\ncase = mpa/a mpa/b\n"
			   "signature = MPA-8-02\nreason = no Terminate\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, mended, 1, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "MPA-8-02: it does not fail; "
				    "--update-deviations corrects the entry\n");
	CU_ASSERT_EQUAL(apply(d, all_mended, 3, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "MPA-8-02: 2 of its cases do not fail; "
				    "--update-deviations corrects the entry\n");
	deviations_free(d);
}

/* A failure that several entries are about, and of which they name too little,
 * is reported once. */
static void a_failure_of_more_than_is_listed_is_stale(void)
{
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		"reason = no Terminate\n");
	struct result r[] = {failed("mpa/a", "MPA-4.4-14 MPA-8-02")};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, r, 1, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "mpa/a fails in a new way: MPA-4.4-14 "
				    "MPA-8-02\n");
	CU_ASSERT_EQUAL(r[0].verdict, VERDICT_FAIL);
	/* What another entry contradicts is reported by its line alone. */
	deviations_free(d);
	d = load_for_cases("[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
			   "reason = no Terminate\n[deviation]\ncase = mpa/a\n"
			   "signature = MPA-4.1-03\nreason = other\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, r, 1, 0), 1);
	CU_ASSERT_STRING_EQUAL(why, "MPA-4.1-03: it fails in a new way: "
				    "MPA-4.4-14 MPA-8-02\n");
	deviations_free(d);
}

/* SKIP, ERROR and BLOCKED confirm nothing and contradict nothing; a crash hides
 * everything else. */
static void what_did_not_run_is_not_stale(void)
{
	static const enum verdict silent[] = {VERDICT_SKIP, VERDICT_ERROR,
					      VERDICT_BLOCKED};
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		"reason = no Terminate\n[deviation]\ncase = mpa/b\n"
		"signature = device-crashed\nreason = it dies\n");
	struct result r = passed("mpa/a");
	struct result crashed[] = {failed("mpa/a", "device-crashed"),
				   failed("mpa/b", "device-crashed")};
	struct result alive = passed("mpa/b");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	for (size_t i = 0; i < UNIT_COUNT(silent); i++) {
		r.verdict = silent[i];
		CU_ASSERT_EQUAL(apply(d, &r, 1, 0), 0);
	}
	CU_ASSERT_EQUAL(apply(d, crashed, 2, 0), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "mpa/a fails in a new way"));
	CU_ASSERT_EQUAL(crashed[0].verdict, VERDICT_FAIL);
	CU_ASSERT_EQUAL(crashed[1].verdict, VERDICT_XFAIL);
	CU_ASSERT_EQUAL(apply(d, &alive, 1, 0), 1);
	CU_ASSERT_STRING_EQUAL(deviations_crash(d, "mpa/b", 0), "it dies");
	deviations_free(d);
	d = load_for_cases("[deviation]\ncase = mpa/b\n"
			   "signature = device-crashed\nreason = it dies\n"
			   "expires = 1969-12-31\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_PTR_NULL(deviations_crash(d, "mpa/b", 0));
	deviations_free(d);
}

static void each_broken_requirement_has_its_reason(void)
{
	struct result_broken broken[] = {{.requirement = "MPA-4.4-14"},
					 {.requirement = "MPA-8-02"}};
	struct result_broken of_program[] = {{.requirement = "MPA-8-02"}};
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		"reason = no Terminate\n[deviation]\ncase = mpa/a\n"
		"signature = MPA-4.4-14\nreason = no Terminate\n");
	struct result r = failed("mpa/a", "MPA-4.4-14 MPA-8-02");
	struct result program = failed("explore/X", "MPA-8-02");
	struct result unknown = failed("explore/X", "NOBODY-1");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	r.broken = broken;
	r.broken_count = 2;
	CU_ASSERT_EQUAL(apply(d, &r, 1, 0), 0);
	CU_ASSERT_EQUAL(r.verdict, VERDICT_XFAIL);
	CU_ASSERT_STRING_EQUAL(r.reason, "no Terminate");
	CU_ASSERT_STRING_EQUAL(r.broken[0].known, "no Terminate");
	CU_ASSERT_STRING_EQUAL(r.broken[1].known, "no Terminate");
	program.broken = of_program;
	program.broken_count = 1;
	CU_ASSERT_PTR_NOT_NULL(deviations_requirements(d, &program, 0));
	CU_ASSERT_STRING_EQUAL(of_program[0].known, "no Terminate");
	CU_ASSERT_PTR_NULL(deviations_requirements(d, &unknown, 0));
	/* A SHOULD that no entry names is without a reason. */
	program.signature = "MPA-4.5-03 MPA-8-02";
	of_program[0].requirement = "MPA-4.5-03";
	CU_ASSERT_PTR_NOT_NULL(deviations_requirements(d, &program, 0));
	CU_ASSERT_STRING_EQUAL(of_program[0].known, "");
	/* What passed needs no reason. */
	r.verdict = VERDICT_PASS;
	CU_ASSERT_PTR_NULL(deviations_reason(d, &r, 0));
	deviations_free(d);
}

/* Of a file that an update has written: the text behind its first line. */
static void is_written(const char *due)
{
	static const char head[] = "; Known deviations of a device: man 5 "
				   "warpspec-deviations. --update-deviations "
				   "writes them anew.\n\n";
	char text[1024];
	FILE *f = fopen(path, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	CU_ASSERT_EQUAL(strncmp(text, head, strlen(head)), 0);
	CU_ASSERT_STRING_EQUAL(text + strlen(head), due);
}

/* A case that did not run, or could not confirm its entry, stays in it by name
 * if its glob has other cases that ran; a glob of none that ran, as it is. */
static void an_update_keeps_what_did_not_run(void)
{
	static const char file[] =
		"[deviation]\ncase = mpa/c\nsignature = MPA-4.1-03\n"
		"reason = r\nreference = bug 2\nsometimes = yes\n"
		"avoid = settle\nexpires = 2030-01-01\n\n"
		"[deviation]\ncase = mpa/*\nsignature = MPA-8-02\n"
		"reason = no Terminate\n\n"
		"[deviation]\ncase = ddp/*\nsignature = MPA-8-02\n"
		"reason = of no case\n\n"
		"; kept\n\n\n";
	struct deviations *d = load_for_cases(file);
	struct result r[] = {failed("mpa/a", "MPA-8-02"), passed("mpa/b")};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT(deviations_update(d, path, r, 2, &written, why, sizeof(why)));
	CU_ASSERT_EQUAL(written.kept, 1);
	CU_ASSERT_EQUAL(written.changed, 1);
	CU_ASSERT_EQUAL(written.removed, 1);
	deviations_free(d);
	is_written("[deviation]\ncase = mpa/c\nsignature = MPA-4.1-03\n"
		   "reason = r\nreference = bug 2\nsometimes = yes\n"
		   "avoid = settle\nexpires = 2030-01-01\n\n"
		   "[deviation]\ncase = mpa/a\n\tmpa/c\n"
		   "signature = MPA-8-02\nreason = no Terminate\n\n"
		   "; kept\n");
	d = load_for_cases("[deviation]\ncase = mpa/*\nsignature = MPA-8-02\n"
			   "reason = no Terminate\n\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	r[1].verdict = VERDICT_ERROR;
	CU_ASSERT(deviations_update(d, path, r, 2, &written, why, sizeof(why)));
	deviations_free(d);
	is_written("[deviation]\ncase = mpa/a\n\tmpa/b\n\tmpa/c\n"
		   "signature = MPA-8-02\nreason = no Terminate\n\n");
}

/* An entry whose one case has another name is not the old one; one that has
 * lost a case neither. */
static void an_update_counts_what_changed(void)
{
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/a mpa/b\nsignature = MPA-8-02\n"
		"reason = r\n\n[deviation]\ncase = mpa/*\n"
		"signature = MPA-4.1-03\nreason = s\n\n");
	struct result r[] = {failed("mpa/a", "MPA-8-02"),
			     failed("mpa/b", "MPA-4.1-03")};

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT(deviations_update(d, path, r, 2, &written, why, sizeof(why)));
	CU_ASSERT_EQUAL(written.changed, 2);
	CU_ASSERT_EQUAL(written.kept, 0);
	deviations_free(d);
	is_written("[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		   "reason = r\n\n[deviation]\ncase = mpa/b\n\tmpa/c\n"
		   "signature = MPA-4.1-03\nreason = s\n\n");
}

/* Each value once, in one line, and no longer than the table has room for. */
static void odd_values_are_refused(void)
{
	char text[2000];
	char *end;

	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\nexpires = 2026-01-31\n"
				"expires = 2026-01-31\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":4: "));
	CU_ASSERT_PTR_NULL(
		load("[deviation]\ncase = a\nexpires = 2026-1-31\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "expires = 2026-1-31"));
	CU_ASSERT_PTR_NULL(
		load("[deviation]\ncase = a\nexpires = 2026-01-3x\n"));
	CU_ASSERT_PTR_NULL(
		load("[deviation]\ncase = a\nexpires = abcdefghij\n"));
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\navoid =\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "avoid = "));
	CU_ASSERT_PTR_NULL(load("[deviation]\ncase = a\nwhat = X\nwhy = y\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":3: [deviation] what = X"));
	CU_ASSERT_PTR_NULL(load("[deviation]\nneither this nor that\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":2: neither a [section] nor"));
	CU_ASSERT_PTR_NULL(load("case = a\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: [] case = a"));
	/* A signature of many lines is longer than an entry can hold. */
	strcpy(text, "[deviation]\nsignature = ");
	end = text + strlen(text);
	for (unsigned i = 0; i < 60; i++)
		end += sprintf(end, "MPA-4.4-%02u\n\t", i);
	CU_ASSERT_PTR_NULL(load(text));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "signature = MPA-4.4-"));
}

static void is_left(const struct deviations *d, const struct result *r,
		    int error)
{
	char text[64];
	FILE *f;

	put("as before");
	CU_ASSERT_FALSE(
		deviations_update(d, path, r, 1, &written, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, strerror(error)));
	f = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	CU_ASSERT_STRING_EQUAL(text, "as before");
}

/* Whichever call fails, the old file stays. */
static void a_file_is_replaced_when_it_is_written(void)
{
	struct deviations *d =
		load("[deviation]\ncase = a\nsignature = X\nreason = y\n");
	static char name[20000];
	struct result r = failed("b", "Z"), large = failed(name, "Z");
	struct rlimit had, small;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	is_full = true;
	is_left(d, &r, EIO);
	is_full = false;
	is_of_another = true;
	is_left(d, &r, EPERM);
	is_of_another = false;
	getrlimit(RLIMIT_FSIZE, &had);
	small = had;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	is_left(d, &r, EFBIG);
	memset(name, 'x', sizeof(name) - 1);
	is_left(d, &large, EFBIG);
	setrlimit(RLIMIT_FSIZE, &had);
	signal(SIGXFSZ, SIG_DFL);
	deviations_free(d);
}

/* A folder cannot be replaced by a file. */
static void an_update_of_a_folder_fails(void)
{
	char folder[] = "/tmp/warpspec-deviations-XXXXXX";
	struct deviations *d =
		load("[deviation]\ncase = a\nsignature = X\nreason = y\n");
	struct result r = failed("b", "Z");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_FALSE(deviations_update(d, folder, &r, 1, &written, why,
					  sizeof(why)));
	CU_ASSERT_EQUAL(strncmp(why, folder, strlen(folder)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "directory"));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	deviations_free(d);
}

/* A blank is what separates a comment from a value. */
static void what_is_no_comment_is_a_value(void)
{
	struct deviations *d = load_for_cases(
		"[deviation]\ncase = mpa/a\nsignature = MPA-8-02\n"
		"reason = a;b\t; seen in 1.2\n");
	struct result r = failed("mpa/a", "MPA-8-02");

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, &r, 1, 0), 0);
	CU_ASSERT_STRING_EQUAL(r.reason, "a;b");
	CU_ASSERT(
		deviations_update(d, path, &r, 1, &written, why, sizeof(why)));
	deviations_free(d);
	/* Nothing follows an empty section. */
	d = load_for_cases("; a head\n[deviation]\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT_EQUAL(apply(d, &r, 1, 0), 0);
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
		{"an entry that does not hold is stale",
		 an_entry_that_does_not_hold_is_stale},
		{"a failure of more than is listed is stale",
		 a_failure_of_more_than_is_listed_is_stale},
		{"what did not run is not stale",
		 what_did_not_run_is_not_stale},
		{"each broken requirement has its reason",
		 each_broken_requirement_has_its_reason},
		{"an update keeps what did not run",
		 an_update_keeps_what_did_not_run},
		{"an update counts what changed",
		 an_update_counts_what_changed},
		{"odd values are refused", odd_values_are_refused},
		{"an update of a folder fails", an_update_of_a_folder_fails},
		{"a file is replaced when it is written",
		 a_file_is_replaced_when_it_is_written},
		{"what is no comment is a value",
		 what_is_no_comment_is_a_value},
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
