/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parameters of `listen` and `connect`. rdma_cm can set only few of them.
 * For each of the others the device has one behaviour: a request for it, by key
 * or by default, is accepted; a request for another behaviour is refused.
 */
#ifndef HARNESS_RNIC_PARAMS_H
#define HARNESS_RNIC_PARAMS_H

#include "harness/rnic/request.h"

/* Their keys, in the form of verb.keys. */
#define VERBS_PARAMS                                                           \
	" port pd ird ord private markers crc rq rqlen proto msn mpa rtr "

/* False: the request was refused. */
bool verbs_params_of(struct verbs_session *s, const struct line *l,
		     bool listening, struct verbs_params *p);

#endif
