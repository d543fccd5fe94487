/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An established connection: its octets, its ends, and functions for cases
 * about its segments. All of them are operations of provider.h.
 */
#ifndef HARNESS_LINK_RAW_STREAM_H
#define HARNESS_LINK_RAW_STREAM_H

#include "harness/link/provider.h"

long raw_send_now(struct link_conn *conn, const void *octets, size_t n);
long raw_recv_now(struct link_conn *conn, void *octets, size_t cap);

int raw_half_close(struct link_conn *conn);
bool raw_reset(struct link_conn *conn);
bool raw_close(struct link_conn *conn);

bool raw_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count);
void raw_release(struct link_conn *conn);
void raw_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n);
void raw_set_acks(struct link_conn *conn, enum link_acks acks);
void raw_set_window(struct link_conn *conn, long octets);
void raw_lose(struct link_conn *conn, unsigned n);
void raw_fall_silent(struct link_conn *conn);
void raw_tell_path_mtu(struct link_conn *conn, uint32_t mtu);
size_t raw_arrivals(const struct link_conn *conn, struct link_segment *out,
		    size_t cap);
bool raw_make_room(struct link_conn *conn);
uint64_t raw_lost(const struct link_conn *conn);
uint64_t raw_unacknowledged(const struct link_conn *conn);
uint32_t raw_emss(const struct link_conn *conn);
uint32_t raw_mss(const struct link_conn *conn);
uint32_t raw_emss_out(const struct link_conn *conn);

#endif
