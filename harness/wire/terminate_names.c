/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/terminate_names.h"

#include <stddef.h>
#include <stdint.h>

#include "harness/wire/rdmap.h"

#define ANY 0x100

/*
 * RFC 6580 s3.1 to s3.3, and the three codes of RFC 6581 s8. If a type has no
 * codes, or only one, its name is sufficient.
 */
static const char *const layer_names[] = {
	[TERM_RDMA] = "RDMA",
	[TERM_DDP] = "DDP",
	[TERM_LLP] = "LLP",
};

static const struct {
	uint8_t layer, etype;
	const char *name;
} type_names[] = {
	{TERM_RDMA, 0, "local catastrophic"},
	{TERM_RDMA, 1, "remote protection"},
	{TERM_RDMA, 2, "remote operation"},
	{TERM_DDP, 0, "local catastrophic"},
	{TERM_DDP, 1, "tagged"},
	{TERM_DDP, 2, "untagged"},
	{TERM_DDP, 3, "reserved for the LLP"},
	{TERM_LLP, 0, "MPA"},
};

static const struct {
	uint8_t layer, etype;
	uint16_t code; /* or ANY: any value will do */
	const char *name;
} code_names[] = {
	{TERM_RDMA, 0, ANY, ""},
	{TERM_RDMA, 1, 0x00, "invalid STag"},
	{TERM_RDMA, 1, 0x01, "base or bounds violation"},
	{TERM_RDMA, 1, 0x02, "access rights violation"},
	{TERM_RDMA, 1, 0x03, "STag not associated with RDMAP Stream"},
	{TERM_RDMA, 1, 0x04, "TO wrap"},
	{TERM_RDMA, 1, 0x09, "STag cannot be invalidated"},
	{TERM_RDMA, 1, 0xff, "unspecified"},
	{TERM_RDMA, 2, 0x05, "invalid RDMAP version"},
	{TERM_RDMA, 2, 0x06, "unexpected OpCode"},
	{TERM_RDMA, 2, 0x07, "catastrophic, localized to RDMAP Stream"},
	{TERM_RDMA, 2, 0x08, "catastrophic, global"},
	{TERM_RDMA, 2, 0x09, "STag cannot be invalidated"},
	{TERM_RDMA, 2, 0xff, "unspecified"},
	{TERM_DDP, 0, 0x00, ""},
	{TERM_DDP, 1, 0x00, "invalid STag"},
	{TERM_DDP, 1, 0x01, "base or bounds violation"},
	{TERM_DDP, 1, 0x02, "STag not associated with DDP Stream"},
	{TERM_DDP, 1, 0x03, "TO wrap"},
	{TERM_DDP, 1, 0x04, "invalid DDP version"},
	{TERM_DDP, 2, 0x01, "invalid QN"},
	{TERM_DDP, 2, 0x02, "no buffer"},
	{TERM_DDP, 2, 0x03, "MSN range not valid"},
	{TERM_DDP, 2, 0x04, "invalid MO"},
	{TERM_DDP, 2, 0x05, "message too long for buffer"},
	{TERM_DDP, 2, 0x06, "invalid DDP version"},
	{TERM_DDP, 3, ANY, ""},
	{TERM_LLP, 0, 0x01, "TCP connection closed, terminated or lost"},
	{TERM_LLP, 0, 0x02, "CRC error"},
	{TERM_LLP, 0, 0x03, "marker and ULPDU Length mismatch"},
	{TERM_LLP, 0, 0x04, "invalid Request or Reply Frame"},
	{TERM_LLP, 0, 0x05, "local catastrophic"},
	{TERM_LLP, 0, 0x06, "insufficient IRD resources"},
	{TERM_LLP, 0, 0x07, "no matching RTR option"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct terminate_names terminate_names(unsigned layer, unsigned etype,
				       unsigned code)
{
	struct terminate_names names = {NULL, NULL, NULL};
	size_t i;

	if (layer < COUNT(layer_names))
		names.layer = layer_names[layer];
	for (i = 0; i < COUNT(type_names); i++)
		if (type_names[i].layer == layer &&
		    type_names[i].etype == etype)
			names.etype = type_names[i].name;
	for (i = 0; i < COUNT(code_names) && code <= 0xff; i++)
		if (code_names[i].layer == layer &&
		    code_names[i].etype == etype &&
		    (code_names[i].code == ANY || code_names[i].code == code))
			names.code = code_names[i].name;
	return names;
}
