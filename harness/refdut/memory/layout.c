/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers assemble each group as the RFCs draw it: nothing is left to
 * do. */
#include "harness/refdut/memory/layout.h"

RULE(layout_terminate) {}

RULE(layout_tagged) {}

RULE(layout_untagged) {}

RULE(layout_enhanced) {}

RULE(layout_operands) {}
