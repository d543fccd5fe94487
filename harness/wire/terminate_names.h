/* SPDX-License-Identifier: BSD-2-Clause */
/* The registered numbers of a Terminate (RFC 6580 s3.1 to s3.3, RFC 6581
 * s8). */
#ifndef HARNESS_WIRE_TERMINATE_NAMES_H
#define HARNESS_WIRE_TERMINATE_NAMES_H

/*
 * Short names for the numbers of a Terminate: "DDP", "untagged", "no buffer".
 * NULL: not registered. The name of a code is "" if its type has no registered
 * codes.
 */
struct terminate_names {
	const char *layer, *etype, *code;
};
struct terminate_names terminate_names(unsigned layer, unsigned etype,
				       unsigned code);

#endif
