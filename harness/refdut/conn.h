/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection: one TCP connection or one stream of SCTP, its startup, its
 * DDP/RDMAP stream, the work posted on it, and its completions.
 *
 *   conn.c      its creation, states and end
 *   conn_input.c, conn_output.c  octets from and to TCP
 *   conn_close.c  its orderly close
 *   conn_startup.c  MPA startup
 *   conn_sctp.c  a connection over SCTP: a session instead of startup and
 *               framing
 *   ddp/ddp_rx.h  incoming segments
 *   ddp/message.h  outgoing segments
 *   rdmap/header.c, send.c, request.c, response.c  delivered messages: RFC
 *               5040 and RFC 7306
 *   rdmap/tx.h  outgoing messages: work requests, Responses, Terminates
 *   verbs/work.c  work requests, receive buffers and their completions
 *   terminate.c errors, and Terminate messages in both directions
 */
#ifndef HARNESS_REFDUT_CONN_H
#define HARNESS_REFDUT_CONN_H

#include "harness/refdut/address.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/mpa/framing.h"
#include "harness/refdut/loop.h"
#include "harness/refdut/memory/memory.h"
#include "harness/refdut/mpa/startup.h"

#include <sys/socket.h>

enum {
	TAGGED_HEADER = 14,
	UNTAGGED_HEADER = 18,
	READ_REQUEST_HEADER = 28,
	ATOMIC_REQUEST_HEADER = 52,
	ATOMIC_RESPONSE_HEADER = 12,
	IMMEDIATE_SIZE = 8,
	TERMINATE_MAX = 4 + 2 + UNTAGGED_HEADER + READ_REQUEST_HEADER,
	/* The longest message of queues 1 to 3, whose buffers belong to the
	 * device. */
	OWN_BUFFER = 52,
	QUEUES = 4,
};

enum opcode {
	OPCODE_WRITE,
	OPCODE_READ_REQUEST,
	OPCODE_READ_RESPONSE,
	OPCODE_SEND,
	OPCODE_SEND_INV,
	OPCODE_SEND_SE,
	OPCODE_SEND_SE_INV,
	OPCODE_TERMINATE,
	OPCODE_IMMEDIATE,
	OPCODE_IMMEDIATE_SE,
	OPCODE_ATOMIC_REQUEST,
	OPCODE_ATOMIC_RESPONSE,
};

enum atomic { ATOMIC_FETCH_ADD = 0, ATOMIC_SWAP = 1, ATOMIC_CMP_SWAP = 2 };

/* The operations of the agent protocol, in requests and events. */
enum op {
	OP_RECV,
	OP_RECV_IMM,
	OP_SEND,
	OP_WRITE,
	OP_READ,
	OP_FETCHADD,
	OP_CMPSWAP,
	OP_SWAP,
	OP_IMM,
	OPS
};

enum status {
	STATUS_NONE,
	STATUS_OK,
	STATUS_FLUSHED,
	STATUS_LOCAL_ERROR,
	STATUS_REMOTE_ERROR,
};

struct event {
	struct event *next;
	uint64_t id;
	enum op op;
	enum status status;
	uint32_t len;
	uint8_t *octets; /* of a receive; owned */
	bool has_se;
	bool se;
	bool has_inv;
	uint32_t inv;
	uint8_t imm[IMMEDIATE_SIZE];
	bool has_value;
	uint64_t value;
	bool waited; /* set by a variant: one request did not return it */
};

/* A work request, from its post to its completion. */
struct work {
	struct work *next;
	uint64_t id;
	enum op op;
	struct region *local; /* referenced */
	uint64_t off;
	uint32_t len;
	uint8_t *octets; /* inline payload, owned; NULL if there is none */
	uint32_t rstag;
	uint64_t rto;
	bool has_inv;
	uint32_t inv;
	bool se;
	bool fence;
	bool silent;   /* no event: an internal request, or half of a pair */
	bool paired;   /* if it fails, the next one fails, too */
	uint64_t data; /* add or swap */
	uint64_t mask; /* add or swap mask */
	uint64_t compare;
	uint64_t compare_mask;
	uint8_t imm[IMMEDIATE_SIZE];
	/* progress */
	bool begun;
	bool issued;
	uint32_t msn;
	uint32_t sent;   /* payload octets cut into segments */
	uint32_t placed; /* payload octets of its Response placed */
	uint64_t end;    /* tx offset after its last octet */
	bool answered;
	uint64_t value;
	enum status status;
};

struct receive {
	struct receive *next;
	uint64_t id;
	struct region *local; /* referenced */
	uint64_t off;
	uint32_t len;
	uint8_t *octets; /* anonymous buffer, allocated at the first
			  * placement */
};

/* A Read or Atomic Request of the peer, until TCP has its Response. */
struct request {
	struct request *next;
	bool atomic;
	bool agreed; /* set by a control: not checked and not performed */
	uint32_t segment_len;
	uint8_t ddp[UNTAGGED_HEADER];
	uint8_t header[ATOMIC_REQUEST_HEADER];
	uint32_t sent;
	bool issued;
	uint64_t end;
	uint8_t *snapshot;    /* octets of the source, if they are read early */
	struct region *found; /* for a mutant: its memory; referenced */
};

/* The message in progress on one untagged queue. */
struct untagged {
	uint32_t msn; /* expected */
	bool open;
	uint32_t placed; /* payload octets so far; overlaps count twice */
	uint8_t first[UNTAGGED_HEADER]; /* the header of its first segment */
	uint8_t own[OWN_BUFFER];        /* the buffer for queues 1 to 3 */
};

enum conn_state {
	CONN_CONNECTING,
	CONN_ESTABLISHED,
	CONN_REJECTED,
	CONN_TERMINATED,
	CONN_CLOSED,
	CONN_ERROR,
};

enum conn_phase {
	PHASE_TCP,      /* connecting */
	PHASE_REQUEST,  /* responder, Request not complete yet */
	PHASE_REPLY,    /* initiator, Reply not complete yet */
	PHASE_FULL,     /* full operation */
	PHASE_REJECTED, /* MPA has ended, and TCP is open */
	PHASE_CONTROL,  /* a control device has replaced the wire side */
	PHASE_DRAIN,    /* our FIN is sent or queued; input is discarded */
	PHASE_GONE,     /* the socket is closed */
};

struct terminate {
	bool known;
	bool local;
	uint8_t octets[TERMINATE_MAX]; /* from the control word on */
	uint32_t len;
};

/* The last events of a stream, for faults of coincidence: such a fault depends
 * on the event directly before. */
struct before {
	bool handed_atomic;
};

struct conn {
	struct watch watch;
	struct timer timer;
	unsigned patience_ms; /* for an orderly close */
	uint64_t read_before; /* octets (SCTP: chunks) that the peer had
			       * acknowledged when the timer started */
	struct job kick;
	struct conn *next;
	struct remembered *remembered; /* set by faults: decision/override.h */
	struct job *notify; /* runs after every change, for its session */
	uint64_t number;
	bool initiator;
	enum conn_phase phase;
	enum conn_state state;
	bool was_established; /* for accept; even if it has ended since then */
	const char *failure;  /* the reason why startup failed: one word */
	char peer[ADDRESS_TEXT];
	struct params params;
	struct agreement agreed;
	struct startup_frame their_frame;
	bool their_frame_known;
	struct domain domain;

	/* the two directions of the socket */
	struct buf in;
	struct buf out;
	uint64_t generated; /* octets put into out so far */
	uint64_t handed;    /* how many of them TCP has accepted */
	bool out_blocked;
	bool fin_due; /* send a FIN when out is empty */
	bool fin_sent;
	bool peer_fin;
	bool half;      /* only our half is closed */
	bool closing;   /* no new work; work that needs no answer is sent */
	bool rx_over;   /* an error or Terminate: input is dropped */
	bool held_back; /* the next ULPDU waits, and all input after it */
	bool untold; /* set by a variant or mutant: the ULP is not notified */
	bool sctp;   /* the connection is over SCTP */
	struct ddp_stream *stream; /* its stream; NULL: not assigned yet, or
				    * released */
	uint16_t stream_number;
	bool answered; /* the answer to an Initiate was put into out */
	struct sockaddr_storage to;
	socklen_t to_len;
	bool released; /* may send FPDUs (RFC 5044 s7.1.2 rule 4) */
	struct framing rx;
	struct framing tx;
	uint64_t path_at; /* the round of the loop in which emss was read */
	int emss;         /* 0: to be read again */
	uint32_t mulpdu;
	bool first_seen;

	/* DDP and RDMAP */
	struct untagged queue[QUEUES];
	bool tagged_open;
	uint8_t imm[IMMEDIATE_SIZE];
	bool long_sent; /* for a mutant: a message of more than 512 KiB was
			    * sent */
	uint32_t tx_msn[QUEUES];
	struct before before;
	struct terminate terminate;

	/* work */
	struct work *work; /* oldest unfinished request first */
	struct work **work_end;
	struct work *unsent; /* the first that is not completely issued */
	unsigned outstanding;
	struct request *requests;
	struct request **requests_end;
	struct request *answering;
	unsigned inbound;
	bool in_response; /* a Response has begun and not ended */
	bool turn_over;   /* a Response was sent; it is other streams' turn */
	struct receive *receives;
	struct receive **receives_end;
	unsigned nreceives;
	uint64_t receive_ordinal;
	struct event *events;
	struct event **events_end;
	unsigned nevents;
};

/* Names as in the agent protocol. */
const char *op_name(enum op op);
const char *conn_state_name(enum conn_state state);

/* The largest message and the largest number of posted receives. */
enum { MESSAGE_MAX = 64 << 20, RECEIVES_MAX = 65536 };

/* For a variant that counts atomics separately from Reads. */
enum { ATOMIC_DEPTH = 8 };

extern unsigned startup_timeout_ms;

/* conn.c, conn_input.c, conn_output.c, conn_close.c */

/* Take over an accepted socket as the responder. */
struct conn *conn_accept(int fd, const struct params *params, const void *owner,
			 struct job *notify);

/* Start an active connection. NULL with errno if there is no socket. A refused
 * connection is in state "error", not NULL. */
struct conn *conn_connect(const struct sockaddr *to, socklen_t len,
			  const struct params *params, const void *owner,
			  struct job *notify);

/* Make a connection that has neither TCP nor SCTP yet: the caller adds one. */
struct conn *conn_new(const struct params *params, const void *owner,
		      struct job *notify);

/* The agent's `close`: complete, half, or with abort. */
void conn_close(struct conn *conn, bool half);
void conn_abort(struct conn *conn);

/* End the connection at once, whatever its state, and free it. */
void conn_destroy(struct conn *conn);

/* Pass the queued octets to TCP, and complete finished work. */
void conn_flush(struct conn *conn);
void conn_kick(struct conn *conn); /* the same, at the end of this round */

/* Enter a final state; only the first call counts. */
void conn_final(struct conn *conn, enum conn_state state);
bool conn_is_final(const struct conn *conn);

/* Whether `other` is another connection of the same session. */
bool conn_is_beside(const struct conn *conn, const struct conn *other);

/* Whether no further event can follow. */
bool conn_is_dead(const struct conn *conn);

/* Handle TCP's readiness, and set which events to wait for next. */
void conn_readable(struct conn *conn);
void conn_want(struct conn *conn);

/* End the stream, because all queued octets were sent. */
void conn_end(struct conn *conn);
/* Whether no FPDU and no message is incomplete. */
bool conn_is_between_messages(const struct conn *conn);

/* Close our half when TCP has all queued octets, and drop input. Close
 * completely when the peer closes its half, or after a bounded time. */
void conn_drain(struct conn *conn);
/* The time for the peer is over. True: the peer has acknowledged more octets
 * meanwhile, but not all, so it gets the same time again. */
bool conn_gives_more_time(struct conn *conn);

/* Close the socket at once, with a RST if requested or if octets wait. */
void conn_drop(struct conn *conn, bool reset);

/* Process the octets in conn->in. */
void conn_input(struct conn *conn);
/* The peer sends nothing more: its FIN arrived, or the Terminate of its
 * session. */
void conn_peer_finished(struct conn *conn);
/* The stream has broken, by a reset or otherwise. */
void conn_lost(struct conn *conn);

/* Complete all posted work, and drop all Requests of the peer. */
void conn_flush_all(struct conn *conn);

/* conn_startup.c */
void conn_send_request(struct conn *conn);
void conn_startup_input(struct conn *conn);

/* Startup is complete: our frame and theirs had these lengths. */
void conn_full_operation(struct conn *conn, size_t our_frame,
			 size_t their_frame);

/* End a startup that cannot succeed: close TCP at once. */
void conn_startup_failed(struct conn *conn, const char *why);

/* work.c */
void work_post(struct conn *conn, struct work *work);
void receive_post(struct conn *conn, struct receive *receive);
void work_complete_done(struct conn *conn);
void work_flush(struct conn *conn);    /* all unfinished work */
void receive_flush(struct conn *conn); /* all posted receives */
/* Complete the work at *at, with this status if it has none yet. */
void work_finish(struct conn *conn, struct work **at, enum status status);
void work_free(struct work *work);
void event_free(struct event *event);
struct event *event_add(struct conn *conn, uint64_t id, enum op op,
			enum status status);
/* The oldest event, which must exist; the caller frees it. */
struct event *event_take(struct conn *conn);
/* Complete the oldest receive, and remove it from the queue. */
struct event *receive_complete(struct conn *conn, enum op op,
			       enum status status, uint32_t len);
/* Consume the oldest receive without a completion: for a mutant. */
void receive_lose(struct conn *conn);
/* The memory in which a receive places data. NULL: its region is not usable. */
uint8_t *receive_octets(struct conn *conn, struct receive *receive);
bool work_needs_answer(const struct work *work);
bool work_is_atomic(const struct work *work);
/* The oldest Read or atomic that is sent and unanswered, or NULL. */
struct work *work_awaited(const struct conn *conn);
void request_free(struct request *request);
void request_free_all(struct conn *conn);
/* The number of Requests of all connections; only a mutant uses it. */
extern unsigned requests_inbound;

/* rdmap/tx.h, ddp/message.h */
void tx_pump(struct conn *conn);
/* Set MULPDU to its current value. */
void tx_look_at_path(struct conn *conn);
void tx_rtr(struct conn *conn, enum rtr rtr);
void tx_terminate(struct conn *conn, const uint8_t *octets, uint32_t len);

/* ddp_rx.c */
void ddp_receive(struct conn *conn, const uint8_t *ulpdu, uint32_t len);
/* Place all Writes that have arrived, on all connections. To be called before
 * memory is read. */
void writes_place(void);

/* rdmap/ */

/* rdmap_knows(): whether RDMAP supports the version and the opcode of a
 * segment. rdmap_admit(): whether it supports the version, and expects the
 * opcode on this queue. False: the segment has ended the stream. */
bool rdmap_knows(struct conn *conn, const uint8_t *ulpdu, uint32_t len);
bool rdmap_admit(struct conn *conn, const uint8_t *ulpdu, uint32_t len);
void rdmap_deliver_send(struct conn *conn, const uint8_t *ulpdu, uint32_t len,
			uint32_t message_len);
void rdmap_deliver_request(struct conn *conn, const uint8_t *ulpdu,
			   uint32_t len, uint32_t message_len);
void rdmap_deliver_terminate(struct conn *conn, const uint8_t *ulpdu,
			     uint32_t len, uint32_t message_len);
void rdmap_deliver_atomic_response(struct conn *conn, const uint8_t *ulpdu,
				   uint32_t len, uint32_t message_len);
void rdmap_deliver_read_response(struct conn *conn, const uint8_t *ulpdu,
				 uint32_t len);
/* Queue a Request, to be answered in its turn. */
void rdmap_take_request(struct conn *conn, struct request *request);
/* Validate a Request against memory, before any octet of its Response is sent.
 * *region is the region that it may use. False: it has ended the stream. */
bool rdmap_check_request(struct conn *conn, const struct request *request,
			 struct region **region);
/* Whether an atomic of another stream was the last to change the word of this
 * Request. */
bool rdmap_changed_by_another(const struct conn *conn,
			      const struct region *region,
			      const struct request *request);
/* Perform an atomic; returns the original value. */
uint64_t rdmap_atomic(struct conn *conn, const struct request *request,
		      struct region *region);
bool rdmap_check_atomic(struct conn *conn, const struct request *request,
			struct region **region);

/* terminate.c */

/* The layer and error type of a Terminate, as they appear on the wire. They
 * determine the headers that it includes. */
enum {
	ERR_RDMA_CATASTROPHIC = 0x00,
	ERR_RDMA_PROTECTION = 0x01,
	ERR_RDMA_OPERATION = 0x02,
	ERR_DDP_CATASTROPHIC = 0x10,
	ERR_DDP_TAGGED = 0x11,
	ERR_DDP_UNTAGGED = 0x12,
	ERR_MPA = 0x20,
	ERR_MPA_AS_LLP = 0x23, /* RFC 5041 s7.2 keeps type 3 for the LLP */
};

/* End the stream, because the current message breaks a rule. If the ULPDU is
 * NULL, the Terminate returns no header, but may return the length. The request
 * header may be NULL. Only the first error counts: later calls do nothing. */
void fault(struct conn *conn, unsigned type, unsigned code,
	   const uint8_t *ulpdu, uint32_t len, const uint8_t *request);

/* A Terminate arrived: the octets from its control word on. */
void terminate_received(struct conn *conn, const uint8_t *octets, uint32_t len);

#endif
