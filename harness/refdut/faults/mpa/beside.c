/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a device that keeps what a startup has agreed on once for all its
 * streams, instead of once for each (RFC 5044 s4.3, s4.4, s7.1.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/conn_startup_decisions.h"
#include "harness/refdut/mpa/framing_decisions.h"

/* Of the last stream that has entered Full Operation. */
static bool last_crc, last_markers;

MUTANT(crc_sent_as_on_the_last_stream, "MPA-4.4-04 MPA-7.1.1-10",
       "sends no CRCs on any stream if the last stream agreed on none",
       tx_crc_used)
{
	last_crc = OTHERWISE(tx_crc_used);
	return last_crc;
}

ALSO(crc_sent_as_on_the_last_stream, tx_crc_filled)
{
	return last_crc && OTHERWISE(tx_crc_filled);
}

MUTANT(crc_checked_as_on_the_last_stream, "MPA-4.4-05",
       "checks no CRCs on any stream if the last stream agreed on none",
       rx_crc_used)
{
	last_crc = OTHERWISE(rx_crc_used);
	return last_crc;
}

ALSO(crc_checked_as_on_the_last_stream, rx_intact)
{
	return !last_crc || OTHERWISE(rx_intact);
}

MUTANT(markers_sent_as_on_the_last_stream, "MPA-4.3-01 MPA-7.1.1-07",
       "sends markers on no stream if the last peer has not asked for them",
       tx_markers_used)
{
	last_markers = OTHERWISE(tx_markers_used);
	return last_markers;
}

ALSO(markers_sent_as_on_the_last_stream, tx_marker_due)
{
	return last_markers && OTHERWISE(tx_marker_due);
}

MUTANT(markers_expected_as_on_the_last_stream, "MPA-4.3-20 MPA-4.3-23",
       "expects markers on each stream as on the last one", rx_markers_used)
{
	last_markers = OTHERWISE(rx_markers_used);
	return last_markers;
}

ALSO(markers_expected_as_on_the_last_stream, rx_fpdu)
{
	rx->markers = last_markers;
	return OTHERWISE(rx_fpdu);
}
