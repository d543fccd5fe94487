/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages for atomics of several streams without an order. */
#include "suite/language/history/linear_text.h"

#include <string.h>

#include "harness/unit.h"

static uint64_t room[LINEAR_ROOM(8, 2, 64)];

#define ADD(stream_, was, sent, at)                                            \
	{                                                                      \
		.stream = (stream_), .data = 1, .original = (was),             \
		.sent_at = (sent), .answered_at = (at), .answered = true       \
	}

static void told(const struct linear_op *op, unsigned ops, bool last_known,
		 uint64_t last, const char *due)
{
	struct linear_word word = {
		.first = 7, .last_known = last_known, .last = last};
	struct linear_history h = {.word = &word,
				   .words = 1,
				   .op = op,
				   .ops = ops,
				   .orders = LINEAR_TIME | LINEAR_STREAMS};
	struct linear_verdict v =
		linear_judge(&h, 1000, room, UNIT_COUNT(room));
	char text[LINEAR_TEXT];

	linear_text(&h, &v, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, due);
}

static void who_saw_what(void)
{
	static const struct linear_op twice[] = {ADD(2, 7, 1, 10),
						 ADD(5, 7, 2, 11)};
	static const struct linear_op nowhere[] = {ADD(2, 7, 1, 10),
						   ADD(5, 9, 2, 11)};
	static const struct linear_op early[] = {
		ADD(2, 7, 1, 10), ADD(5, 9, 2, 11), ADD(2, 8, 12, 13)};
	static const struct linear_op stream[] = {ADD(2, 8, 1, 10),
						  ADD(2, 7, 2, 11)};
	static const struct linear_op time[] = {ADD(2, 8, 1, 10),
						ADD(3, 7, 11, 12)};
	struct linear_op late[] = {ADD(2, 7, 1, 10), ADD(3, 7, 11, 12)};

	told(twice, 2, false, 0,
	     "atomic 1 of stream 2, FetchAdd of 0x1 in word 0, and atomic 1 of "
	     "stream 5, FetchAdd of 0x1 in word 0, both found 0x7 and changed "
	     "it; 2 did, but the word had this value only once");
	told(nowhere, 2, false, 0,
	     "atomic 1 of stream 5, FetchAdd of 0x1 in word 0, found 0x9, "
	     "which no operation left");
	told(early, 3, false, 0,
	     "atomic 1 of stream 5, FetchAdd of 0x1 in word 0, found 0x9, "
	     "which only atomic 2 of stream 2, FetchAdd of 0x1 in word 0, "
	     "left, and that was sent after this was answered");
	told(stream, 2, false, 0,
	     "atomic 1 of stream 2, FetchAdd of 0x1 in word 0, found 0x8, as "
	     "if the operations of its stream were performed in another order: "
	     "after atomic 2 of stream 2, FetchAdd of 0x1 in word 0");
	told(time, 2, false, 0,
	     "atomic 1 of stream 2, FetchAdd of 0x1 in word 0, found 0x8, "
	     "which only atomic 1 of stream 3, FetchAdd of 0x1 in word 0, "
	     "left, and that was sent after this was answered");
	late[1].kind = LINEAR_CMPSWAP;
	late[1].mask = 0xff;
	late[1].compare = 3;
	late[1].compare_mask = UINT64_MAX;
	told(late, 2, false, 0,
	     "atomic 1 of stream 3, CmpSwap of 0x3 to 0x1 (mask 0xff) in word "
	     "0, found 0x7, as if it was performed before atomic 1 of stream "
	     "2, FetchAdd of 0x1 in word 0, which was answered before this was "
	     "sent");
	told(twice, 1, true, 9,
	     "word 0 ends as 0x9, but the operations leave 0x8");
	told(twice, 1, true, 8, "there is one");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"who saw what", who_saw_what},
	};

	return unit_run("linear text", tests, UNIT_COUNT(tests));
}
