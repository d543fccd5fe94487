/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <unistd.h>

#include "reports/publish/publish.h"
#include "suite/cli/complain.h"
#include "suite/decode/decode.h"

int command_decode(struct cli *c)
{
	const struct decode_options o = {.json = c->json,
					 .colour = report_colours(stdout),
					 .no_crc = c->no_crc,
					 .markers = c->markers};
	char why[1024];

	if (c->run.selector_count > 1 &&
	    access(c->run.selectors[0], F_OK) == 0) {
		snprintf(why, sizeof(why),
			 "decode: one file at a time, but there are %zu: from "
			 "%.200s on",
			 c->run.selector_count, c->run.selectors[0]);
		return complain(EXIT_USAGE, why);
	}
	switch (decode(c->run.selectors, c->run.selector_count, &o, stdout, why,
		       sizeof(why))) {
	case DECODE_FRAMES:
		return flushed(0);
	case DECODE_REST:
		return flushed(EXIT_FAILED);
	case DECODE_UNREAD:
		break;
	}
	return complain(EXIT_USAGE, why);
}
