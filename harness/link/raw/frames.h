/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of a link: sent at once, and queued when they arrive. Receiving is
 * separate from processing, because processing sends frames, and received ones
 * must not fill the kernel's buffer meanwhile.
 */
#ifndef HARNESS_LINK_RAW_FRAMES_H
#define HARNESS_LINK_RAW_FRAMES_H

#include "harness/link/link.h"
#include "harness/link/raw/address.h"
#include "harness/link/raw/ethernet.h"
#include "harness/link/raw/packet.h"

struct frames {
	struct link *link; /* its capture has all frames */
	const struct address *own;
	struct ethernet *ethernet;
	uint8_t *queue;
	size_t head, tail; /* octets taken from the queue, and put into it */
	unsigned burst;    /* frames sent since the last check for input */
	uint64_t dropped;  /* because the queue was full */
};

/* n octets were captured of a frame of `length` octets. */
struct frame {
	const uint8_t *octets;
	size_t n, length;
};

/* False: one line in `why`; *privilege is set as in link_raw_open(). */
bool frames_open(struct frames *f, struct link *link, const struct address *own,
		 const char *interface, bool *privilege, char why[LINK_WHY]);
void frames_close(struct frames *f);

/* If a frame cannot be sent, the link goes down. */
void frames_send(struct frames *f, const uint8_t *frame, size_t n);
void frames_send_segment(struct frames *f, const struct packet_path *path,
			 const struct segment *s);

/* Queue all frames that have arrived, without waiting. */
void frames_receive(struct frames *f);
/* Take the oldest frame out of the queue. It stays valid until this returns
 * false: the queue is empty. */
bool frames_next(struct frames *f, struct frame *frame);
/* The number of frames dropped so far: the queue was full, or for the reasons
 * of ethernet_dropped(). */
uint64_t frames_dropped(const struct frames *f);

#endif
