/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that a vector may state. */
#include <ctype.h>
#include <string.h>

#include "vectors/tool/vec.h"

static const char *const names[] = {
	/* startup */
	"key",
	"m",
	"c",
	"r",
	"s",
	"reserved",
	"rev",
	"pd_length",
	"enh_a",
	"enh_b",
	"enh_c",
	"enh_d",
	"ird",
	"ord",
	"private",
	/* FPDU */
	"octets",
	"ulpdu_length",
	"pad",
	"crc",
	"markers",
	"fpdus",
	/* DDP and RDMAP control */
	"t",
	"l",
	"ddp_reserved",
	"dv",
	"rv",
	"rdmap_reserved",
	"opcode",
	"stag",
	"to",
	"inval_stag",
	"qn",
	"msn",
	"mo",
	"short_header",
	"payload",
	"payload_octets",
	/* Read Request */
	"sink_stag",
	"sink_to",
	"size",
	"source_stag",
	"source_to",
	/* Terminate */
	"layer",
	"etype",
	"code",
	"d",
	"term_reserved",
	"segment_length",
	"ddp_header",
	"rdma_header",
	"truncated",
	/* Atomics, Immediate Data */
	"atomic_reserved",
	"aopcode",
	"id",
	"remote_stag",
	"remote_to",
	"data",
	"mask",
	"compare",
	"compare_mask",
	"value",
	"imm",
	"tail",
	/* kinds without a frame */
	"wire",
	"old",
	"new",
	"before_le",
	"after_le",
	"emss",
	"mulpdu",
	/* SCTP chunks: session control, adaptation */
	"chunk_type",
	"chunk_length",
	"u",
	"b",
	"e",
	"tsn",
	"stream",
	"ssn",
	"ppid",
	"ddp_ssn",
	"function",
	"tag",
	"window",
	"outbound",
	"inbound",
	"parameters",
	"adaptation",
};

/* Past a decimal number and a dot, or NULL. */
static const char *past_index(const char *s)
{
	if (!isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return *s == '.' ? s + 1 : NULL;
}

bool vec_name_known(const char *name)
{
	const char *s = past_index(name);

	if (s)
		name = s;
	if (!strncmp(name, "marker.", 7)) {
		s = past_index(name + 7);
		return s && (!strcmp(s, "at") || !strcmp(s, "reserved") ||
			     !strcmp(s, "fpduptr"));
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}
