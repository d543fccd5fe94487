/* SPDX-License-Identifier: BSD-2-Clause */
/* Dropping privileges, once everything that needs them is open. */
#ifndef HARNESS_LAB_PRIVILEGE_H
#define HARNESS_LAB_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Drops all capabilities of this process and of all processes that it starts.
 * Under sudo, the process first becomes the user who called sudo. False: one
 * line in why.
 */
bool privilege_drop(char *why, size_t cap);

#endif
