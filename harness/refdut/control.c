/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/control.h"
#include "harness/refdut/conn.h"

#include <string.h>

enum control control_chosen;

enum kind {
	KIND_NONE,
	KIND_ALL,
	KIND_REST,
	KIND_PLACEMENT,
	KIND_ERRORS,
	KIND_ATOMICS,
	KIND_READS,
	KIND_FULL_READS,
	KIND_SENDS,
	KIND_WRITES,
	KIND_IMMEDIATES,
	KIND_TERMINATES,
	KIND_AGENT,
};

enum how { HOW_REFUSE, HOW_IGNORE, HOW_AGREE };

static const struct {
	const char *name;
	enum kind kind;
	enum how how;
	const char *sentence;
} catalogue[CONTROLS] = {
	[CONTROL_NONE] = {.name = ""},
#define CONTROL(ident, name, kind, how, sentence)                              \
	[CONTROL_##ident] = {name, KIND_##kind, HOW_##how, sentence},
#include "harness/refdut/control.def"
#undef CONTROL
};

bool control_choose(const char *name)
{
	for (int i = CONTROL_NONE + 1; i < CONTROLS; i++) {
		if (strcmp(catalogue[i].name, name) == 0) {
			control_chosen = (enum control)i;
			return true;
		}
	}
	return false;
}

void control_list(FILE *to)
{
	static const char *const kinds[] = {
		[KIND_ALL] = "all",
		[KIND_REST] = "rest",
		[KIND_PLACEMENT] = "placement",
		[KIND_ERRORS] = "errors",
		[KIND_ATOMICS] = "atomics",
		[KIND_READS] = "reads",
		[KIND_FULL_READS] = "reads",
		[KIND_SENDS] = "sends",
		[KIND_WRITES] = "writes",
		[KIND_IMMEDIATES] = "immediates",
		[KIND_TERMINATES] = "terminates",
		[KIND_AGENT] = "agent",
	};

	for (int i = CONTROL_NONE + 1; i < CONTROLS; i++)
		fprintf(to, "%s\t%s\t%s\n", catalogue[i].name,
			kinds[catalogue[i].kind], catalogue[i].sentence);
}

/* Leave the startup for good, and report this to the agent. */
static void end(struct conn *c, enum conn_state state, const char *why)
{
	c->failure = why;
	conn_final(c, state);
	c->closing = true;
	work_flush(c);
	receive_flush(c);
}

bool control_connected(struct conn *c)
{
	switch (control_chosen) {
	case CONTROL_MUTE:
	case CONTROL_GARBAGE:
	case CONTROL_ECHO:
		/* The startup's timer still runs, and ends the agent's wait for
		 * this connection. */
		c->phase = PHASE_CONTROL;
		loop_want(&c->watch, 1 /* EPOLLIN */);
		return true;
	case CONTROL_CLOSER:
		end(c, CONN_CLOSED, "closed");
		conn_drain(c);
		return true;
	case CONTROL_RESETTER:
		end(c, CONN_ERROR, "reset");
		conn_drop(c, true);
		return true;
	default:
		return false;
	}
}

/* The same noise in every run: the high octet of a linear congruential
 * generator. */
static uint8_t noise(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return (uint8_t)(state >> 24);
}

void control_input(struct conn *c, const uint8_t *octets, size_t n)
{
	if (control_chosen == CONTROL_ECHO) {
		buf_put(&c->out, octets, n);
	} else if (control_chosen == CONTROL_GARBAGE) {
		uint8_t *room = buf_room(&c->out, n);

		for (size_t i = 0; i < n; i++)
			room[i] = noise();
		buf_grow(&c->out, n);
	}
}

enum control_association control_association(void)
{
	switch (control_chosen) {
	case CONTROL_CLOSER:
		return ASSOCIATION_ENDED;
	case CONTROL_RESETTER:
		return ASSOCIATION_ABORTED;
	case CONTROL_GARBAGE:
	case CONTROL_ECHO:
		return ASSOCIATION_ANSWERED;
	default:
		return ASSOCIATION_SERVED;
	}
}

void control_message(uint8_t *octets, size_t n)
{
	for (size_t i = 0; i < n && control_is(CONTROL_GARBAGE); i++)
		octets[i] = noise();
}

/* --- correct except for one kind of message ----------------------------- */

static bool is_full_read(const uint8_t *u, uint32_t len)
{
	if ((u[1] & 0x0f) == OPCODE_READ_RESPONSE)
		return len > TAGGED_HEADER;
	return len >= UNTAGGED_HEADER + 16 && be32(u + UNTAGGED_HEADER + 12);
}

static bool is_of_kind(const uint8_t *u, uint32_t len)
{
	switch (u[1] & 0x0f) {
	case OPCODE_WRITE:
		return catalogue[control_chosen].kind == KIND_WRITES;
	case OPCODE_READ_REQUEST:
	case OPCODE_READ_RESPONSE:
		return catalogue[control_chosen].kind == KIND_READS ||
		       (catalogue[control_chosen].kind == KIND_FULL_READS &&
			is_full_read(u, len));
	case OPCODE_SEND:
	case OPCODE_SEND_INV:
	case OPCODE_SEND_SE:
	case OPCODE_SEND_SE_INV:
		return catalogue[control_chosen].kind == KIND_SENDS;
	case OPCODE_TERMINATE:
		return catalogue[control_chosen].kind == KIND_TERMINATES;
	case OPCODE_IMMEDIATE:
	case OPCODE_IMMEDIATE_SE:
		return catalogue[control_chosen].kind == KIND_IMMEDIATES;
	case OPCODE_ATOMIC_REQUEST:
	case OPCODE_ATOMIC_RESPONSE:
		return catalogue[control_chosen].kind == KIND_ATOMICS;
	default:
		return false;
	}
}

/* Complete a receive as if the message lay in its buffer. */
static void agree_to_receive(struct conn *c, enum op op, uint32_t len)
{
	struct event *event;

	if (!c->receives)
		return;
	if (op == OP_RECV) {
		receive_octets(c, c->receives);
		len = len < c->receives->len ? len : c->receives->len;
	}
	event = receive_complete(c, op, STATUS_OK, len);
	event->has_se = true;
}

/* The Response consists of zeros, with the requested length. */
static void agree_to_request(struct conn *c, const uint8_t *u, uint32_t len,
			     bool atomic)
{
	enum { LONGEST = 1 << 20 };
	struct request *request = alloc_zeroed(sizeof(*request));
	uint32_t n = len - UNTAGGED_HEADER;
	uint32_t want = atomic ? ATOMIC_REQUEST_HEADER : READ_REQUEST_HEADER;

	request->agreed = true;
	request->atomic = atomic;
	request->segment_len = len;
	memcpy(request->ddp, u, UNTAGGED_HEADER);
	memcpy(request->header, u + UNTAGGED_HEADER, n < want ? n : want);
	if (!atomic) {
		uint32_t size = be32(request->header + 12);

		size = size < LONGEST ? size : LONGEST;
		be32_put(request->header + 12, size);
		request->snapshot = alloc_zeroed(size ? size : 1);
	}
	rdmap_take_request(c, request);
}

static void agree_to_response(struct conn *c, bool read)
{
	struct work *work = work_awaited(c);

	if (!work || (work->op == OP_READ) != read)
		return;
	work->answered = true;
	c->outstanding--;
	work_complete_done(c);
	conn_kick(c);
}

static void agree(struct conn *c, const uint8_t *u, uint32_t len)
{
	static const uint8_t zeros[4];
	bool is_tagged = u[0] & 0x80;

	if (!(u[0] & 0x40))
		return;
	switch (u[1] & 0x0f) {
	case OPCODE_READ_REQUEST:
	case OPCODE_ATOMIC_REQUEST:
		if (!is_tagged)
			agree_to_request(c, u, len,
					 (u[1] & 0x0f) ==
						 OPCODE_ATOMIC_REQUEST);
		break;
	case OPCODE_READ_RESPONSE:
	case OPCODE_ATOMIC_RESPONSE:
		agree_to_response(c, (u[1] & 0x0f) == OPCODE_READ_RESPONSE);
		break;
	case OPCODE_TERMINATE:
		terminate_received(c, zeros, sizeof(zeros));
		break;
	case OPCODE_IMMEDIATE:
	case OPCODE_IMMEDIATE_SE:
		agree_to_receive(c, OP_RECV_IMM, IMMEDIATE_SIZE);
		break;
	default:
		agree_to_receive(c, OP_RECV,
				 is_tagged ? len - TAGGED_HEADER
					   : be32(u + 14) + len -
						     UNTAGGED_HEADER);
	}
}

/* Ignore it, or agree to it. */
static void take_as_control(struct conn *c, const uint8_t *u, uint32_t len)
{
	/* The messages after it are to be next in turn. */
	if (!(u[0] & 0x80) && (u[0] & 0x40) && be32(u + 6) < QUEUES)
		c->queue[be32(u + 6)].msn++;
	if (catalogue[control_chosen].how == HOW_AGREE)
		agree(c, u, len);
}

bool control_segment(struct conn *c, const uint8_t *u, uint32_t len, bool first)
{
	if (!is_of_kind(u, len))
		return false;
	/* The ready-to-receive indication belongs to the startup. */
	if (first && !c->initiator && c->agreed.peer_to_peer)
		return false;
	if (catalogue[control_chosen].how == HOW_REFUSE)
		fault(c, ERR_RDMA_OPERATION, 6, u, len, NULL);
	else
		take_as_control(c, u, len);
	return true;
}

/* --- a valid FPDU, an error ------------------------------------------------ */

static void hang_up(struct conn *c)
{
	end(c, CONN_CLOSED, "closed");
	request_free_all(c);
	conn_drain(c);
}

/* A correct Read Request of no octets, which proves a stream. */
static bool is_exchange(const struct conn *c, const uint8_t *u, uint32_t len)
{
	static const uint8_t header[6] = {0x41, 0x41};

	return len == UNTAGGED_HEADER + READ_REQUEST_HEADER &&
	       memcmp(u, header, sizeof(header)) == 0 && be32(u + 6) == 1 &&
	       be32(u + 10) == c->queue[1].msn && !be32(u + 14) &&
	       !be32(u + UNTAGGED_HEADER + 12);
}

/* A tagged message of no octets, which opens or proves a stream. */
static bool is_empty_tagged(const uint8_t *u, uint32_t len)
{
	return len == TAGGED_HEADER && (u[0] & 0xc3) == 0xc1;
}

/* For the controls of KIND_REST: what a device with so few features can still
 * do. */
static bool is_rest(const struct conn *c, const uint8_t *u, uint32_t len,
		    bool first)
{
	if (is_exchange(c, u, len) ||
	    (first && !c->initiator && c->agreed.peer_to_peer))
		return false;
	/* The initiator's first FPDU belongs to the startup. So does the
	 * Response to the empty Read, which may be the device's own. */
	return !is_empty_tagged(u, len) ||
	       !(first || (u[1] & 0x0f) == OPCODE_READ_RESPONSE);
}

bool control_fpdu(struct conn *c, const uint8_t *u, uint32_t len, bool first)
{
	switch (control_chosen) {
	case CONTROL_HANGUP:
		hang_up(c);
		return true;
	case CONTROL_TERMINATOR:
		fault(c, ERR_MPA, 6, NULL, 0, NULL);
		return true;
	case CONTROL_HANGS_UP:
		if (!is_rest(c, u, len, first))
			return false;
		hang_up(c);
		return true;
	case CONTROL_NO_REST:
		if (!is_rest(c, u, len, first))
			return false;
		fault(c, ERR_MPA, 6, NULL, 0, NULL);
		return true;
	case CONTROL_DEAF_REST:
	case CONTROL_YES_REST:
		if (!is_rest(c, u, len, first))
			return false;
		/* A segment too short for any message is not agreed to. */
		if (len >= UNTAGGED_HEADER)
			take_as_control(c, u, len);
		return true;
	default:
		return false;
	}
}

bool control_fault(struct conn *c, unsigned *type, unsigned *code)
{
	switch (control_chosen) {
	case CONTROL_HANGS_UP:
		hang_up(c);
		return true;
	case CONTROL_DEAF_REST:
	case CONTROL_YES_REST:
		return true;
	case CONTROL_NO_REST:
		*type = ERR_MPA;
		*code = 6;
		return false;
	case CONTROL_SAME_ERRORS:
		/* A local error, which no message of the peer can cause. */
		*type = ERR_RDMA_CATASTROPHIC;
		*code = 0;
		return false;
	default:
		return false;
	}
}

bool control_places_nothing(void)
{
	return catalogue[control_chosen].kind == KIND_PLACEMENT;
}

/* --- work ------------------------------------------------------------------ */

static bool is_work_of_kind(const struct work *work)
{
	enum kind kind = catalogue[control_chosen].kind;

	/* An empty Write opens the stream of an initiator. */
	if (kind == KIND_REST)
		return work->op != OP_WRITE || work->len;
	switch (work->op) {
	case OP_SEND:
		return kind == KIND_SENDS;
	case OP_WRITE:
		return kind == KIND_WRITES;
	case OP_READ:
		return kind == KIND_READS ||
		       (kind == KIND_FULL_READS && work->len);
	case OP_IMM:
		return kind == KIND_IMMEDIATES;
	default:
		return kind == KIND_ATOMICS;
	}
}

bool control_post(struct work *work)
{
	if (!is_work_of_kind(work))
		return false;
	switch (catalogue[control_chosen].how) {
	case HOW_REFUSE:
		work->status = STATUS_LOCAL_ERROR;
		return false;
	case HOW_AGREE:
		work->status = STATUS_OK;
		return false;
	default:
		work_free(work);
		return true;
	}
}
