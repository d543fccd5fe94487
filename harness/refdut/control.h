/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control devices: not devices with a fault but no iWARP devices at all.
 * The agent side is that of the reference device; the wire side is replaced
 * from the moment TCP is up, or from the first FPDU on. No case about
 * refusal may pass on any of them.
 */
#ifndef HARNESS_REFDUT_CONTROL_H
#define HARNESS_REFDUT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn;

enum control {
	CONTROL_NONE,
	CONTROL_MUTE,
	CONTROL_CLOSER,
	CONTROL_RESETTER,
	CONTROL_GARBAGE,
	CONTROL_ECHO,
	CONTROL_HANGUP,
	CONTROL_TERMINATOR,
	CONTROLS
};

extern enum control control_chosen;

/* Choose by name; false where there is none of that name. */
bool control_choose(const char *name);

/* TCP is up. True: the connection is the control's now. */
bool control_connected(struct conn *conn);

/* Octets came on a connection that is the control's. */
void control_input(struct conn *conn, const uint8_t *octets, size_t n);

/* A valid FPDU came after a correct startup. True: it was dealt with. */
bool control_fpdu(struct conn *conn);

#endif
