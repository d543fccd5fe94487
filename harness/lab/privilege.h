/* SPDX-License-Identifier: BSD-2-Clause */
/* Giving privileges up, once what needs them is open. */
#ifndef HARNESS_LAB_PRIVILEGE_H
#define HARNESS_LAB_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Every capability, for this process and all it starts; under sudo the
 * identity of who called it is taken back first. False: one line in why.
 */
bool privilege_drop(char *why, size_t cap);

#endif
