/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture of one case. It needs no privileges, because it is made from the
 * octets that were sent and received: they are wrapped in TCP over IP (with
 * matching addresses, ports, sequence numbers and checksums; one segment per
 * write or read) and saved as a pcapng file that Wireshark opens.
 *
 * An SCTP packet is kept unchanged, directly in IP, even if it was sent in UDP:
 * readers recognize SCTP in IP by the protocol number, but SCTP in UDP only at
 * one port.
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

enum capture_dir { CAPTURE_SENT, CAPTURE_RECEIVED }; /* by this end */

/* Holds at most `limit` octets of memory. NULL: out of memory. */
struct capture *capture_open(size_t limit);
void capture_close(struct capture *c);

/* Forget everything, but keep the memory for the next case. */
void capture_restart(struct capture *c);

/* Record a new connection. Returns its number, or -1: it is not recorded. */
int capture_flow(struct capture *c, const struct link_end *local,
		 const struct link_end *remote, bool we_connected);

/* These do nothing for flow -1. */
void capture_data(struct capture *c, int flow, enum capture_dir dir,
		  const void *octets, size_t n);
void capture_fin(struct capture *c, int flow, enum capture_dir dir);
void capture_reset(struct capture *c, int flow, enum capture_dir dir);

/* Record an SCTP packet: n octets, from its common header on. The ports of the
 * ends are ignored. `comment` is the file's note about the packet, or NULL; it
 * is not copied, and has to stay valid as long as the process. */
void capture_sctp(struct capture *c, const struct link_end *local,
		  const struct link_end *remote, enum capture_dir dir,
		  const void *octets, size_t n, const char *comment);

/*
 * Record an Ethernet frame as it was seen: n of its `length` octets, and its
 * time, in nanoseconds of the wall clock. If a capture has frames, only these
 * are saved.
 */
void capture_frame(struct capture *c, const void *octets, size_t n,
		   size_t length, uint64_t at_ns);

/* A limit was reached, or memory ran out: later records are missing. */
bool capture_is_cut(const struct capture *c);
/* Nothing was recorded. */
bool capture_is_empty(const struct capture *c);

/* Notes that are written into the file; NULL or "": no such note. */
struct capture_about {
	const char *application;  /* the program that wrote the file */
	const char *link;         /* the name of the interface */
	const char *comment;      /* about the whole file, in lines */
	const char *first, *last; /* about the first and the last packet */
	/* Called for each part of the file as it is written, or NULL. */
	void (*written)(void *user, const void *octets, size_t n);
	void *user;
};

/* The size of the file, in octets. */
uint64_t capture_octets(const struct capture *c,
			const struct capture_about *about);

/*
 * Write the capture to `path`: pcapng, with time stamps in nanoseconds. Its
 * link type is Ethernet if the capture has frames, and IP otherwise. `about`
 * may be NULL. Returns 0, or -1 with one line in `why`; then there is no new
 * file of that name, and an old one is unchanged.
 */
int capture_save(const struct capture *c, const struct capture_about *about,
		 const char *path, char why[CAPTURE_WHY]);

#endif
