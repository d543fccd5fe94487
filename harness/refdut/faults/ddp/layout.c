/* SPDX-License-Identifier: BSD-2-Clause */
/* DDP headers with a layout other than that of RFC 5041 s4.2 and s4.3. */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/layout_octets.h"

/* STag and TO */

MUTANT(tagged_little_endian, "DDP-4.2-01",
       "sends STag and TO least significant octet first", layout_tagged)
{
	OTHERWISE(layout_tagged);
	reverse(words, 4);
	reverse(words + 4, 8);
}

MUTANT(stag_little_endian, "DDP-4.2-01",
       "sends the STag of tagged segments least significant octet first",
       layout_tagged)
{
	OTHERWISE(layout_tagged);
	reverse(words, 4);
}

MUTANT(to_little_endian, "DDP-4.2-01", "sends TO least significant octet first",
       layout_tagged)
{
	OTHERWISE(layout_tagged);
	reverse(words + 4, 8);
}

MUTANT(to_halves_exchanged, "DDP-4.2-01",
       "sends the less significant half of TO first", layout_tagged)
{
	OTHERWISE(layout_tagged);
	exchange(words + 4, words + 8, 4);
}

MUTANT(stag_behind_to, "DDP-4.2-01", "exchanges STag and TO", layout_tagged)
{
	OTHERWISE(layout_tagged);
	exchange(words, words + 4, 4);
	exchange(words + 4, words + 8, 4);
}

/* QN, MSN and MO */

MUTANT(untagged_little_endian, "DDP-4.3-01",
       "sends QN, MSN and MO least significant octet first", layout_untagged)
{
	OTHERWISE(layout_untagged);
	for (unsigned i = 0; i < 3; i++)
		reverse(words + 4 * i, 4);
}

MUTANT(qn_little_endian, "DDP-4.3-01", "sends QN least significant octet first",
       layout_untagged)
{
	OTHERWISE(layout_untagged);
	reverse(words, 4);
}

MUTANT(msn_little_endian, "DDP-4.3-01",
       "sends MSN least significant octet first", layout_untagged)
{
	OTHERWISE(layout_untagged);
	reverse(words + 4, 4);
}

MUTANT(msn_and_mo_exchanged, "DDP-4.3-01", "exchanges MSN and MO",
       layout_untagged)
{
	OTHERWISE(layout_untagged);
	exchange(words + 4, words + 8, 4);
}

MUTANT(qn_and_msn_exchanged, "DDP-4.3-01", "exchanges QN and MSN",
       layout_untagged)
{
	OTHERWISE(layout_untagged);
	exchange(words, words + 4, 4);
}
