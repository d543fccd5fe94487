/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of an interface as they come, by libpcap: what capture_file.h is for a
 * file. It needs the right to sniff (CAP_NET_RAW). */
#ifndef HARNESS_LINK_RAW_CAPTURE_LIVE_H
#define HARNESS_LINK_RAW_CAPTURE_LIVE_H

#include "harness/link/raw/capture_file.h"

/* The kernel hands packets over in batches, each at the latest after this. */
enum { CAPTURE_LIVE_BATCH_MS = 100 };

struct capture_live;

/* NULL: one line in why. */
struct capture_live *capture_live_open(const char *interface,
				       char why[CAPTURE_FILE_WHY]);
/* It can be read where packets wait. */
int capture_live_fd(const struct capture_live *c);
/* CAPTURE_END: none waits at the moment. */
enum capture_status capture_live_next(struct capture_live *c,
				      struct capture_packet *p,
				      char why[CAPTURE_FILE_WHY]);
/* Packets that the kernel has dropped, because they were not read in time. */
uint64_t capture_live_dropped(struct capture_live *c);
void capture_live_close(struct capture_live *c);

#endif
