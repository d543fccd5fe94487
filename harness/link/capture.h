/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture of one case, made from what was sent and received, so that it
 * needs no privileges: the octets are wrapped in TCP over IP (with matching
 * addresses, ports, sequence numbers and checksums; one segment per write or
 * read) and saved as a pcapng file that Wireshark opens.
 *
 * A packet of SCTP is kept unchanged, directly in IP, even if it was sent in
 * UDP: readers recognize it by IP's protocol number, but inside UDP only by one
 * port.
 *
 * Recording appends to memory and does nothing else; the packets are built
 * when the capture is saved. Every call takes NULL for "no capture".
 */
#ifndef HARNESS_LINK_CAPTURE_H
#define HARNESS_LINK_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

enum { CAPTURE_LIMIT = 64 << 20 }; /* octets; the usual bound */
enum { CAPTURE_FLOWS = 256 };      /* connections in one capture */
#define CAPTURE_WHY 256

enum capture_dir { CAPTURE_SENT, CAPTURE_RECEIVED }; /* seen from us */

/* Holds at most `limit` octets of memory. NULL when memory is out. */
struct capture *capture_open(size_t limit);
void capture_close(struct capture *c);

/* Forget everything, keep the memory: the next case. */
void capture_restart(struct capture *c);

/* A connection was made: its number, or -1 when it is not recorded. */
int capture_flow(struct capture *c, const struct link_end *local,
		 const struct link_end *remote, bool we_connected);

/* Nothing happens on flow -1. */
void capture_data(struct capture *c, int flow, enum capture_dir dir,
		  const void *octets, size_t n);
void capture_fin(struct capture *c, int flow, enum capture_dir dir);
void capture_reset(struct capture *c, int flow, enum capture_dir dir);

/* A packet of SCTP, n octets from its common header on; the ports of the ends
 * are ignored. The file's note about it lives as long as the process, or is
 * NULL. */
void capture_sctp(struct capture *c, const struct link_end *local,
		  const struct link_end *remote, enum capture_dir dir,
		  const void *octets, size_t n, const char *comment);

/*
 * An Ethernet frame as it was seen: n octets of `length`, and its time, in
 * nanoseconds of the wall clock. A capture with frames is saved with nothing
 * else.
 */
void capture_frame(struct capture *c, const void *octets, size_t n,
		   size_t length, uint64_t at_ns);

/* The limit was reached: everything later is missing. */
bool capture_is_cut(const struct capture *c);
/* Nothing was recorded. */
bool capture_is_empty(const struct capture *c);

/* The file's note about itself; NULL or "": none. */
struct capture_about {
	const char *application;  /* that wrote it */
	const char *link;         /* the name of its interface */
	const char *comment;      /* on the whole, in lines */
	const char *first, *last; /* on its first and last packet */
	/* Called for each part of the file as it is written, or NULL. */
	void (*written)(void *user, const void *octets, size_t n);
	void *user;
};

/* How many octets the file will have. */
uint64_t capture_octets(const struct capture *c,
			const struct capture_about *about);

/*
 * Write it to path (pcapng, nanoseconds; Ethernet with frames, else IP); about
 * may be NULL. 0, or -1 with one line in why; then there is no new file under
 * that name, and an old one is unchanged.
 */
int capture_save(const struct capture *c, const struct capture_about *about,
		 const char *path, char why[CAPTURE_WHY]);

#endif
