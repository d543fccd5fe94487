/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parameters of listen and connect. rdma_cm can set few of them: for each
 * of the others the device has one behaviour, which is accepted if it is the
 * requested one, by key or by default, and refused otherwise.
 */
#ifndef HARNESS_RNIC_PARAMS_H
#define HARNESS_RNIC_PARAMS_H

#include "harness/rnic/request.h"

/* Their keys, as struct verb has them. */
#define VERBS_PARAMS                                                           \
	" port pd ird ord private markers crc rq rqlen proto msn mpa rtr "

/* False: refused. */
bool verbs_params_of(struct verbs_session *s, const struct line *l,
		     bool listening, struct verbs_params *p);

#endif
