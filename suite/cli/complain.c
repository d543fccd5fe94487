/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli/complain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reports/text/escape.h"

/* The text about a file, a name or an agent may contain anything. */
int complain(int status, const char *why)
{
	fputs("warpspec: ", stderr);
	escape_put(stderr, why, strlen(why), ESCAPE_KEEP_NONE);
	fputc('\n', stderr);
	return status;
}

int output_failed(void)
{
	char why[128];

	if (errno == ENOMEM)
		return complain(EXIT_SUITE, "out of memory");
	snprintf(why, sizeof(why), "standard output failed: %s",
		 strerror(errno));
	return complain(EXIT_SUITE, why);
}

int flushed(int status)
{
	return fflush(stdout) == 0 && !ferror(stdout) ? status
						      : output_failed();
}

int printed(bool ok)
{
	return ok ? flushed(0) : output_failed();
}
