/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as octets are handed to TCP (RFC 5044 s5.1). */
#include "harness/refdut/conn_output_decisions.h"
#include "harness/refdut/decision/override.h"

VARIANT(tcp, fpdus_cut, "MPA-5.1-01",
	"hands octets to TCP without regard to where FPDUs begin",
	octets_handed_over)
{
	return n > 700 && chosen(self) ? 700 : OTHERWISE(octets_handed_over);
}
