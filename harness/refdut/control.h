/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control devices (control.def): some are not iWARP devices at all; others are
 * correct except for one kind of rule. A case about that kind must distinguish
 * each of them from a correct device: it never passes on them.
 *
 * Those that are not iWARP devices have the agent side of the reference device.
 * Their wire side is replaced as soon as TCP or an SCTP association is up, or
 * from the first FPDU on; or earlier, if they must not send any SCTP packet.
 */
#ifndef HARNESS_REFDUT_CONTROL_H
#define HARNESS_REFDUT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct conn;
struct work;

#define CONTROL(ident, name, kind, how, sentence) CONTROL_##ident,
enum control {
	CONTROL_NONE,
#include "harness/refdut/control.def"
	CONTROLS
};
#undef CONTROL

extern enum control control_chosen;

/* Choose a control. False: there is no control with this name. */
bool control_choose(const char *name);

/* Name, kind, sentence: one line each, separated by tabs. */
void control_list(FILE *to);

/* TCP is up. True: the connection now belongs to the control. */
bool control_connected(struct conn *conn);

/* Octets arrived on a connection that belongs to the control. */
void control_input(struct conn *conn, const uint8_t *octets, size_t n);

/* The treatment of every SCTP association when it is up. */
enum control_association {
	ASSOCIATION_SERVED,   /* as by any device */
	ASSOCIATION_ENDED,    /* it is shut down at once */
	ASSOCIATION_ABORTED,  /* it is aborted at once */
	ASSOCIATION_ANSWERED, /* the control answers its messages */
};

enum control_association control_association(void);

/* The answer to a message of an association that belongs to the control: it
 * replaces the same number of octets. */
void control_message(uint8_t *octets, size_t n);

/* A valid FPDU arrived after a correct startup; `first`: it is the first of its
 * stream. True: the control has handled it. */
bool control_fpdu(struct conn *conn, const uint8_t *ulpdu, uint32_t len,
		  bool first);

/* An error was found, to be reported with this type and code. True: the control
 * has handled it. */
bool control_fault(struct conn *conn, unsigned *type, unsigned *code);

/* A segment with a complete header arrived; `first`: it is the first of its
 * stream. True: the control has handled it. */
bool control_segment(struct conn *conn, const uint8_t *ulpdu, uint32_t len,
		     bool first);

/* Work was posted. True: nothing more is done with it. False: it may already
 * have its status. */
bool control_post(struct work *work);

/* Whether no incoming octet reaches a buffer of the ULP. */
bool control_places_nothing(void);

static inline bool control_is(enum control control)
{
	return control_chosen == control;
}

#endif
