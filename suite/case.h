/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case. A case file includes this header and nothing else.
 *
 *   CASE(name, .title = "...", .needs = ..., .role = ...) { body }
 *
 * registers one case under the id FOLDER/FILE/name. The body speaks of three
 * parties: the peer (the suite's own end of the wire), the dut (asked through
 * its agent) and t (the case that runs). A statement either happens or ends
 * the case: a body never checks for failure.
 *
 * Waits are for events, and end at a deadline that only bounds a failure.
 */
#ifndef SUITE_CASE_H
#define SUITE_CASE_H

#include "suite/case_register.h"
#include "suite/case_expect.h"
#include "suite/case_reading.h"
#include "suite/case_dut.h"
#include "suite/case_stream.h"
#include "suite/case_wire.h"

#endif
