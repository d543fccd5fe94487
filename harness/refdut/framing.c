/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the texts leave a choice: markers are all checked for consistency
 * with the ULPDU_Length that framing rests on (RFC 5044 s8 code 3); a marker
 * due after a CRC is sent with the next FPDU; with CRC off the field is sent
 * as zero.
 */
#include "harness/refdut/framing.h"
#include "harness/crc/crc.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <string.h>

enum { LENGTH = 2, CRC = 4, MARKER = 4, ULPDU_MAX = 65535 };
enum { SEND = 0x43 }; /* the RDMAP control octet of one */

static size_t pad_of(size_t ulpdu_len)
{
	return (0 - (ulpdu_len + LENGTH)) & 3;
}

static size_t pad_expected(size_t ulpdu_len)
{
	size_t pad = pad_of(ulpdu_len);

	if (mutant(MUTANT_rx_pad_zero_taken_as_four) && pad == 0)
		return 4;
	if ((mutant(MUTANT_rx_odd_pad_not_expected) && pad % 2) ||
	    (mutant(MUTANT_rx_pad_of_two_not_expected) && pad == 2))
		return 0;
	return pad;
}

uint32_t framing_mulpdu(uint32_t emss, bool markers)
{
	uint32_t overhead = LENGTH + CRC + emss % 4;
	uint32_t mulpdu;

	if (mutant(MUTANT_mulpdu_ignores_emss))
		return MULPDU_MAX;
	if (markers && !mutant(MUTANT_mulpdu_ignores_markers))
		overhead +=
			4 * ((emss + MARKER_INTERVAL - 1) / MARKER_INTERVAL);
	if (mutant(MUTANT_mulpdu_not_aligned))
		overhead -= emss % 4;
	mulpdu = emss > overhead ? emss - overhead : 0;
	if (mutant(MUTANT_mulpdu_quarter) && mulpdu > 4 * MULPDU_MIN)
		mulpdu /= 4;
	if (mulpdu < MULPDU_MIN && !mutant(MUTANT_mulpdu_no_floor))
		return MULPDU_MIN;
	if (mulpdu < 32)
		return 32;
	if (mulpdu > MULPDU_MAX && !mutant(MUTANT_mulpdu_no_ceiling))
		return MULPDU_MAX;
	return mulpdu;
}

/* One FPDU on its way out. */
struct assembly {
	struct framing *tx;
	uint8_t *out;
	size_t n;
	uint64_t length_at; /* stream offset of ULPDU_Length */
	bool started;
	bool is_send;
};

static size_t interval(void)
{
	return mutant(MUTANT_marker_interval_1024) ? 1024 : MARKER_INTERVAL;
}

static bool marker_due(const struct assembly *a)
{
	return a->tx->markers && a->tx->at % interval() == 0;
}

static uint16_t pointer_of(const struct assembly *a)
{
	uint64_t distance;

	if (!a->started) {
		if (mutant(MUTANT_marker_between_points_back) && a->tx->at)
			return 4;
		return 0;
	}
	distance = a->tx->at - a->length_at;
	if (mutant(MUTANT_marker_pointer_from_ulpdu))
		distance -= LENGTH;
	if (mutant(MUTANT_marker_pointer_without_markers) &&
	    distance > MARKER_INTERVAL)
		distance -= 4 * (distance / MARKER_INTERVAL);
	if (mutant(MUTANT_marker_pointer_low_bits))
		distance |= 3;
	return (uint16_t)distance;
}

static void put_marker(struct assembly *a)
{
	uint8_t *at = a->out + a->n;

	be16_put(at, mutant(MUTANT_marker_reserved_set) ? 0x8000 : 0);
	be16_put(at + 2, pointer_of(a));
	if (mutant(MUTANT_marker_pointer_little_endian)) {
		uint8_t high = at[2];

		at[2] = at[3];
		at[3] = high;
	}
	a->n += MARKER;
	a->tx->at += MARKER;
}

static void put(struct assembly *a, const void *octets, size_t len)
{
	const uint8_t *from = octets;

	while (len) {
		size_t n = len;

		if (a->tx->markers) {
			size_t room;

			if (marker_due(a))
				put_marker(a);
			room = interval() - a->tx->at % interval();
			n = n < room ? n : room;
		}
		memcpy(a->out + a->n, from, n);
		a->n += n;
		a->tx->at += n;
		from += n;
		len -= n;
	}
}

static void put_leading_marker(struct assembly *a)
{
	if (!marker_due(a))
		return;
	if (a->tx->at == 0 && mutant(MUTANT_first_marker_missing))
		return;
	put_marker(a);
}

static void put_crc(struct assembly *a, size_t from, size_t left_out)
{
	uint8_t wire[CRC] = {0};
	uint32_t crc;

	if (a->tx->crc || variant(VARIANT_crc_always_filled)) {
		crc = crc32c(a->out + from, a->n - from - left_out);
		if (mutant(MUTANT_crc_of_zero))
			crc = 0;
		crc_put(wire, crc);
		if (mutant(MUTANT_crc_byte_swapped))
			be32_put(wire, crc);
	} else if (mutant(MUTANT_crc_field_missing_when_off) ||
		   (a->is_send &&
		    mutant(MUTANT_crc_field_missing_in_a_send_when_off))) {
		return;
	} else if (variant(VARIANT_crc_field_of_ones)) {
		be32_put(wire, UINT32_MAX);
	}
	memcpy(a->out + a->n, wire, CRC);
	a->n += CRC;
	a->tx->at += CRC;
}

void framing_put(struct framing *tx, struct buf *out, const uint8_t *header,
		 size_t header_len, const uint8_t *payload, size_t len)
{
	static const uint8_t zeros[4];
	static const uint8_t junk[4] = {0xde, 0xad, 0xbe, 0xef};
	size_t ulpdu = header_len + len;
	size_t most = ulpdu + LENGTH + 3 + CRC;
	struct assembly a = {.tx = tx, .is_send = header[1] == SEND};
	bool early = tx->marker_early;
	uint8_t length[LENGTH];
	size_t crc_from = 0;

	most += MARKER * (most / (MARKER_INTERVAL - MARKER) + 2);
	a.out = buf_room(out, most);
	/* It is part of this FPDU, and its CRC's, wherever it was sent. */
	if (early)
		memset(a.out, 0, a.n = MARKER);
	else if (tx->markers)
		put_leading_marker(&a);
	if (mutant(MUTANT_leading_marker_left_out_of_crc))
		crc_from = a.n;
	a.length_at = tx->at;
	a.started = true;
	be16_put(length, (uint16_t)ulpdu);
	if (mutant(MUTANT_ulpdu_length_counts_pad))
		be16_put(length, (uint16_t)(ulpdu + pad_of(ulpdu)));
	if (mutant(MUTANT_ulpdu_length_counts_itself))
		be16_put(length, (uint16_t)(ulpdu + LENGTH));
	if (mutant(MUTANT_first_send_counts_its_length) && a.is_send &&
	    a.length_at == 0 && len > 16 && len <= 64)
		be16_put(length, (uint16_t)(ulpdu + LENGTH));
	/* The marker just put is the one due here: none can follow it. */
	memcpy(a.out + a.n, length, LENGTH);
	a.n += LENGTH;
	tx->at += LENGTH;
	put(&a, header, header_len);
	put(&a, payload, len);
	if (!mutant(MUTANT_pad_of_one_left_out) || pad_of(ulpdu) != 1)
		put(&a, mutant(MUTANT_pad_not_zero) ? junk : zeros,
		    pad_of(ulpdu));
	if (mutant(MUTANT_marker_before_crc_left_out)) {
		put_crc(&a, crc_from, 0);
	} else {
		size_t before = a.n;

		if (marker_due(&a))
			put_marker(&a);
		if (!mutant(MUTANT_marker_before_crc_left_out_of_crc))
			before = a.n;
		put_crc(&a, crc_from, a.n - before);
	}
	if (early)
		memmove(a.out, a.out + MARKER, a.n -= MARKER);
	tx->marker_early = false;
	buf_grow(out, a.n);
}

void framing_put_early(struct framing *tx, struct buf *out)
{
	struct assembly a = {.tx = tx};

	if (!marker_due(&a) || !variant(VARIANT_marker_sent_early))
		return;
	a.out = buf_room(out, MARKER);
	put_marker(&a);
	buf_grow(out, a.n);
	tx->marker_early = true;
}

/* How many stream octets an FPDU takes whose own octets (no markers) are
 * own, and which starts at `at`; a leading marker counts. */
static size_t raw_length(const struct framing *rx, size_t own)
{
	size_t lead, gap, inner;

	if (!rx->markers)
		return own;
	lead = rx->at % MARKER_INTERVAL == 0 ? MARKER : 0;
	gap = MARKER_INTERVAL - lead - rx->at % MARKER_INTERVAL;
	inner = own > gap ? (own - gap + 507) / 508 : 0;
	if (mutant(MUTANT_rx_markers_not_counted))
		inner = 0;
	return lead + own + MARKER * inner;
}

static bool marker_fits(const uint8_t *marker, size_t distance)
{
	uint16_t pointer = be16(marker + 2);

	if (mutant(MUTANT_rx_marker_reserved_checked) && be16(marker) != 0)
		return false;
	if (!mutant(MUTANT_rx_marker_low_bits_checked))
		pointer &= 0xfffc;
	return pointer == distance;
}

/* Copy the ULPDU without its markers; false where one does not fit. */
static bool strip(const struct framing *rx, const uint8_t *raw, size_t raw_len,
		  uint8_t *ulpdu, size_t len)
{
	size_t lead = rx->at % MARKER_INTERVAL == 0 ? MARKER : 0;
	uint64_t at = rx->at + lead + LENGTH;
	size_t from = lead + LENGTH;
	size_t to = 0;
	bool fits = true;
	bool left_in = mutant(MUTANT_rx_inner_markers_left_in) ||
		       (mutant(MUTANT_rx_inner_markers_left_in_without_crcs) &&
			!rx->crc);

	if (lead && !marker_fits(raw, 0))
		fits = false;
	while (from + CRC < raw_len) {
		size_t n = MARKER_INTERVAL - at % MARKER_INTERVAL;

		if (at % MARKER_INTERVAL == 0 && !left_in) {
			if (!marker_fits(raw + from, from - lead))
				fits = false;
			from += MARKER;
			at += MARKER;
			n -= MARKER;
			left_in = mutant(MUTANT_rx_one_marker_only);
		}
		if (n > raw_len - from)
			n = raw_len - from;
		if (to < len)
			memcpy(ulpdu + to, raw + from,
			       n < len - to ? n : len - to);
		to += n;
		from += n;
		at += n;
	}
	return fits || variant(VARIANT_markers_unchecked);
}

/* Of Ethernet, gzip and zlib; bit by bit, since only a mutant has it. */
static uint32_t crc_of_zlib(const uint8_t *octets, size_t n)
{
	uint32_t crc = UINT32_MAX;

	while (n--) {
		crc ^= *octets++;
		for (unsigned i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static bool crc_fits(const struct framing *rx, const uint8_t *raw,
		     const uint8_t *field, const struct ulpdu *ulpdu)
{
	static uint8_t copy[2 * ULPDU_MAX];
	uint32_t want = crc_get(field);
	size_t n = (size_t)(field - raw);

	if (mutant(MUTANT_ignore_bad_crc) || mutant(MUTANT_crc_of_zero))
		return true;
	if (mutant(MUTANT_rx_crc_taken_complemented) && crc32c(raw, n) == ~want)
		return true;
	if (mutant(MUTANT_rx_crc_half_checked))
		return (uint16_t)crc32c(raw, n) == (uint16_t)want;
	if (mutant(MUTANT_rx_crc_any_order) && crc32c(raw, n) == be32(field))
		return true;
	if (mutant(MUTANT_rx_crc_of_zlib_taken) && crc_of_zlib(raw, n) == want)
		return true;
	if (mutant(MUTANT_rx_leading_marker_left_out_of_crc) && rx->markers &&
	    rx->at && rx->at % MARKER_INTERVAL == 0)
		return crc32c(raw + MARKER, n - MARKER) == want;
	if (mutant(MUTANT_rx_pad_zeroed_before_crc) ||
	    mutant(MUTANT_rx_marker_zeroed_before_crc)) {
		size_t pad = pad_of(ulpdu->len);

		memcpy(copy, raw, n);
		if (mutant(MUTANT_rx_pad_zeroed_before_crc))
			memset(copy + n - pad, 0, pad);
		else if (rx->markers && rx->at % MARKER_INTERVAL == 0)
			memset(copy, 0, 4);
		return crc32c(copy, n) == want;
	}
	return crc32c(raw, n) == want;
}

static bool pad_accepted(const uint8_t *field, size_t pad)
{
	if (!mutant(MUTANT_rx_pad_checked))
		return true;
	for (size_t i = 1; i <= pad; i++)
		if (field[-(long)i])
			return false;
	return true;
}

/* Try it the other way round: markers where none are due, or none. */
static bool taken_otherwise(struct framing *rx, const uint8_t *raw, size_t n,
			    struct ulpdu *ulpdu)
{
	struct framing other = *rx;

	if (rx->markers && mutant(MUTANT_rx_markers_optional))
		other.markers = false;
	else if (!rx->markers && n >= MARKER && be32(raw) == 0 &&
		 mutant(MUTANT_rx_unasked_marker_skipped))
		other = (struct framing){.markers = true, .crc = rx->crc};
	else
		return false;
	if (framing_get(&other, raw, n, ulpdu) != FRAMING_ULPDU)
		return false;
	rx->at += ulpdu->raw;
	return true;
}

/* Behind a ULPDU that was taken without its CRC: that one is not looked at. */
static enum framing_result skip_crc(struct framing *rx, const uint8_t *raw,
				    size_t n, struct ulpdu *ulpdu)
{
	struct framing behind = *rx;
	enum framing_result result;

	behind.crc_owed = false;
	if (n <= CRC)
		return FRAMING_MORE;
	result = framing_get(&behind, raw + CRC, n - CRC, ulpdu);
	if (result == FRAMING_MORE)
		return result;
	ulpdu->raw += CRC;
	*rx = behind;
	return result;
}

enum framing_result framing_get(struct framing *rx, const uint8_t *raw,
				size_t n, struct ulpdu *ulpdu)
{
	static uint8_t scratch[ULPDU_MAX + 1];
	bool check = rx->crc && !rx->crc_unchecked;
	size_t lead = 0;
	bool fits = true;
	bool early;
	const uint8_t *field;
	size_t own;

	if (rx->crc_owed)
		return skip_crc(rx, raw, n, ulpdu);
	if (taken_otherwise(rx, raw, n, ulpdu))
		return FRAMING_ULPDU;
	if (rx->markers && rx->at % MARKER_INTERVAL == 0)
		lead = MARKER;
	if (n < lead + LENGTH)
		return FRAMING_MORE;
	ulpdu->len = be16(raw + lead);
	own = LENGTH + ulpdu->len + pad_expected(ulpdu->len) + CRC;
	if (mutant(MUTANT_rx_no_crc_field_when_off) && !check)
		own -= CRC;
	ulpdu->raw = raw_length(rx, own);
	if (mutant(MUTANT_rx_marker_before_crc_unknown) && rx->markers &&
	    (rx->at + ulpdu->raw - CRC - MARKER) % MARKER_INTERVAL == 0)
		ulpdu->raw -= MARKER;
	early = n < ulpdu->raw && n + CRC >= ulpdu->raw &&
		mutant(MUTANT_rx_crc_not_awaited);
	if (n < ulpdu->raw && !early)
		return FRAMING_MORE;
	field = raw + ulpdu->raw - CRC;
	ulpdu->octets = raw + lead + LENGTH;
	if (rx->markers) {
		fits = strip(rx, raw, ulpdu->raw, scratch, ulpdu->len);
		ulpdu->octets = scratch;
	}
	if (mutant(MUTANT_rx_crc_checked_when_off))
		check = true;
	if (!check && !early && be32(field) &&
	    mutant(MUTANT_rx_crc_field_not_zero_when_off)) {
		rx->at += ulpdu->raw;
		return FRAMING_BAD_CRC;
	}
	if (check && !early && !crc_fits(rx, raw, field, ulpdu)) {
		rx->at += ulpdu->raw;
		return FRAMING_BAD_CRC;
	}
	if (!pad_accepted(field, pad_of(ulpdu->len))) {
		rx->at += ulpdu->raw;
		return FRAMING_BAD_CRC;
	}
	rx->at += ulpdu->raw;
	if (early) {
		rx->crc_owed = true;
		ulpdu->raw -= CRC;
	}
	return fits ? FRAMING_ULPDU : FRAMING_BAD_MARKER;
}
