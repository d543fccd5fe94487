/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/capture.h"
#include "harness/link/provider.h"

enum {
	FRAMES_QUEUE = 4 << 20, /* octets; more than any window */
	FRAMES_BURST = 24,
};

/* In the queue, in front of its octets. */
struct queued {
	size_t n, length;
};

/*
 * Segments and reports about their path; requests for this address, or
 * announcements of it. Other hosts' traffic is filtered out.
 */
static void make_filter(const struct frames *f, char *filter, size_t cap)
{
	const uint8_t *a = f->own->ip.addr, *m = f->own->mac;
	char own[LINK_ADDRESS];
	char what[256];

	address_text(f->own, own);
	if (f->own->ip.family == 6)
		snprintf(what, sizeof(what),
			 "(ip6 host %s and (tcp or icmp6)) or "
			 "(icmp6 and (ip6 dst host ff02::1 or "
			 "ip6 dst host ff02::1:ff%02x:%02x%02x))",
			 own, a[13], a[14], a[15]);
	else
		snprintf(what, sizeof(what),
			 "(ip host %s and ip[6:2] & 0x3fff = 0 and (tcp or "
			 "(icmp[0] = 3 and icmp[1] = 4))) or arp host %s",
			 own, own);
	/* Between it and another, or to many. */
	snprintf(filter, cap,
		 "(%s) and (ether host %02x:%02x:%02x:%02x:%02x:%02x or "
		 "ether[0] & 1 = 1)",
		 what, m[0], m[1], m[2], m[3], m[4], m[5]);
}

bool frames_open(struct frames *f, struct link *link, const struct address *own,
		 const char *interface, bool *privilege, char why[LINK_WHY])
{
	char filter[512];

	*f = (struct frames){.link = link, .own = own};
	f->queue = malloc(FRAMES_QUEUE);
	if (!f->queue) {
		link_fail(why, 0, "out of memory");
		return false;
	}
	make_filter(f, filter, sizeof(filter));
	f->ethernet = ethernet_open(interface, filter, privilege, why);
	if (f->ethernet)
		return true;
	free(f->queue);
	return false;
}

void frames_close(struct frames *f)
{
	ethernet_close(f->ethernet);
	free(f->queue);
}

/* --- in ---------------------------------------- */

static void enqueue(void *user, const uint8_t *octets, size_t n, size_t length,
		    uint64_t at_ns)
{
	struct frames *f = user;
	struct queued h = {.n = n, .length = length};

	if (f->link->capture)
		capture_frame(f->link->capture, octets, n, length, at_ns);
	/* Our own, seen on its way out. */
	if (n >= 2 * PACKET_MAC &&
	    memcmp(octets + PACKET_MAC, f->own->mac, PACKET_MAC) == 0)
		return;
	if (FRAMES_QUEUE - f->tail < sizeof(h) + n) {
		f->dropped++;
		return;
	}
	memcpy(f->queue + f->tail, &h, sizeof(h));
	memcpy(f->queue + f->tail + sizeof(h), octets, n);
	f->tail += sizeof(h) + n;
}

void frames_receive(struct frames *f)
{
	struct link *link = f->link;

	f->burst = 0;
	ethernet_show_sent(f->ethernet, link->capture != NULL);
	if (!link->down &&
	    !ethernet_receive(f->ethernet, enqueue, f, link->why))
		link->down = true;
}

bool frames_next(struct frames *f, struct frame *frame)
{
	struct queued h;

	if (f->head == f->tail) {
		f->head = f->tail = 0;
		return false;
	}
	memcpy(&h, f->queue + f->head, sizeof(h));
	*frame = (struct frame){.octets = f->queue + f->head + sizeof(h),
				.n = h.n,
				.length = h.length};
	f->head += sizeof(h) + h.n;
	return true;
}

uint64_t frames_dropped(const struct frames *f)
{
	return f->dropped + ethernet_dropped(f->ethernet);
}

/* --- out ---------------------------------------- */

void frames_send(struct frames *f, const uint8_t *frame, size_t n)
{
	struct link *link = f->link;

	if (!link->down && !ethernet_send(f->ethernet, frame, n, link->why))
		link->down = true;
	if (++f->burst >= FRAMES_BURST)
		frames_receive(f);
}

void frames_send_segment(struct frames *f, const struct packet_path *path,
			 const struct segment *s)
{
	uint8_t frame[ETHERNET_FRAME];
	size_t n = packet_tcp(frame, sizeof(frame), path, s);

	if (n)
		frames_send(f, frame, n);
}
