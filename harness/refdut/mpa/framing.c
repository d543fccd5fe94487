/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the RFCs leave a choice: each marker is checked for consistency with
 * the ULPDU_Length that framing depends on (RFC 5044 s8 code 3); a marker due
 * after a CRC is sent with the next FPDU; with CRC off, the field is sent as
 * zero.
 */
#include "harness/refdut/mpa/framing.h"
#include "harness/crc/crc.h"
#include "harness/refdut/mpa/framing_decisions.h"

#include <string.h>

/* --- MULPDU (RFC 5044 s4.5) --------------------------------------------- */

RULE(mulpdu_overhead)
{
	uint32_t overhead = LENGTH_SIZE + CRC_SIZE + emss % 4;

	if (markers)
		overhead += MARKER_SIZE *
			    ((emss + MARKER_INTERVAL - 1) / MARKER_INTERVAL);
	return overhead;
}

RULE(mulpdu_for)
{
	if (room < MULPDU_MIN)
		return MULPDU_MIN;
	return room < MULPDU_MAX ? room : MULPDU_MAX;
}

uint32_t framing_mulpdu(uint32_t emss, bool markers)
{
	uint32_t overhead = mulpdu_overhead(emss, markers);

	return mulpdu_for(emss > overhead ? emss - overhead : 0);
}

/* --- The fields of an FPDU (RFC 5044 s4.1) ------------------------------ */

static size_t pad_of(size_t ulpdu_length)
{
	return (0 - (ulpdu_length + LENGTH_SIZE)) & 3;
}

RULE(tx_ulpdu_length)
{
	return header_len + len;
}

RULE(tx_pad_length)
{
	return pad_of(ulpdu_length);
}

RULE(rx_pad_length)
{
	return pad_of(ulpdu_length);
}

RULE(tx_pad)
{
	static const uint8_t zeros[4];

	return zeros;
}

RULE(rx_crc_field_length)
{
	return CRC_SIZE;
}

/* --- Outgoing markers (RFC 5044 s4.2, s4.3) ----------------------------- */

RULE(tx_marker_interval)
{
	return MARKER_INTERVAL;
}

RULE(tx_marker_due)
{
	return tx->markers && place != MARKER_BEHIND_FPDU &&
	       tx->at % tx_marker_interval(tx) == 0;
}

RULE(tx_fpduptr)
{
	if (place == MARKER_BEFORE_FPDU || place == MARKER_BEHIND_FPDU)
		return 0;
	return (uint16_t)distance;
}

RULE(tx_marker)
{
	be16_put(marker, 0);
	be16_put(marker + 2, fpduptr);
	return MARKER_SIZE;
}

/* One outgoing FPDU. */
struct assembly {
	struct framing *tx;
	uint8_t *out;
	size_t n;
	uint64_t length_at; /* stream offset of ULPDU_Length */
};

/* Put a marker, if one is due here; returns its length. */
static size_t put_marker(struct assembly *a, enum marker_place place)
{
	uint64_t distance = a->tx->at - a->length_at;
	size_t n;

	if (!tx_marker_due(a->tx, place))
		return 0;
	n = tx_marker(a->out + a->n, tx_fpduptr(a->tx, place, distance));
	a->n += n;
	a->tx->at += n;
	return n;
}

static void put(struct assembly *a, const void *octets, size_t len)
{
	const uint8_t *from = octets;

	while (len) {
		size_t n = len;

		if (a->tx->markers) {
			size_t interval = tx_marker_interval(a->tx);
			size_t room;

			put_marker(a, MARKER_INSIDE);
			room = interval - a->tx->at % interval;
			n = n < room ? n : room;
		}
		memcpy(a->out + a->n, from, n);
		a->n += n;
		a->tx->at += n;
		from += n;
		len -= n;
	}
}

/* --- The outgoing CRC (RFC 5044 s4.4) ----------------------------------- */

RULE(tx_crc_filled)
{
	return tx->crc;
}

RULE(tx_crc)
{
	return crc32c(octets, n);
}

RULE(tx_crc_field_unused)
{
	memset(field, 0, CRC_SIZE);
	return CRC_SIZE;
}

static void put_crc(struct assembly *a, const uint8_t *header, size_t lead,
		    size_t tail)
{
	uint8_t *field = a->out + a->n;
	size_t n = CRC_SIZE;

	if (tx_crc_filled(a->tx))
		crc_put(field, tx_crc(a->tx, a->out, a->n, lead, tail));
	else
		n = tx_crc_field_unused(header, field);
	a->n += n;
	a->tx->at += n;
}

/* --- An FPDU out -------------------------------------------------------- */

void framing_put(struct framing *tx, struct buf *out, const uint8_t *header,
		 size_t header_len, const uint8_t *payload, size_t len)
{
	size_t most = LENGTH_SIZE + header_len + len + 3 + CRC_SIZE;
	struct assembly a = {.tx = tx};
	uint8_t length[LENGTH_SIZE];
	size_t lead, tail, pad;

	most += MARKER_SIZE * (most / (MARKER_INTERVAL - MARKER_SIZE) + 2);
	a.out = buf_room(out, most);
	lead = put_marker(&a, MARKER_BEFORE_FPDU);
	a.length_at = tx->at;
	be16_put(length,
		 (uint16_t)tx_ulpdu_length(tx, header, header_len, len));
	/* The marker just put is the one due here: no second one can follow
	 * it. */
	memcpy(a.out + a.n, length, LENGTH_SIZE);
	a.n += LENGTH_SIZE;
	tx->at += LENGTH_SIZE;
	put(&a, header, header_len);
	put(&a, payload, len);
	pad = tx_pad_length(header_len + len);
	put(&a, tx_pad(pad), pad);
	tail = put_marker(&a, MARKER_BEFORE_CRC);
	put_crc(&a, header, lead, tail);
	buf_grow(out, a.n);
}

void framing_put_early(struct framing *tx, struct buf *out)
{
	struct assembly a = {.tx = tx};

	a.out = buf_room(out, MARKER_SIZE);
	put_marker(&a, MARKER_BEHIND_FPDU);
	buf_grow(out, a.n);
}

/* --- An FPDU in --------------------------------------------------------- */

/* The length of the marker before an FPDU that starts here; 0 if there is
 * none. */
static size_t lead_of(const struct framing *rx)
{
	return rx->markers && rx->at % MARKER_INTERVAL == 0 ? MARKER_SIZE : 0;
}

RULE(rx_octets_of_stream)
{
	const size_t between = MARKER_INTERVAL - MARKER_SIZE;
	size_t lead = lead_of(rx);
	size_t gap, inner;

	if (!rx->markers)
		return own;
	/* The number of the FPDU's own octets before the first marker inside
	 * it. */
	gap = MARKER_INTERVAL - lead - rx->at % MARKER_INTERVAL;
	inner = own > gap ? (own - gap + between - 1) / between : 0;
	return lead + own + MARKER_SIZE * inner;
}

RULE(rx_marker_inside)
{
	return at % MARKER_INTERVAL == 0;
}

RULE(rx_marker_valid)
{
	return (be16(marker + 2) & 0xfffc) == distance;
}

/* Copy the ULPDU without its markers. False: a marker is not valid. */
static bool strip(const struct framing *rx, const uint8_t *octets,
		  size_t octets_len, uint8_t *ulpdu, size_t len)
{
	size_t lead = lead_of(rx);
	uint64_t at = rx->at + lead + LENGTH_SIZE;
	size_t from = lead + LENGTH_SIZE;
	size_t to = 0;
	unsigned markers = 0;
	bool valid = !lead || rx_marker_valid(octets, 0);

	while (from + CRC_SIZE < octets_len) {
		size_t n = MARKER_INTERVAL - at % MARKER_INTERVAL;

		if (rx_marker_inside(rx, at, markers)) {
			if (!rx_marker_valid(octets + from, from - lead))
				valid = false;
			from += MARKER_SIZE;
			at += MARKER_SIZE;
			n -= MARKER_SIZE;
			markers++;
		}
		if (n > octets_len - from)
			n = octets_len - from;
		if (to < len)
			memcpy(ulpdu + to, octets + from,
			       n < len - to ? n : len - to);
		to += n;
		from += n;
		at += n;
	}
	return valid;
}

RULE(rx_intact)
{
	return !rx->crc || crc32c(octets, n) == crc_get(crc);
}

RULE(rx_fpdu)
{
	static uint8_t stripped[ULPDU_MAX + 1];
	size_t lead = lead_of(rx);
	const uint8_t *crc;
	bool valid = true;
	bool intact;

	if (n < lead + LENGTH_SIZE)
		return FRAMING_MORE;
	ulpdu->len = be16(octets + lead);
	ulpdu->raw = rx_octets_of_stream(rx, LENGTH_SIZE + ulpdu->len +
						     rx_pad_length(ulpdu->len) +
						     rx_crc_field_length(rx));
	if (n < ulpdu->raw)
		return FRAMING_MORE;
	crc = octets + ulpdu->raw - CRC_SIZE;
	ulpdu->octets = octets + lead + LENGTH_SIZE;
	if (rx->markers) {
		valid = strip(rx, octets, ulpdu->raw, stripped, ulpdu->len);
		ulpdu->octets = stripped;
	}
	intact = rx_intact(rx, octets, (size_t)(crc - octets), crc, ulpdu);
	rx->at += ulpdu->raw;
	if (!intact)
		return FRAMING_BAD_CRC;
	return valid ? FRAMING_ULPDU : FRAMING_BAD_MARKER;
}

enum framing_result framing_get(struct framing *rx, const uint8_t *octets,
				size_t n, struct ulpdu *ulpdu)
{
	return rx_fpdu(rx, octets, n, ulpdu);
}
