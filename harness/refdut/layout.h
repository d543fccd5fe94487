/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutants that lay out a group of fields in another way than the RFCs draw
 * it, always the same: what comes of structs and bit-fields on the wrong
 * machine. Each function takes the group as it belongs and leaves it as the
 * mutant sends it.
 */
#ifndef HARNESS_REFDUT_LAYOUT_H
#define HARNESS_REFDUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* The control word of a Terminate: 4 octets. */
void layout_terminate(uint8_t *word);
/* STag and TO: 12 octets. */
void layout_tagged(uint8_t *words);
/* QN, MSN and MO: 12 octets. */
void layout_untagged(uint8_t *words);
/* The enhanced data of a Request or Reply: 4 octets. */
void layout_enhanced(uint8_t *words, bool reply);
/* The four operands of an Atomic Request: 32 octets. */
void layout_operands(uint8_t *words);

#endif
