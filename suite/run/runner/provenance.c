/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/runner/provenance.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "suite/device/keys.h"

#define ID_OCTETS 20 /* a longer id is cut; the rest still identifies a build */

struct build {
	char hex[2 * ID_OCTETS + 1];
};

static size_t rounded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* The notes of a segment: the GNU note with the build id. */
static bool find_id(const unsigned char *at, size_t left, struct build *b)
{
	ElfW(Nhdr) note;

	while (left >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));

		size_t name = sizeof(note) + rounded(note.n_namesz);
		size_t whole = name + rounded(note.n_descsz);

		if (whole > left)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(at + sizeof(note), "GNU", 4) == 0) {
			for (size_t i = 0; i < note.n_descsz && i < ID_OCTETS;
			     i++)
				snprintf(b->hex + 2 * i, 3, "%02x",
					 at[name + i]);
			return true;
		}
		at += whole;
		left -= whole;
	}
	return false;
}

/* The first object is the program itself. */
static int look(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const unsigned char *at =
			(const unsigned char *)info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_NOTE && find_id(at, p->p_memsz, user))
			break;
	}
	return 1;
}

const char *provenance_build(void)
{
	static struct build b;

	if (!b.hex[0])
		dl_iterate_phdr(look, &b);
	return b.hex;
}

void provenance_tell(const struct device *d, struct run_result *out)
{
	static struct utsname host;
	static struct result_identity told[DEVICE_IDENTITY];
	size_t n = 0;

	out->suite_build = provenance_build();
	if (uname(&host) == 0) {
		out->host_name = host.nodename;
		out->host_release = host.release;
		out->host_machine = host.machine;
	}
	for (unsigned i = 0; i < DEVICE_IDENTITY; i++)
		if (d->identity[i][0])
			told[n++] = (struct result_identity){
				device_identity_name((enum device_identity)i),
				d->identity[i]};
	out->identity = told;
	out->identity_count = n;
}

#define LIMITS 4

void provenance_claims(const struct testbed *bed, struct run_result *out)
{
	static struct result_claim told[AGENT_FEATURES + LIMITS];
	static char value[LIMITS][24];
	const struct {
		const char *name;
		uint64_t value;
	} limits[LIMITS] = {{"max-ird", bed->hello.max_ird},
			    {"max-ord", bed->hello.max_ord},
			    {"max-private", bed->hello.max_private},
			    {"max-message", bed->hello.max_message}};
	size_t n = 0;

	out->claims = told;
	out->claim_count = 0;
	if (!bed->hello.impl[0])
		return;
	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (bed->claims >> i & 1)
			told[n++] = (struct result_claim){
				agent_feature_name((enum agent_feature)i), ""};
	for (unsigned i = 0; i < LIMITS; i++) {
		snprintf(value[i], sizeof(value[i]), "%" PRIu64,
			 limits[i].value);
		told[n++] = (struct result_claim){limits[i].name, value[i]};
	}
	out->claim_count = n;
}
