/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a pcap or pcapng file, one at a time, from a file or a pipe: the
 * one reader of captures. Memory is bounded by the largest packet.
 *
 * libpcap cannot read some captures that are common in labs: it rejects a
 * pcapng file whose interfaces differ in link type or snapshot length.
 */
#ifndef HARNESS_LINK_RAW_CAPTURE_FILE_H
#define HARNESS_LINK_RAW_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CAPTURE_FILE_WHY = 256 };

struct capture_packet {
	uint64_t number;       /* from 1 */
	unsigned link;         /* LINKTYPE of its interface */
	const uint8_t *octets; /* as captured, until the next call */
	size_t n, length;      /* octets captured, and on the wire */
	uint64_t at_ns;        /* since 1970; 0: unknown */
};

enum capture_status {
	CAPTURE_PACKET,
	CAPTURE_END,
	CAPTURE_BROKEN, /* nothing after it can be read: one line in why */
};

struct capture_file;

/* Takes over the file, and closes it in any case. NULL: one line in `why`. */
struct capture_file *capture_file_open(FILE *file, char why[CAPTURE_FILE_WHY]);
enum capture_status capture_file_next(struct capture_file *c,
				      struct capture_packet *p,
				      char why[CAPTURE_FILE_WHY]);
void capture_file_close(struct capture_file *c);

/* Whether a file that begins with these octets is a capture. */
bool capture_file_is(const uint8_t magic[4]);

/* Whether capture_packet_to_ip() supports this link type. */
bool capture_link_known(unsigned link);
/*
 * Skip the headers of the link, including VLAN tags, so that the packet begins
 * with IP. False: the packet is not IP, and is unchanged.
 */
bool capture_packet_to_ip(struct capture_packet *p);

#endif
