/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends and receives frames of an interface, with libnet and libpcap. Their
 * contents do not matter here.
 */
#ifndef HARNESS_LINK_RAW_ETHERNET_H
#define HARNESS_LINK_RAW_ETHERNET_H

#include "harness/link/link.h"

/* The largest frame, in octets. With offloads, a frame can be much larger than
 * the MTU, but not larger than our window with its headers. */
enum { ETHERNET_FRAME = 32512 };

struct ethernet;

/* `filter` is in the syntax of libpcap. The kernel applies it, so that other
 * frames cost this process nothing. NULL: one line in `why`; *privilege is set
 * as in link_raw_open(). */
struct ethernet *ethernet_open(const char *interface, const char *filter,
			       bool *privilege, char why[LINK_WHY]);
void ethernet_close(struct ethernet *e); /* NULL is fine */

uint32_t ethernet_mtu(const struct ethernet *e);
int ethernet_fd(const struct ethernet *e);

/* Whether to receive the frames that this host sends, too. */
void ethernet_show_sent(struct ethernet *e, bool on);

/* Called with n captured octets of a frame of `length` octets, and with its
 * time (wall clock). */
typedef void ethernet_frame_fn(void *user, const uint8_t *octets, size_t n,
			       size_t length, uint64_t at_ns);

/* Call fn for each frame that has arrived, without waiting. False: the
 * interface has failed. */
bool ethernet_receive(struct ethernet *e, ethernet_frame_fn *fn, void *user,
		      char why[LINK_WHY]);
/* False: the interface is down, or does not exist any more. To be called when
 * an expected frame does not arrive. */
bool ethernet_is_up(const struct ethernet *e, char why[LINK_WHY]);
/* False: the interface has failed. If it only has no room for the frame, or no
 * carrier, the frame is lost, and the result is true. */
bool ethernet_send(struct ethernet *e, const uint8_t *frame, size_t n,
		   char why[LINK_WHY]);
/* The number of frames, in both directions, for which this host had no room. */
uint64_t ethernet_dropped(const struct ethernet *e);

#endif
