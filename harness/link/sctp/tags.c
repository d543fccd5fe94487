/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of a packet (RFC 9260 s8.5): its checksum is correct, and its
 * verification tag is the one that this end has requested. Anybody can send a
 * packet with the right ports.
 */
#include <string.h>

#include "harness/link/sctp/sctp_internal.h"

enum {
	FLAG_T = 1, /* the tag is the sender's own, reflected */
	TAG_AT = 4, /* in the common header */
	INITIATE_AT = 4,
};

/* The tags of an association, or of one that begins; NULL: unknown. */
static struct sctp_tags *tags_of(struct sctp_path *p, const uint8_t *packet,
				 bool sent, bool begins)
{
	struct link_sctp_link *l = p->link;
	const uint8_t *local = packet + (sent ? 0 : 2);
	const uint8_t *remote = packet + (sent ? 2 : 0);

	for (size_t i = 0; i < SCTP_TAGS; i++) {
		struct sctp_tags *t = &l->tags[i];

		if (t->path == p && memcmp(t->local, local, 2) == 0 &&
		    memcmp(t->remote, remote, 2) == 0)
			return t;
	}
	if (!begins)
		return NULL;
	/* Replaces the oldest. */
	struct sctp_tags *t = &l->tags[l->tags_next++ % SCTP_TAGS];

	*t = (struct sctp_tags){.path = p};
	memcpy(t->local, local, 2);
	memcpy(t->remote, remote, 2);
	return t;
}

static bool has_tag(const struct sctp_tags *t, uint32_t tag)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->ours[i] == tag)
			return true;
	return false;
}

static void add_tag(struct sctp_tags *t, uint32_t tag)
{
	if (has_tag(t, tag))
		return;
	if (t->count == SCTP_TAGS_EACH) {
		memmove(t->ours, t->ours + 1,
			(SCTP_TAGS_EACH - 1) * sizeof(t->ours[0]));
		t->count--;
	}
	t->ours[t->count++] = tag;
}

bool sctp_tags_out(struct sctp_path *p, const uint8_t *packet, size_t n)
{
	const uint8_t *chunk = packet + SCTP_COMMON_OCTETS;

	if (n < SCTP_COMMON_OCTETS + 8)
		return true;
	/* The answer to a packet out of the blue. */
	if ((chunk[0] == SCTP_LINK_ABORT ||
	     chunk[0] == SCTP_LINK_SHUTDOWN_COMPLETE) &&
	    chunk[1] & FLAG_T)
		return false;
	bool begins =
		chunk[0] == SCTP_LINK_INIT || chunk[0] == SCTP_LINK_INIT_ACK;
	struct sctp_tags *t = tags_of(p, packet, true, begins);

	if (!t)
		return true;
	/* An end that opens has one tag; who answers may have given several, a
	 * cookie with each. */
	if (chunk[0] == SCTP_LINK_INIT)
		t->count = 0;
	if (begins)
		add_tag(t, sctp_get32(chunk + INITIATE_AT));
	if (chunk[0] != SCTP_LINK_INIT)
		t->theirs = sctp_get32(packet + TAG_AT);
	return true;
}

bool sctp_tags_in(struct sctp_path *p, const uint8_t *packet, size_t n)
{
	const uint8_t *chunk = packet + SCTP_COMMON_OCTETS;
	uint32_t tag = sctp_get32(packet + TAG_AT);

	if (!stack_is_sealed(packet, n))
		return false;
	if (n < SCTP_COMMON_OCTETS + 4)
		return false;
	if (chunk[0] == SCTP_LINK_INIT)
		return tag == 0;
	struct sctp_tags *t = tags_of(p, packet, false, false);

	if (!t)
		return false;
	if ((chunk[0] == SCTP_LINK_ABORT ||
	     chunk[0] == SCTP_LINK_SHUTDOWN_COMPLETE) &&
	    chunk[1] & FLAG_T)
		return tag == t->theirs;
	if (!has_tag(t, tag))
		return false;
	if (chunk[0] == SCTP_LINK_COOKIE_ECHO) {
		t->ours[0] = tag;
		t->count = 1;
	}
	return true;
}
