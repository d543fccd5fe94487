/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in and out of an interface: libpcap and libnet, and nothing of what
 * is in the frames.
 */
#ifndef HARNESS_LINK_WIRE_H
#define HARNESS_LINK_WIRE_H

#include "harness/link/link.h"

/* Of one frame: with offloads it can be far larger than the MTU, but not
 * than our window and its headers. */
enum { WIRE_FRAME = 32512 };

struct wire;

/* The filter is libpcap's: what does not pass it, costs this process nothing.
 * NULL: one line in why; *privilege as in link_raw_open. */
struct wire *wire_open(const char *interface, const char *filter,
		       bool *privilege, char why[LINK_WHY]);
void wire_close(struct wire *w); /* NULL is fine */

uint32_t wire_mtu(const struct wire *w);
int wire_fd(const struct wire *w);

/* Also show what is sent. */
void wire_see_sent(struct wire *w, bool on);

/* A frame of `length` octets, n of them captured, and when (wall clock). */
typedef void wire_frame_fn(void *user, const uint8_t *octets, size_t n,
			   size_t length, uint64_t at_ns);

/* All that has come, without waiting. False: the interface has failed. */
bool wire_receive(struct wire *w, wire_frame_fn *fn, void *user,
		  char why[LINK_WHY]);
/* False: it is down, or gone. For when nothing comes that should. */
bool wire_is_up(const struct wire *w, char why[LINK_WHY]);
bool wire_send(struct wire *w, const uint8_t *frame, size_t n,
	       char why[LINK_WHY]);
uint64_t wire_dropped(const struct wire *w);

#endif
