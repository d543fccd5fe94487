/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request of a session's client: its verb, its values, and its refusal.
 */
#ifndef HARNESS_RNIC_REQUEST_H
#define HARNESS_RNIC_REQUEST_H

#include "harness/rnic/session_state.h"

/* A verb: a row of a table that ends with a name of NULL. */
struct verb {
	const char *name;
	const char *keys; /* each with a space before and after */
	/* Writes one reply, unless the client disconnects meanwhile. */
	void (*serve)(struct verbs_session *s, const struct line *l);
};

/* ERR, with a text. */
void verbs_refuse(struct verbs_session *s, enum line_code code,
		  const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* ERR with the device's text. */
void verbs_refused(struct verbs_session *s, enum line_code code);
/* ERR unsupported KEY. Always false. */
bool verbs_unsupported(struct verbs_session *s, const char *key);

/* The value of a key. If the result is false or NULL, the function has answered
 * ERR. If the key is absent, *value is unchanged. */
bool verbs_number(struct verbs_session *s, const struct line *l,
		  const char *key, uint64_t max, uint64_t *value);
bool verbs_flag(struct verbs_session *s, const struct line *l, const char *key,
		bool *value);
bool verbs_needs(struct verbs_session *s, const struct line *l,
		 const char *key);
/* The connection that the key conn names. */
struct verbs_conn *verbs_conn_of(struct verbs_session *s, const struct line *l);

/* The number in a name like c7; 0: it is not such a name. */
uint64_t verbs_name_number(const char *name, char letter);

#endif
