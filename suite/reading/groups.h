/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The groups of fields that a device may consistently encode differently from
 * the RFCs (reading.h). Groups that contain others come first.
 */
#ifndef SUITE_READING_GROUPS_H
#define SUITE_READING_GROUPS_H

enum reading_group {
	READING_CRC,             /* of every FPDU */
	READING_TAGGED,          /* STag, TO */
	READING_UNTAGGED,        /* QN, MSN, MO */
	READING_TERMINATE,       /* the control word of a Terminate */
	READING_MPA_ERROR,       /* its error type, if MPA found the error */
	READING_REQUEST,         /* enhanced data of a Request */
	READING_REPLY,           /* enhanced data of a Reply */
	READING_ATOMIC_REQUEST,  /* its four operands */
	READING_ATOMIC_RESPONSE, /* its value */
	READING_IMMEDIATE,
	READING_GROUPS,
};

#endif
