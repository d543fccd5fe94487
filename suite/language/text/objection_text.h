/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objections of the golden model in words: the fault, what was due and what
 * was seen, with the names that the RFCs give to fields, messages, flags and
 * numbers. They live as long as the events of the case.
 */
#ifndef SUITE_LANGUAGE_OBJECTION_TEXT_H
#define SUITE_LANGUAGE_OBJECTION_TEXT_H

#include "suite/language/execution/execution.h"

/* "the CRC is wrong\ndue:  CRC: 52 23 99 83\nseen: 00 00 00 00". */
const char *objection_text(struct test *t, const struct model_objection *o);
/* The name of the field at fault, or other words if it is not about a field;
 * NULL: there are none. */
const char *objection_field(const struct model_objection *o);

#endif
