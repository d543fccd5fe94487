/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from and to an interface, with libpcap and libnet; their contents do
 * not matter here.
 */
#ifndef HARNESS_LINK_RAW_ETHERNET_H
#define HARNESS_LINK_RAW_ETHERNET_H

#include "harness/link/link.h"

/* The size of one frame: with offloads it can be far larger than the MTU, but
 * not than our window and its headers. */
enum { ETHERNET_FRAME = 32512 };

struct ethernet;

/* The filter is libpcap's: what does not pass it, costs this process nothing.
 * NULL: one line in why; *privilege as in link_raw_open. */
struct ethernet *ethernet_open(const char *interface, const char *filter,
			       bool *privilege, char why[LINK_WHY]);
void ethernet_close(struct ethernet *e); /* NULL is fine */

uint32_t ethernet_mtu(const struct ethernet *e);
int ethernet_fd(const struct ethernet *e);

/* Also show sent frames. */
void ethernet_show_sent(struct ethernet *e, bool on);

/* A frame of `length` octets, n of them captured, and when (wall clock). */
typedef void ethernet_frame_fn(void *user, const uint8_t *octets, size_t n,
			       size_t length, uint64_t at_ns);

/* All frames that have arrived, without waiting. False: the interface has
 * failed. */
bool ethernet_receive(struct ethernet *e, ethernet_frame_fn *fn, void *user,
		      char why[LINK_WHY]);
/* False: it is down, or gone. For when nothing comes that should. */
bool ethernet_is_up(const struct ethernet *e, char why[LINK_WHY]);
/* True also if the interface has no room for the frame, or no carrier. */
bool ethernet_send(struct ethernet *e, const uint8_t *frame, size_t n,
		   char why[LINK_WHY]);
/* Frames in both directions that this host had no room for so far. */
uint64_t ethernet_dropped(const struct ethernet *e);

#endif
