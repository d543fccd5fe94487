# SPDX-License-Identifier: BSD-2-Clause
# GNU make. `make help` lists the targets.

BUILD   ?= build
PREFIX  ?= /usr/local
prefix  ?= $(PREFIX)
bindir  ?= $(prefix)/bin
mandir  ?= $(prefix)/share/man
datadir ?= $(prefix)/share/warpspec
VERSION := $(shell cat VERSION)
Q       := $(if $(V),,@)

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# Debian's libnet has no .pc file; nothing here links it before the raw link.
PKGS := libpcap libisal libcrypto cunit jansson inih libxml-2.0 zlib
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

CC ?= cc
OURS_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -DWARPSPEC_VERSION='"$(VERSION)"' \
	-Wall -Wextra -Wvla -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wno-override-init \
	-Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types -Werror=int-conversion \
	-fno-strict-aliasing -g -O2 $(PKG_CFLAGS)
OURS_LDFLAGS :=
ifneq ($(SAN),)
OURS_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
OURS_LDFLAGS += -fsanitize=$(SAN)
endif
ifneq ($(COV),)
OURS_CFLAGS += --coverage
OURS_LDFLAGS += --coverage
endif
ALL_CFLAGS = $(OURS_CFLAGS) -MMD -MP $(CFLAGS)
ALL_LDFLAGS = $(OURS_LDFLAGS)

# What a file is, its suffix says.
ALL_SRCS   := $(wildcard harness/*.c harness/*/*.c suite/*.c suite/*/*.c reports/*.c vectors/*.c)
TEST_SRCS  := $(filter %_test.c,$(ALL_SRCS))
BENCH_SRCS := $(filter %_bench.c,$(ALL_SRCS))
FUZZ_SRCS  := $(filter %_fuzz.c,$(ALL_SRCS))
TOOL_SRCS  := $(filter %_tool.c,$(ALL_SRCS))
MAIN_SRCS  := suite/main.c harness/refdut/main.c
CASE_SRCS  := $(wildcard cases/*/*.c)
REFDUT_SRCS := $(filter-out $(TEST_SRCS) $(BENCH_SRCS) $(FUZZ_SRCS) $(MAIN_SRCS),$(wildcard harness/refdut/*.c))
LIB_SRCS   := $(filter-out $(TEST_SRCS) $(BENCH_SRCS) $(FUZZ_SRCS) $(TOOL_SRCS) $(MAIN_SRCS) $(REFDUT_SRCS),$(ALL_SRCS))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJS    := $(call obj,$(LIB_SRCS))
CASE_OBJS   := $(call obj,$(CASE_SRCS))
REFDUT_OBJS := $(call obj,$(REFDUT_SRCS))
# All that the reference device shares with the suite: its independence is
# its purpose, and a link error is how it is kept.
REFDUT_SHARED := $(call obj,$(filter harness/crc/%.c harness/agent/line.c,$(LIB_SRCS)))

TESTS   := $(patsubst %.c,$(BUILD)/test/%,$(TEST_SRCS))
BENCHES := $(patsubst %.c,$(BUILD)/bench/%,$(BENCH_SRCS))
TOOLS   := $(patsubst %.c,$(BUILD)/tool/%,$(TOOL_SRCS))

all: $(BUILD)/warpspec $(BUILD)/warpspec-refdut

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC    $<")
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# A case includes case.h and nothing else.
$(BUILD)/obj/cases/%.o: OURS_CFLAGS += -Isuite

$(BUILD)/libwarpspec.a: $(LIB_OBJS)
	$(if $(V),,@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/librefdut.a: $(REFDUT_OBJS) $(REFDUT_SHARED)
	$(if $(V),,@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/warpspec: $(call obj,suite/main.c) $(CASE_OBJS) $(BUILD)/libwarpspec.a
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDFLAGS)

$(BUILD)/warpspec-refdut: $(call obj,harness/refdut/main.c) $(BUILD)/librefdut.a
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lisal -lcrypto $(LDFLAGS)

$(BUILD)/test/harness/refdut/%: $(BUILD)/obj/harness/refdut/%.o $(BUILD)/obj/harness/unit.o $(BUILD)/librefdut.a
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDFLAGS)

$(BUILD)/test/% $(BUILD)/bench/% $(BUILD)/tool/%: $(BUILD)/obj/%.o $(BUILD)/libwarpspec.a
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDFLAGS)

unit: $(TESTS)
	$(Q)set -e; for t in $(TESTS); do $$t; done

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

.PHONY: all unit clean
.SECONDARY:
