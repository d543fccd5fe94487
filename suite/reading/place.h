/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of the octets of a group of fields in a device's frames.
 */
#ifndef SUITE_READING_PLACE_H
#define SUITE_READING_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/observe/observe.h"
#include "suite/reading/groups.h"

/* The octets in this frame, as sent; NULL if it does not have the group. For
 * the CRC field and groups of the ULPDU. */
const uint8_t *reading_octets(const struct frame *f, enum reading_group g);
/* The enhanced data of a startup frame of n octets; NULL if it has none. */
const uint8_t *reading_enhanced_octets(const uint8_t *octets, size_t n);

#endif
