/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of an interface, captured by libpcap as they pass: the counterpart of
 * capture_file.h. It needs CAP_NET_RAW. */
#ifndef HARNESS_LINK_RAW_CAPTURE_LIVE_H
#define HARNESS_LINK_RAW_CAPTURE_LIVE_H

#include "harness/link/raw/capture_file.h"

/* The kernel passes packets on in batches, each at most this late. */
enum { CAPTURE_LIVE_BATCH_MS = 100 };

struct capture_live;

/* NULL: one line in why. */
struct capture_live *capture_live_open(const char *interface,
				       char why[CAPTURE_FILE_WHY]);
/* A descriptor that is readable while there are packets. */
int capture_live_fd(const struct capture_live *c);
/* CAPTURE_END: there is no packet at the moment. */
enum capture_status capture_live_next(struct capture_live *c,
				      struct capture_packet *p,
				      char why[CAPTURE_FILE_WHY]);
/* The number of packets that the kernel has dropped, because they were not read
 * in time. */
uint64_t capture_live_dropped(struct capture_live *c);
void capture_live_close(struct capture_live *c);

#endif
