/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case. A case file includes this header and nothing else.
 * The declarations in case_*.h are the language, and its manual. The rest of
 * the folder is the implementation (execution.h), on a test bed that cases
 * share (testbed.h).
 *
 *   CASE(name, .title = "...", .needs = ..., .role = ...) { body }
 *
 * registers one case under the id FOLDER/FILE/name. The body speaks of three
 * parties: the peer (the suite's own end of the wire), the dut (asked through
 * its agent) and t (the case that runs). A statement either happens or ends the
 * case: a body never checks for failure.
 *
 * A case waits only for events. Each wait ends at a deadline that only bounds a
 * failure.
 */
#ifndef SUITE_LANGUAGE_CASE_H
#define SUITE_LANGUAGE_CASE_H

#include "suite/language/words/case_register.h"
#include "suite/language/words/case_expect.h"
#include "suite/language/words/case_reading.h"
#include "suite/language/words/case_dut.h"
#include "suite/language/words/case_stream.h"
#include "suite/language/words/case_wire.h"
#include "suite/language/words/case_history.h"
#include "suite/language/words/case_kind.h"
#include "suite/language/words/case_sctp.h"

#endif
