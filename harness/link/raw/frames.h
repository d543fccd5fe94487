/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of a link: sent at once, and queued as they arrive. Receiving and
 * processing are separate, because processing sends, and the frames must not
 * fill the kernel's buffer meanwhile.
 */
#ifndef HARNESS_LINK_RAW_FRAMES_H
#define HARNESS_LINK_RAW_FRAMES_H

#include "harness/link/link.h"
#include "harness/link/raw/address.h"
#include "harness/link/raw/ethernet.h"
#include "harness/link/raw/packet.h"

struct frames {
	struct link *link; /* records all frames; down when this fails */
	const struct address *own;
	struct ethernet *ethernet;
	uint8_t *queue;
	size_t head, tail; /* octets taken out of it, and put in */
	unsigned burst;    /* frames sent since the last check for input */
	uint64_t dropped;  /* because the queue was full */
};

/* n octets were captured of a frame of `length` octets. */
struct frame {
	const uint8_t *octets;
	size_t n, length;
};

/* False: one line in why; *privilege as in
 * link_raw_open. */
bool frames_open(struct frames *f, struct link *link, const struct address *own,
		 const char *interface, bool *privilege, char why[LINK_WHY]);
void frames_close(struct frames *f);

/* If a frame cannot be sent, the link goes down. */
void frames_send(struct frames *f, const uint8_t *frame, size_t n);
void frames_send_segment(struct frames *f, const struct packet_path *path,
			 const struct segment *s);

/* Queue all frames that have arrived, without waiting. */
void frames_receive(struct frames *f);
/* The oldest one in the queue, valid until none is left. False: none is
 * left. */
bool frames_next(struct frames *f, struct frame *frame);
/* They came too fast, for the kernel or for the queue. */
uint64_t frames_dropped(const struct frames *f);

#endif
