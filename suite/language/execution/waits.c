/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a case waits. An answer arrives within bed->wait_ns. After a wait in
 * vain, if the case has done nothing since and nothing has arrived, everything
 * that could arrive is here: a second wait would show nothing more, and a
 * failure costs only one wait.
 *
 * A case waits for less time if the wait cannot cause a failure, or if such an
 * answer has never come before: several cases have found that the device leaves
 * streams unread that it has to end, and this case has waited in vain already;
 * or they have found that it leaves streams open behind a Terminate, behind which
 * nothing but the end of the stream is to come (a case that judges this end, or
 * what follows a Terminate, waits in full).
 * That never causes a pass: if silence is what is due, the wait is a full one. A
 * case that depends on a fallen foundation ends with the first wait in vain.
 *
 * On a link that loses packets, more than a stray few in a whole run, every wait
 * is a full one: retransmission takes time.
 *
 * If an agent has left a verb unanswered in case after case, cases wait less
 * for this verb until it answers again. A case that depends on that verb is an
 * ERROR, which blames no device and costs little.
 *
 * A wait begins when it is called, whatever delayed this process before; only a
 * wait that reached its end was in vain.
 */
#include "suite/language/execution/execution.h"

#include <sys/eventfd.h>

#include "harness/link/clock.h"

/* The part of a wait for a case that depends on a fallen foundation, or on an
 * agent's missing answer, or whose verdict is known. */
#define RESTING_PART 16u
/* A host that pauses makes TCP retransmit once or twice, too. */
#define STRAY_PACKETS 3u
/* So many waits at most while what the peer has sent arrives, and how often one
 * of them looks whether it has. */
#define ARRIVING_WAITS 9u
#define ARRIVING_LOOKS 32u
/* Agents wait for whole milliseconds. */
#define AGENT_STEP_NS (2 * (uint64_t)CLOCK_NS_PER_MS)

/* Counts the actions of the case and the arrivals on the wire. */
static uint64_t happened(const struct test *t)
{
	uint64_t n = t->acts + t->streams;

	for (unsigned i = 0; i < t->streams; i++) {
		const struct stream *s = &t->stream[i];
		const struct peer *p = &s->peer;

		if (s->live)
			n += 1 + p->conn->sent + p->conn->received +
			     p->fin_sent + p->reset_sent + p->fin_seen +
			     p->reset_seen;
	}
	return n;
}

/* The same, with the reports of the agent. */
static uint64_t happened_or_told(const struct test *t)
{
	uint64_t n = happened(t) + t->told;

	for (unsigned i = 0; i < t->streams; i++)
		n += t->stream[i].event_count;
	return n;
}

/* Begin a wait of so many ns. */
static uint64_t until(const struct test *t, uint64_t ns)
{
	const struct testbed *bed = t->bed;
	uint64_t deadline = clock_now_ns() + ns;

	/* An agent, and a failing startup, may take as long again. */
	if (bed->waiting)
		bed->waiting->until =
			deadline + bed->wait_ns +
			bed->hello.startup_timeout_ms * 1000000ull;
	return deadline;
}

uint64_t test_deadline(const struct test *t)
{
	return until(t, t->bed->wait_ns);
}

uint64_t impatient_deadline(const struct test *t)
{
	return until(t, t->bed->wait_ns / RESTING_PART);
}

uint64_t wait_lasts(const struct test *t)
{
	const struct testbed *bed = t->bed;
	bool hopeless = t->in_vain && stream_left_unread(t);
	bool past = t->is_past;
	bool brief = bed->brief || t->shaken_by ||
		     (t->in->desc->founds && t->in_vain) ||
		     (hopeless && !t->silence_is_due) ||
		     (bed->ground && bed->ground->again);

	/* A lost packet is retransmitted after a second, at worst. */
	if (bed->patience && bed->patience->lost > STRAY_PACKETS)
		brief = past = false;
	return bed->wait_ns / (test_rests_on_fallen(t) || past ? RESTING_PART
			       : brief                         ? WAIT_BRIEF_PART
							       : 1);
}

uint64_t wait_deadline(const struct test *t)
{
	return until(t, wait_lasts(t));
}

void test_acts(struct test *t)
{
	t->acts++;
}

void wait_at_ease(const struct test *t)
{
	struct waiting *waiting = t->bed->waiting;

	if (!waiting || waiting->at_ease)
		return;
	waiting->at_ease = true;
	if (t->bed->bell >= 0)
		eventfd_write(t->bed->bell, 1);
}

uint64_t wait_begins(const struct test *t)
{
	/* So may a wait for something that has failed to arrive several
	 * times. */
	if (test_rests_on_fallen(t) || stream_left_unread(t))
		wait_at_ease(t);
	return t->in_vain && t->in_vain_at == happened_or_told(t)
		       ? CLOCK_NOW
		       : wait_deadline(t);
}

bool wait_was_cut(uint64_t deadline)
{
	return clock_now_ns() + AGENT_STEP_NS < deadline;
}

void wait_in_vain(struct test *t, uint64_t deadline)
{
	if (deadline == CLOCK_NOW || wait_was_cut(deadline))
		return;
	t->in_vain = true;
	t->in_vain_at = happened_or_told(t);
	if (!test_rests_on_fallen(t))
		return;
	test_blames_its_ground(t);
	longjmp(t->out, 1);
}

static uint64_t not_arrived(const struct stream *s)
{
	return s->live ? link_unacknowledged(s->peer.conn) : 0;
}

struct arrival arrival_begins(const struct test *t, const struct stream *s)
{
	uint64_t most = wait_lasts(t) * ARRIVING_WAITS;

	return (struct arrival){.left = not_arrived(s),
				.deadline = wait_begins(t),
				.last = clock_now_ns() + most};
}

uint64_t arrival_look_at(const struct test *t, const struct arrival *a)
{
	uint64_t at = clock_now_ns() + wait_lasts(t) / ARRIVING_LOOKS;

	return a->left && at < a->deadline ? at : a->deadline;
}

bool frame_grows(const struct test *t, const struct stream *s)
{
	const struct peer *p = &s->peer;

	return p->growing || (s->live && p->rx_to > p->rx_from && p->grew &&
			      clock_now_ns() < p->grew + wait_lasts(t) / 2);
}

bool arrival_goes_on(const struct test *t, const struct stream *s,
		     struct arrival *a)
{
	uint64_t left = not_arrived(s);
	bool grows = frame_grows(t, s);
	bool extended = a->left && (left < a->left || grows) &&
			clock_now_ns() + wait_lasts(t) <= a->last;

	if (extended)
		a->deadline = wait_deadline(t);
	if (left < a->left)
		a->left = left;
	/* A frame that still grows after a whole wait comes too slowly. */
	return (extended || !grows) && wait_was_cut(a->deadline);
}

/* A report may describe an earlier event: only octets on the wire justify
 * another wait. */
void stream_is_deaf(const struct test *t, struct stream *s)
{
	s->deaf = true;
	s->deaf_at = happened(t);
}

bool stream_was_deaf(const struct test *t, const struct stream *s)
{
	return s->deaf && s->deaf_at == happened(t);
}
