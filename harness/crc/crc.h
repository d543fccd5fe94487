/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC32c as MPA uses it (RFC 5044 s4.4): one interface, two providers.
 *
 * A value is the finished CRC (initial value and final inversion applied). It
 * is sent with its least significant octet first: value 0x83992352 is 52 23 99
 * 83 on the wire.
 */
#ifndef HARNESS_CRC_CRC_H
#define HARNESS_CRC_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Choose the provider, and check both against each other and against the
 * published vectors. To be called once, before the first crc32c(), while there
 * is only one thread. The provider is ISA-L, unless WARPSPEC_CRC=isal|openssl
 * is in the environment. Returns 0, or -1 with one line about the error in *why
 * (static).
 */
int crc_init(const char **why);

/* The name of the provider in use: "isal" or "openssl". */
const char *crc_provider(void);

/* CRC32c of n octets, at most INT_MAX of them. */
uint32_t crc32c(const void *octets, size_t n);

/* Convert a value to the four octets on the wire, and back. */
void crc_put(uint8_t wire[4], uint32_t crc);
uint32_t crc_get(const uint8_t wire[4]);

/*
 * The first n of `have` octets end with a wrong CRC. Returns the distance from
 * its place to a matching CRC: positive after it, negative before it; within
 * the distance that a pad of the wrong length can cause. 0: there is no such
 * CRC.
 */
int8_t crc_off(const uint8_t *octets, size_t n, size_t have);

#endif
