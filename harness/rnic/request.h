/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request of a session's client: the verb it names, the values it gives,
 * and how it is refused.
 */
#ifndef HARNESS_RNIC_REQUEST_H
#define HARNESS_RNIC_REQUEST_H

#include "harness/rnic/session_state.h"

/* A verb that is served, a row of a table; name NULL ends it. */
struct verb {
	const char *name;
	const char *keys; /* each with a space before and after */
	/* Writes one reply, unless the client goes meanwhile. */
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

/* Values by their key. These answer ERR themselves if they return false or
 * NULL; a key that is absent leaves *value unchanged. */
bool verbs_number(struct verbs_session *s, const struct line *l,
		  const char *key, uint64_t max, uint64_t *value);
bool verbs_flag(struct verbs_session *s, const struct line *l, const char *key,
		bool *value);
bool verbs_needs(struct verbs_session *s, const struct line *l,
		 const char *key);
/* The connection under the key conn. */
struct verbs_conn *verbs_conn_of(struct verbs_session *s, const struct line *l);

/* The number in a name like c7; 0: it is not such a name. */
uint64_t verbs_name_number(const char *name, char letter);

#endif
