/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/result.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *id, const void *result)
{
	return strcmp(id, ((const struct result *)result)->id);
}

const struct result *result_find(const struct run_result *run, const char *id)
{
	return run->count ? bsearch(id, run->results, run->count,
				    sizeof(*run->results), by_id)
			  : NULL;
}

const char *verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return "pass";
	case VERDICT_FAIL:
		return "fail";
	case VERDICT_WARN:
		return "warn";
	case VERDICT_INFO:
		return "info";
	case VERDICT_SKIP:
		return "skip";
	case VERDICT_XFAIL:
		return "xfail";
	case VERDICT_ERROR:
		return "error";
	case VERDICT_BLOCKED:
		return "blocked";
	case VERDICT_COUNT:
		break;
	}
	return "";
}

const char *teardown_name(enum teardown t)
{
	switch (t) {
	case TEARDOWN_NONE:
		return "none";
	case TEARDOWN_OPEN:
		return "open";
	case TEARDOWN_TERMINATE_FIN:
		return "terminate-fin";
	case TEARDOWN_TERMINATE_RST:
		return "terminate-rst";
	case TEARDOWN_TERMINATE_OPEN:
		return "terminate-open";
	case TEARDOWN_FIN:
		return "fin";
	case TEARDOWN_RST:
		return "rst";
	case TEARDOWN_COUNT:
		break;
	}
	return "";
}

const char *event_kind_name(enum result_event_kind k)
{
	switch (k) {
	case EVENT_STARTUP:
		return "startup";
	case EVENT_FRAME:
		return "frame";
	case EVENT_OCTETS:
		return "octets";
	case EVENT_FIN:
		return "fin";
	case EVENT_RESET:
		return "reset";
	case EVENT_AGENT:
		return "agent";
	case EVENT_NOTE:
		return "note";
	case EVENT_KIND_COUNT:
		break;
	}
	return "";
}

enum result_event_kind event_kind_named(const char *name)
{
	enum result_event_kind k = 0;

	while (k < EVENT_KIND_COUNT && strcmp(name, event_kind_name(k)) != 0)
		k++;
	return k;
}
