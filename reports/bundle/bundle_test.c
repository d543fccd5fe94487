/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/bundle/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/bundle/testing.h"

static struct testing_signer lab, other;

#define TEN  "aaaaaaaaaa"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "a"

/* What is reported, line by line. */
static char said[8192];

static void tell(void *user, const char *line)
{
	(void)user;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n",
		 line);
}

static struct bundle *members(void)
{
	static const char large[5000] = "x";
	struct bundle *b = bundle_new();
	char why[256] = "";

	CU_ASSERT_TRUE(bundle_add(b, "b.txt", "two\n", 4, why, sizeof(why)));
	CU_ASSERT_TRUE(bundle_add(b, "a/a.bin", large, sizeof(large), why,
				  sizeof(why)));
	CU_ASSERT_TRUE(bundle_add(b, "c", "", 0, why, sizeof(why)));
	CU_ASSERT_TRUE(
		bundle_add(b, LONG "/" LONG, "long", 4, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "");
	return b;
}

/* Sealed, to be freed. */
static char *sealed(size_t *n)
{
	struct bundle *b = members();
	char why[256] = "", *octets = NULL;
	FILE *out = open_memstream(&octets, n);

	CU_ASSERT_TRUE(bundle_sign(b, lab.key, lab.cert, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "");
	CU_ASSERT_EQUAL(bundle_write(b, out), 0);
	fclose(out);
	bundle_free(b);
	return octets;
}

/* Its objections; what was kept of b.txt. */
static size_t objections(const char *octets, size_t n, const char *ca,
			 char kept[16])
{
	struct bundle_wanted w = {.name = "b.txt", .most = 10};
	struct bundle_check c = {
		.ca = ca, .wanted = &w, .wanted_count = 1, .tell = tell};
	char why[256] = "";

	said[0] = kept[0] = '\0';
	CU_ASSERT_TRUE(bundle_verify_octets(&c, octets, n, why, sizeof(why)));
	if (w.octets)
		snprintf(kept, 16, "%s", w.octets);
	bundle_forget(&c);
	return c.objections;
}

static void a_sound_one_is_verified(void)
{
	size_t n;
	char *octets = sealed(&n), kept[16];

	CU_ASSERT_EQUAL(objections(octets, n, lab.cert, kept), 0);
	CU_ASSERT_STRING_EQUAL(said, "");
	CU_ASSERT_STRING_EQUAL(kept, "two\n");
	CU_ASSERT_EQUAL(objections(octets, n, other.cert, kept), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(said, "certificate of CN = lab"));
	free(octets);
}

static void every_octet_counts(void)
{
	size_t n, missed = 0;
	char *octets = sealed(&n), kept[16];

	for (size_t i = 0; i < n; i++) {
		octets[i] ^= 1;
		if (objections(octets, n, lab.cert, kept) == 0) {
			fprintf(stderr, "octet %zu of %zu\n", i, n);
			missed++;
		}
		octets[i] ^= 1;
		/* In zeros of one member each is as another. */
		if (i > 6 * 512 && i + 4096 < n)
			i += 113;
	}
	CU_ASSERT_EQUAL(missed, 0);
	for (size_t cut = 1; cut < n; cut += 97)
		CU_ASSERT_TRUE(objections(octets, n - cut, lab.cert, kept) > 0);
	free(octets);
}

static void what_is_too_large_is_not_kept(void)
{
	struct bundle_wanted w = {.name = "a/a.bin", .most = 4999};
	struct bundle_check c = {
		.ca = lab.cert, .wanted = &w, .wanted_count = 1, .tell = tell};
	char why[256];
	size_t n;
	char *octets = sealed(&n);

	said[0] = '\0';
	CU_ASSERT_TRUE(bundle_verify_octets(&c, octets, n, why, sizeof(why)));
	CU_ASSERT_EQUAL(c.objections, 1);
	CU_ASSERT_STRING_EQUAL(
		said,
		"a/a.bin: it has 5000 octets, and may have 4999 at most\n");
	bundle_forget(&c);
	free(octets);
}

static void names_lead_nowhere_else(void)
{
	static const char *const good[] = {"a",   "a/b", "a.b-c_d@e+f=g,h:i",
					   "..a", "a..", "a/.b"};
	static const char *const bad[] = {
		"",     "/",    "/a",     "a/",       "a//b", ".",
		"..",   "../a", "a/../b", "a/.",      "a b",  "a\nb",
		"a\\b", "-a",   "a/-b",   "\xc3\xbc", "a*"};
	char longest[BUNDLE_NAME + 1];

	for (size_t i = 0; i < UNIT_COUNT(good); i++)
		CU_ASSERT_TRUE(bundle_is_name(good[i]));
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		CU_ASSERT_FALSE(bundle_is_name(bad[i]));
	memset(longest, 'a', BUNDLE_NAME);
	longest[BUNDLE_NAME] = '\0';
	longest[100] = longest[200] = '/';
	CU_ASSERT_FALSE(bundle_is_name(longest));
	longest[BUNDLE_NAME - 1] = '\0';
	CU_ASSERT_TRUE(bundle_is_name(longest));
}

static void what_does_not_go_in(void)
{
	struct bundle *b = members();
	char why[256] = "";

	CU_ASSERT_FALSE(bundle_add(b, "c", "", 0, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(
		why, "c: the bundle already has a member of this name");
	CU_ASSERT_FALSE(bundle_add(b, "../c", "", 0, why, sizeof(why)));
	CU_ASSERT_FALSE(
		bundle_add(b, BUNDLE_MANIFEST, "", 0, why, sizeof(why)));
	CU_ASSERT_FALSE(bundle_add_file(b, "d", "/dev/null", why, sizeof(why)));
	CU_ASSERT_FALSE(bundle_sign(b, lab.key, other.cert, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "does not belong to the key"));
	bundle_free(b);
}

/* A file that is changed between its sum and the archive. */
static void what_changes_meanwhile_is_told(void)
{
	char path[] = "/tmp/warpspec-member-XXXXXX", why[256] = "", *octets;
	int fd = mkstemp(path);
	struct bundle *b = bundle_new();
	size_t n;
	FILE *out = open_memstream(&octets, &n);

	CU_ASSERT_EQUAL(write(fd, "one", 3), 3);
	CU_ASSERT_TRUE(bundle_add_file(b, "a", path, why, sizeof(why)));
	CU_ASSERT_TRUE(bundle_sign(b, lab.key, lab.cert, why, sizeof(why)));
	CU_ASSERT_EQUAL(pwrite(fd, "two", 3, 0), 3);
	CU_ASSERT_EQUAL(bundle_write(b, out), -1);
	CU_ASSERT_EQUAL(errno, EBUSY);
	fclose(out);
	close(fd);
	unlink(path);
	free(octets);
	bundle_free(b);
}

struct taken {
	char names[256];
	size_t octets, most; /* of members: then it takes no more */
};

static bool take(void *user, const char *name, const void *octets, size_t n)
{
	struct taken *t = user;
	size_t at = strlen(t->names);

	(void)octets;
	snprintf(t->names + at, sizeof(t->names) - at, "%.8s ", name);
	t->octets += n;
	return --t->most;
}

static void members_are_read_again(void)
{
	char path[] = "/tmp/warpspec-bundle-XXXXXX", why[256] = "";
	int fd = mkstemp(path);
	struct taken all = {.most = 9}, one = {.most = 1}, none = {.most = 9};
	size_t n;
	char *octets = sealed(&n);

	CU_ASSERT_EQUAL(write(fd, octets, n), (ssize_t)n);
	CU_ASSERT_TRUE(bundle_members(path, "a", take, &all, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(all.names, "a/a.bin aaaaaaaa ");
	CU_ASSERT_EQUAL(all.octets, 5000 + 4);
	CU_ASSERT_TRUE(bundle_members(path, "a", take, &one, why, sizeof(why)));
	CU_ASSERT_EQUAL(one.octets, 5000);
	CU_ASSERT_EQUAL(ftruncate(fd, 3 * 512), 0);
	CU_ASSERT_FALSE(
		bundle_members(path, "a", take, &none, why, sizeof(why)));
	CU_ASSERT_STRING_NOT_EQUAL(why, "");
	CU_ASSERT_STRING_EQUAL(none.names, "");
	close(fd);
	unlink(path);
	free(octets);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a sound one is verified", a_sound_one_is_verified},
		{"every octet counts", every_octet_counts},
		{"what is too large is not kept",
		 what_is_too_large_is_not_kept},
		{"names lead nowhere else", names_lead_nowhere_else},
		{"what does not go in", what_does_not_go_in},
		{"what changes meanwhile is reported",
		 what_changes_meanwhile_is_told},
		{"members are read again", members_are_read_again},
	};

	if (!testing_signer(&lab, "lab") || !testing_signer(&other, "other")) {
		fputs("no keys\n", stderr);
		return 1;
	}
	int status = unit_run("bundle", tests, UNIT_COUNT(tests));

	testing_signer_gone(&lab);
	testing_signer_gone(&other);
	return status;
}
