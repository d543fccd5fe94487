/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry of a Terminate's numbers (RFC 6580 s3.1 to s3.3, RFC 6581 s8). */
#ifndef HARNESS_WIRE_TERMINATE_NAMES_H
#define HARNESS_WIRE_TERMINATE_NAMES_H

/*
 * Short names for the numbers of a Terminate: "DDP", "untagged", "no buffer".
 * NULL: not registered. The name of a code may be empty: its type says it all.
 */
struct terminate_names {
	const char *layer, *etype, *code;
};
struct terminate_names terminate_names(unsigned layer, unsigned etype,
				       unsigned code);

#endif
