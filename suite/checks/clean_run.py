#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""clean_run.py BUILD REPORT OPTION... - write the report of a whole run on the
clean device to the file REPORT. If the folder CLEAN_RUNS has this run already,
it is not made again (matrix.py). Exit: 0 every case passed, 1 not; then stderr
says why, and there may be no report."""
import json
import os
import sys

sys.dont_write_bytecode = True
import matrix  # noqa: E402

build, path, *options = sys.argv[1:]
report, why = matrix.clean_run(os.path.join(build, "warpspec"), options)
if report:
    with open(path, "w", encoding="utf-8") as f:
        json.dump(report, f)
if why or not report:
    print(why, file=sys.stderr)
    sys.exit(1)
