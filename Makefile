# SPDX-License-Identifier: BSD-2-Clause
# GNU make. `make help` lists the targets.

BUILD   ?= build
PREFIX  ?= /usr/local
prefix  ?= $(PREFIX)
bindir  ?= $(prefix)/bin
datadir ?= $(prefix)/share/warpspec
docdir  ?= $(prefix)/share/doc/warpspec
mandir  ?= $(prefix)/share/man
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir  ?= $(prefix)/share/zsh/site-functions
VERSION := $(shell cat VERSION)

Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' $(1) '$(2)')

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:

# --- flags ------------------------------------------------------------
# The user's CPPFLAGS, CFLAGS and LDFLAGS come last and are never changed.

PKGS       := libseccomp libpcap libisal libcrypto cunit jansson inih libxml-2.0 zlib \
	libarchive usrsctp
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
# libnet comes without a .pc file.
OTHER_CFLAGS := $(shell libnet-config --cflags 2>/dev/null)
OTHER_LIBS   := $(shell libnet-config --libs 2>/dev/null)
# The reference device links the CRC providers and SCTP, and nothing else.
REFDUT_LIBS := $(shell pkg-config --libs libisal libcrypto usrsctp 2>/dev/null)
AGENT_LIBS  := $(shell pkg-config --libs libcrypto 2>/dev/null) -pthread

CC ?= cc
OURS_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -DWARPSPEC_VERSION='"$(VERSION)"' \
	-Wall -Wextra -Wvla -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wno-override-init \
	-Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types -Werror=int-conversion \
	-fno-strict-aliasing -g -O2 $(PKG_CFLAGS) $(OTHER_CFLAGS)
OURS_LDFLAGS :=
ifneq ($(WERROR),)
OURS_CFLAGS += -Werror
endif
ifneq ($(SAN),)
OURS_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all
OURS_LDFLAGS += -fsanitize=$(SAN)
endif
ifneq ($(COV),)
OURS_CFLAGS += --coverage
OURS_LDFLAGS += --coverage
endif
compile = $(CC) $(OURS_CFLAGS) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c
link    = $(CC) $(OURS_LDFLAGS) $(CFLAGS)

# --- sources ----------------------------------------------------------
# The suffix of a file determines its kind; a new file needs no line here.

ALL_SRCS := $(sort $(shell find harness suite reports vectors -name '*.c'))
CASE_SRCS   := $(sort $(shell find cases -name '*.c'))
TEST_SRCS   := $(filter %_test.c,$(ALL_SRCS))
BENCH_SRCS  := $(filter %_bench.c,$(ALL_SRCS))
FUZZ_SRCS   := $(filter %_fuzz.c,$(ALL_SRCS))
TOOL_SRCS   := $(filter %_tool.c,$(ALL_SRCS))
PROVE_SRCS  := $(filter %_prove.c,$(ALL_SRCS))
PRELOAD_SRCS := $(filter %_preload.c,$(ALL_SRCS))
# The agent for an RNIC is built if rdma-core is installed; its sessions are
# always built, so that they are tested without it.
RNIC_PKGS   := libibverbs librdmacm
RNIC_LIBS   := $(shell pkg-config --libs $(RNIC_PKGS) 2>/dev/null)
RNIC_SRCS   := $(wildcard harness/rnic/ibverbs*.c)
AGENT_MAIN  := harness/rnic/main.c
# The commands are linked into their program alone.
COMMAND_SRCS := suite/main.c $(filter suite/command/%,$(filter-out %_test.c,$(ALL_SRCS)))
MAIN_SRCS   := $(COMMAND_SRCS) harness/refdut/main.c $(AGENT_MAIN)
PROGRAM_SRCS := $(TEST_SRCS) $(BENCH_SRCS) $(FUZZ_SRCS) $(TOOL_SRCS) \
	$(PROVE_SRCS) $(PRELOAD_SRCS) $(MAIN_SRCS)
REFDUT_SRCS := $(filter-out $(PROGRAM_SRCS),$(filter harness/refdut/%,$(ALL_SRCS)))
# The parts of two tools.
KERNEL_TOOL_SRCS := $(filter harness/lab/sctp/kernel/%,$(ALL_SRCS))
INTEROP_TOOL_SRCS := $(filter harness/lab/sctp/interop/%,$(ALL_SRCS))
LIB_SRCS    := $(filter-out $(PROGRAM_SRCS) $(REFDUT_SRCS) $(RNIC_SRCS) \
	$(KERNEL_TOOL_SRCS) $(INTEROP_TOOL_SRCS),$(ALL_SRCS))
# Everything that the reference device shares with the suite: it has to be
# independent, and a link error shows when it is not.
SHARED_SRCS := $(filter harness/crc/%.c harness/agent/line.c,$(LIB_SRCS))

obj      = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
TESTS   := $(patsubst %.c,$(BUILD)/test/%,$(TEST_SRCS))
BENCHES := $(patsubst %.c,$(BUILD)/bench/%,$(BENCH_SRCS))
TOOLS   := $(patsubst %.c,$(BUILD)/tool/%,$(TOOL_SRCS))
FUZZERS := $(patsubst %.c,$(BUILD)/fuzz/%,$(FUZZ_SRCS))
PROGRAMS := $(BUILD)/warpspec $(BUILD)/warpspec-refdut
ifneq ($(RNIC_LIBS),)
PROGRAMS += $(BUILD)/warpspec-agent
endif
VECTORS_TOOL := $(BUILD)/tool/vectors/tool/vectors_tool

# --- building ---------------------------------------------------------

all: $(PROGRAMS)	## build warpspec, warpspec-refdut, warpspec-agent

# Objects made with other flags, or an archive made of other files, must not be
# mixed into this build: two files change only when these do.
$(BUILD)/flags: export STAMP = $(compile) / $(link) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@pkg-config --exists $(PKGS) || { \
		echo "pkg-config does not find all of: $(PKGS)"; \
		echo "'make deps' installs what is missing"; exit 2; } >&2
	@command -v libnet-config >/dev/null || { \
		echo "libnet-config is not there (Debian: libnet1-dev)"; \
		echo "'make deps' installs what is missing"; exit 2; } >&2
	@printf '%s\n' "$$STAMP" >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/sources: export STAMP = $(sort $(ALL_SRCS) $(CASE_SRCS))
$(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$STAMP" >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$(progress) $<)
	$(Q)$(compile) -o $@ $<

# How many have been begun, of how many at most: "12/530".
may_compile := $(words $(LIB_SRCS) $(REFDUT_SRCS) $(CASE_SRCS) $(MAIN_SRCS) $(RNIC_SRCS) \
	$(if $(filter-out all run,$(MAKECMDGOALS)),$(TEST_SRCS) $(TOOL_SRCS) $(BENCH_SRCS) \
	$(KERNEL_TOOL_SRCS) $(INTEROP_TOOL_SRCS)))
progress = $(eval compiled += .)$(words $(compiled))/$(may_compile)

# The copies in the program of files that are published next to it.
KILL_MATRIX := reports/published/kill-matrix/kill-matrix.json
$(BUILD)/obj/suite/catalogue/kill_matrix.o: $(KILL_MATRIX)
$(BUILD)/obj/suite/catalogue/kill_matrix.o: OURS_CFLAGS += \
	-DKILL_MATRIX='"$(firstword $(shell sha256sum $(KILL_MATRIX)))"'

# The device itself lists its faults and choices. EMULATE: what runs it, if it is
# built for another machine.
FAULT_LISTS := $(BUILD)/gen/refdut/mutants.def $(BUILD)/gen/refdut/variants.def
$(BUILD)/gen/refdut/%.def: $(BUILD)/warpspec-refdut
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(EMULATE) $< --list-$* >$@.list
	$(Q)sed 's/"/\\"/g; s/\t/", "/g; s/^/$(call upper,$*)("/; s/$$/")/' $@.list >$@.new
	@rm $@.list
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
upper = $(if $(filter mutants,$(1)),MUTANT,VARIANT)
NAMES_FAULTS := $(call obj,$(patsubst %,suite/catalogue/%.c,background catalogue registry))
$(NAMES_FAULTS): $(FAULT_LISTS)
$(NAMES_FAULTS): OURS_CFLAGS += -I$(BUILD)/gen

# What a case does, in the words of its file.
PROCEDURES := $(BUILD)/gen/procedures.def
$(PROCEDURES): suite/catalogue/procedures.awk $(CASE_SRCS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)awk -f $< $(CASE_SRCS) >$@.list
	$(Q)LC_ALL=C sort $@.list >$@.new
	@rm $@.list
	@mv $@.new $@
$(call obj,suite/catalogue/background.c): $(PROCEDURES)

# An override has all parameters of its decision, even those that it does not
# use.
$(BUILD)/obj/harness/refdut/%.o: OURS_CFLAGS += -Wno-unused-parameter

# Workers write down what they have counted before they end.
ifneq ($(COV),)
$(BUILD)/obj/suite/run/pool/process.o: OURS_CFLAGS += \
	-include suite/checks/coverage/at_exit.h
endif

# A case includes case.h and nothing else.
$(BUILD)/obj/cases/%.o: OURS_CFLAGS += -Isuite/language

$(BUILD)/libwarpspec.a: $(call obj,$(LIB_SRCS)) $(BUILD)/sources
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $(filter %.o,$^)

$(BUILD)/librefdut.a: $(call obj,$(REFDUT_SRCS) $(SHARED_SRCS)) $(BUILD)/sources
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $(filter %.o,$^)

AR := $(if $(filter default,$(origin AR)),ar,$(AR))
linked = $(filter %.o %.a,$^)
# Only the lists that the linker collects name its faults and choices.
REFDUT := $(BUILD)/librefdut.a
whole_refdut = $(filter %.o,$^) -Wl,--whole-archive $(REFDUT) \
	-Wl,--no-whole-archive

$(BUILD)/warpspec: $(call obj,$(COMMAND_SRCS) $(CASE_SRCS)) $(BUILD)/libwarpspec.a \
		$(BUILD)/sources
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(linked) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)

$(BUILD)/warpspec-refdut: $(call obj,harness/refdut/main.c) $(BUILD)/librefdut.a
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(whole_refdut) $(REFDUT_LIBS) $(LDFLAGS)

$(BUILD)/warpspec-agent: $(call obj,$(AGENT_MAIN) $(RNIC_SRCS)) \
		$(BUILD)/libwarpspec.a $(BUILD)/sources
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(linked) $(RNIC_LIBS) $(AGENT_LIBS) $(LDFLAGS)

# Its tests include the same headers, and the unit runner.
$(BUILD)/test/harness/refdut/%: $(BUILD)/obj/harness/refdut/%.o \
		$(BUILD)/obj/harness/unit.o $(BUILD)/librefdut.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(whole_refdut) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)

$(BUILD)/test/% $(BUILD)/bench/% $(BUILD)/tool/%: $(BUILD)/obj/%.o \
		$(BUILD)/libwarpspec.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(linked) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)

# It uses none of our code: it is another reading of the RFCs.
KERNEL_TOOL := $(BUILD)/tool/harness/lab/sctp/kernel_tool
INTEROP_TOOL := $(BUILD)/tool/harness/lab/sctp/interop_tool
NETWORK_TOOL := $(BUILD)/tool/harness/lab/network_tool
$(KERNEL_TOOL): $(call obj,harness/lab/sctp/kernel_tool.c $(KERNEL_TOOL_SRCS))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(linked) $(LDFLAGS)

$(INTEROP_TOOL): $(call obj,harness/lab/sctp/interop_tool.c $(INTEROP_TOOL_SRCS)) \
		$(BUILD)/libwarpspec.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(link) -o $@ $(linked) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)

$(BUILD)/fuzz/%: $(BUILD)/obj/%.o $(BUILD)/libwarpspec.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(link) -fsanitize=fuzzer -o $@ $(linked) $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)

# --- targets that need other programs ---------------------------------
# run and check first install the missing programs. The second make is for a
# machine where pkg-config itself was just installed.

BUILD_JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

deps:			## install the Debian packages that `make run` and `make check` need
	$(Q)suite/checks/deps.sh build check

run:			## run the suite on the built-in device (LINK=raw or sctp, FAMILY=6)
	$(Q)suite/checks/deps.sh build
	$(Q)+$(MAKE) $(BUILD_JOBS) all
	$(Q)+$(MAKE) run-only

check:			## run every check below, and print the counts at the end (about 20 minutes)
	$(Q)suite/checks/deps.sh build check
	$(Q)+BUILD='$(BUILD)' MAKE='$(MAKE)' SAN='$(SAN)' COV='$(COV)' suite/checks/check.sh

quick:			## run the checks that find most mistakes, in about half a minute
	$(Q)suite/checks/deps.sh build check
	$(Q)+BUILD='$(BUILD)' MAKE='$(MAKE)' SAN='$(SAN)' COV='$(COV)' suite/checks/check.sh quick

REPORT := $(BUILD)/report
LINK ?= socket
FAMILY ?= 4
run-only:
	$(Q)mkdir -p $(REPORT)
	$(Q)$(BUILD)/warpspec run --refdut --link $(LINK) --family $(FAMILY) \
		--evidence failures --captures $(REPORT)/captures \
		--report text --report html=$(REPORT)/html \
		--report json=$(REPORT)/report.json \
		--report junit=$(REPORT)/junit.xml \
		--report tap=$(REPORT)/report.tap
	@echo
	@echo "To read in a browser: $(REPORT)/html/index.html"
	@echo "To see a failure, run the same device with a fault:"
	@echo "  $(BUILD)/warpspec run --refdut=ignore_bad_crc mpa/crc"

# --- checks, one by one -----------------------------------------------

programs: $(PROGRAMS) $(TESTS) $(TOOLS) $(BENCHES)	# used by the checks

unit-programs: $(TESTS) $(BUILD)/warpspec-refdut
unit: unit-programs	## run the unit tests
	$(Q)suite/checks/unit.sh $(TESTS)

# Those that start no device and no other program, and are not slow already:
# atomic_test tries all small words. Some have a malloc of their own, which
# valgrind replaces.
VALGRIND_TESTS := $(filter-out %/atomic_test %/raw_test %/hooks_test %/json_memory_test %/memstream_test %/judge/memory_test,$(filter \
	$(addprefix $(BUILD)/test/,harness/wire/% harness/crc/% harness/text/% harness/link/raw/% \
	suite/model/% suite/judge/% suite/req/% suite/reading/% suite/dimension/% suite/device/%),$(TESTS)))
valgrind: $(VALGRIND_TESTS)	## run the unit tests of codec, model and judgement under valgrind
	$(Q)suite/checks/deps.sh build valgrind
	$(Q)suite/checks/valgrind.sh $(VALGRIND_TESTS)

# A build of its own. -O0: only so do branches match the source.
COVERAGE := $(BUILD)/coverage
coverage:		## what the tests run of codec, model and judgement, as a page; a reason for each gap (PUBLISH=1)
	$(Q)suite/checks/deps.sh build check coverage
	$(Q)+$(MAKE) $(BUILD_JOBS) BUILD=$(COVERAGE) COV=1 CFLAGS='-O0 $(CFLAGS)' coverage-programs
	$(Q)suite/checks/coverage/coverage.sh $(COVERAGE)
coverage-programs: all unit-programs $(VECTORS_TOOL)

# MACHINES="s390x armhf", COMPILERS=gcc, LEVELS=-O0 (clang; -O3, lto).
machines: export MACHINES := $(MACHINES)
machines: export COMPILERS := $(COMPILERS)
machines: export LEVELS := $(LEVELS)
machines: $(PROGRAMS)	## codec, model, vectors and catalogue on big-endian and 32-bit machines, in qemu
	$(Q)suite/checks/deps.sh build machines
	$(Q)suite/checks/machines.sh $(BUILD)

vectors: $(VECTORS_TOOL)	## compare the vectors with the codec, encoding and decoding
	$(Q)$(VECTORS_TOOL) check vectors/*.vec
	$(Q)vectors/tool/vectors_test.sh $(VECTORS_TOOL)

tshark: $(VECTORS_TOOL)	## compare the vectors with tshark's decoding
	$(Q)vectors/tool/tshark_test.sh $(VECTORS_TOOL)

layers: $(PROGRAMS) $(BUILD)/libwarpspec.a $(KERNEL_TOOL) $(INTEROP_TOOL)	## check includes, cycles of calls, and the sizes of folders and functions
	$(Q)suite/checks/layers.sh $(BUILD)
	$(Q)suite/checks/complexity.sh

complexity:		## check the cyclomatic complexity of every function (pmccabe)
	$(Q)suite/checks/complexity.sh

headers:		## compile every header alone, with gcc and clang
	$(Q)suite/checks/headers.sh

mutants: $(PROGRAMS)	## check that the cases find every mutant, under its own requirement
	$(Q)suite/checks/mutants.sh $(BUILD)

variants: $(PROGRAMS)	## check that no case fails on a legal variant
	$(Q)suite/checks/variants.sh $(BUILD)

target: $(PROGRAMS)	## check devices without an agent: none is accused, and faults are found
	$(Q)suite/checks/target.sh $(BUILD)

peer: $(PROGRAMS)	## check that the suite's own peer breaks only the rules that a case names
	$(Q)suite/checks/peer_test.sh $(BUILD)

kill-matrix: $(PROGRAMS)	## run every case on every mutant (PUBLISH=1: publish the matrix)
	$(Q)suite/checks/kill_matrix.sh $(BUILD)

explore-planted: $(PROGRAMS)	## check that exploration finds the planted coincidences (SECONDS_EACH=600)
	$(Q)suite/checks/explore_planted.sh $(BUILD)

# WHAT=WORD: only the properties whose sentence contains it.
prove: export COMPILE = $(CC) $(OURS_CFLAGS) $(OURS_LDFLAGS) $(CPPFLAGS) $(CFLAGS)
prove: export LIBWARPSPEC = $(BUILD)/libwarpspec.a $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)
prove: export LIBREFDUT = $(call obj,$(filter harness/refdut/faults/% harness/refdut/choices/%,$(REFDUT_SRCS))) \
	$(BUILD)/librefdut.a $(REFDUT_LIBS) $(LDFLAGS)
prove: $(BUILD)/libwarpspec.a $(BUILD)/librefdut.a	## prove that the arithmetic in C is that of the RFCs, for all inputs (z3)
	$(Q)suite/checks/deps.sh build check
	$(Q)suite/prove/prove.py $(BUILD) $(WHAT)

# FILES: only mutants of these; unthought.py says what else may be set.
unthought unthought-judges: export COMPILE = $(compile)
unthought unthought-judges: export LINK = $(link)
unthought: export OBJECTS = $(call obj,harness/refdut/main.c $(REFDUT_SRCS) $(SHARED_SRCS))
unthought: export LIBRARIES = $(REFDUT_LIBS) $(LDFLAGS)
unthought: $(PROGRAMS)	## run the cases on machine-made mutants of the device (SAMPLE, PART, SHARD, PUBLISH=1)
	$(Q)suite/checks/deps.sh build check
	$(Q)suite/checks/unthought/unthought.py $(BUILD) device $(FILES)

# Unit tests that neither wait for long nor start other programs.
JUDGES_TESTS := $(filter suite/model/% suite/language/% suite/judge/% suite/reading/% suite/dimension/% \
	suite/audit/% suite/decode/% harness/wire/% harness/peer/% harness/observe/% vectors/tool/vectors_tool.c,\
	$(TEST_SRCS) $(TOOL_SRCS))
unthought-judges: export OBJECTS = $(call obj,$(COMMAND_SRCS) $(CASE_SRCS) $(LIB_SRCS))
unthought-judges: export LIBRARIES = $(PKG_LIBS) $(OTHER_LIBS) $(LDFLAGS)
unthought-judges: export TESTS = $(JUDGES_TESTS:.c=)
unthought-judges: $(PROGRAMS) $(TESTS) $(TOOLS)	## check that tests and devices notice machine-made mutants of model, matchers, peer, codec
	$(Q)suite/checks/deps.sh build check
	$(Q)suite/checks/unthought/unthought.py $(BUILD) judges $(FILES)

network: $(PROGRAMS) $(NETWORK_TOOL)	## check that delay and loss in a network cause no failure (LINKS, JOBS, NETWORKS, MUTANTS, CASES)
	$(Q)suite/checks/network.sh $(BUILD)

explore-mutants: $(PROGRAMS)	## list the mutants that exploration finds without the cases
	$(Q)suite/checks/explore_mutants.sh $(BUILD)

triples: $(PROGRAMS)	## check that one run names three faults at once at the foundations
	$(Q)suite/checks/triples.sh $(BUILD)

pairs: $(PROGRAMS)	## check that two mutants at once are both found, and nothing else is blamed
	$(Q)suite/checks/pairs.sh $(BUILD)

starved: $(PROGRAMS)	## check that a busy host causes no failure
	$(Q)suite/checks/starved.sh $(BUILD)

controls: $(PROGRAMS)	## check that control devices, which lack one ability, pass no case about it
	$(Q)suite/checks/controls.sh $(BUILD)

slowest: $(PROGRAMS)	## time a run on each broken device; list the ten slowest (SAMPLE, PART, MOST=10)
	$(Q)suite/checks/slowest.sh $(BUILD)

determinism: $(PROGRAMS)	## compare the verdicts at several numbers of jobs and in several orders
	$(Q)suite/checks/determinism.sh $(BUILD) 20

axes: $(PROGRAMS)	## list the gaps of coverage --axes without a reason, and reasons without a gap
	$(Q)suite/checks/axes.sh $(BUILD)

metamorphic: $(PROGRAMS)	## compare the verdicts with octets divided differently into TCP segments, and on a second connection
	$(Q)suite/checks/metamorphic.sh $(BUILD)

cli: $(PROGRAMS)	## test the command line: bad input, dying agents, full disks
	$(Q)suite/checks/cli_test.sh $(BUILD)

# T=SECONDS (600), SEED=N, KINDS="raw link-flaps ...", CASES="mpa/crc ...".
soak: export T := $(T)
soak: export SEED := $(SEED)
soak: export KINDS := $(KINDS)
soak: export CASES := $(CASES)
soak: $(PROGRAMS)	## runs, kills, dying devices, flapping links, full disks in a random order (T=600, SEED)
	$(Q)suite/checks/soak.py $(BUILD)

faults: $(PROGRAMS)	## make every call fail once, in suite, device and reports (POINTS=N of each, COMMANDS, CALLS)
	$(Q)suite/checks/faults/faults.py $(BUILD) $(COMMANDS)

host: $(PROGRAMS)	## run without descriptors, memory, ports, network or /proc; with clocks that jump, and stopped
	$(Q)suite/checks/faults/host.py $(BUILD)

# CASES="mpa/crc ...", ATTACKS="devices connects ...".
hostile: export CASES := $(CASES)
hostile: $(PROGRAMS)	## hostile devices, strangers on the network, agents that lie (CASES, ATTACKS)
	$(Q)suite/checks/hostile/hostile.py $(BUILD) $(ATTACKS)

audit: $(PROGRAMS)	## audit captures of clean, faulty and disturbed traffic, and of none
	$(Q)suite/checks/audit_test.sh $(BUILD)

relay: $(PROGRAMS)	## two reference devices through `warpspec relay`, with each fault on the way
	$(Q)suite/checks/relay_test.sh $(BUILD)

bench-audit: $(PROGRAMS) $(BUILD)/bench/harness/link/raw/assembly_bench	## time the audit of captures, beside tshark
	$(Q)suite/checks/bench_audit.sh $(BUILD)

audit-mutants: $(PROGRAMS)	## how many mutants are found in captures alone (SAMPLE=1: each)
	$(Q)suite/checks/audit_mutants.sh $(BUILD)

audit-devices: $(PROGRAMS)	## audit captures of variants and mutants (VARIANTS=1 MUTANTS=1: each)
	$(Q)suite/checks/audit_devices.sh $(BUILD)

bundle: $(PROGRAMS)	## test signed bundles (altered, hostile, signed by others) and statements
	$(Q)suite/checks/bundle_test.sh $(BUILD)

check-agent: $(PROGRAMS)	## run check-agent on sound agents, and on agents with one fault each
	$(Q)suite/checks/check_agent_test.sh $(BUILD)

publish-reference: $(PROGRAMS)	## write reports/published/reference again, from the built-in device
	$(Q)-suite/checks/deps.sh html
	$(Q)reports/publish_reference.sh $(BUILD)

check-html: $(PROGRAMS)	## test the pages of a run in a browser (AXE=axe.min.js: accessibility, too)
	$(Q)-suite/checks/deps.sh html
	$(Q)suite/checks/html_test.sh $(BUILD)

raw: $(PROGRAMS)	## test the raw link: bad input, missing privileges
	$(Q)suite/checks/raw_test.sh $(BUILD)

readings: $(PROGRAMS)	## check that each reading is reported once, and accepted by all other cases
	$(Q)suite/checks/readings_test.sh $(BUILD)

manual: $(PROGRAMS)	## check the man pages, the examples, the completion and README.md against the programs
	$(Q)suite/checks/manual_test.sh $(BUILD)
	$(Q)suite/checks/completion_test.sh $(BUILD)
	$(Q)suite/checks/readme_test.sh $(BUILD)

forges: $(PROGRAMS)	## test the reports for CI servers, and the workflows of examples/ci
	$(Q)suite/checks/forges_test.sh $(BUILD)

crash: $(PROGRAMS)	## check which case is blamed when a device goes down, and test the hooks
	$(Q)suite/checks/crash_test.sh $(BUILD)

bench: $(PROGRAMS) $(BENCHES)	## run the benchmarks; they assert nothing
	$(Q)for b in $(BENCHES); do $$b; done
	$(Q)suite/checks/bench.sh $(BUILD)

FUZZ_SECONDS ?= 10
fuzz:			## run each fuzzer for FUZZ_SECONDS (10)
	$(Q)suite/checks/deps.sh build check
	$(Q)+$(MAKE) $(BUILD_JOBS) BUILD=$(BUILD)/clang CC=clang \
		SAN=fuzzer-no-link,address,undefined fuzzers
	$(Q)+$(MAKE) BUILD=$(BUILD)/clang fuzz-only
fuzzers: $(FUZZERS)
fuzz-only:
	$(Q)suite/checks/fuzz.sh $(FUZZ_SECONDS) $(FUZZERS)

FORMATTED = $(sort $(shell find cases harness suite reports vectors -name '*.[ch]'))
format:			## format all C with clang-format
	$(Q)clang-format -i $(FORMATTED)

format-check:		## list what `make format` would change
	$(Q)suite/checks/format_check.sh $(BUILD)/check/formatted $(FORMATTED)

tidy:			## run clang-tidy on all C
	$(Q)suite/checks/deps.sh build tidy
	$(Q)printf '%s\n' $(ALL_SRCS) $(CASE_SRCS) | xargs -P$$(nproc) -n4 sh -c \
		'clang-tidy --quiet "$$@" -- $(subst ','\'',$(OURS_CFLAGS)) \
		-Isuite/language -Wno-unknown-warning-option 2>/dev/null' tidy

# FILES: only these.
analyze: export COMPILE = $(CC) $(OURS_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c
analyze: export ALL = $(if $(FILES),,1)
analyze: $(FAULT_LISTS) $(PROCEDURES)	## run cppcheck and gcc -fanalyzer on all C (FILES=...)
	$(Q)suite/checks/deps.sh build analyze
	$(Q)suite/checks/analyze.sh $(BUILD) $(or $(FILES),$(ALL_SRCS) $(CASE_SRCS))

# --- Linux siw in a virtual machine -----------------------------------

SIW ?= 6.1
WARPSPEC_AGENT ?= $(BUILD)/warpspec-agent
export WARPSPEC_AGENT SIW_LAB SIW_SRC

siw-up:			## boot a virtual machine with siw and the agent (SIW=6.1 or 6.12)
	$(Q)harness/lab/siw/can
	$(Q)suite/checks/deps.sh build siw
	$(Q)+$(MAKE) $(BUILD_JOBS) all
	$(Q)harness/lab/siw/up $(SIW)

siw-down:		## stop the virtual machines, and remove everything that siw-up made
	$(Q)harness/lab/siw/down

# SIW_SRC=DIR: on the driver in that folder, compared with the last published
# run.
check-siw:		## run the whole suite on Linux siw (KERNEL=6.1 or 6.12, SIW_SRC=DIR)
	$(Q)harness/lab/siw/can
	$(Q)suite/checks/deps.sh build check siw
	$(Q)+$(MAKE) $(BUILD_JOBS) all $(KERNEL_TOOL) $(INTEROP_TOOL)
	$(Q)harness/lab/siw/check.sh $(BUILD) $(KERNEL)

# --- installing, cleaning ---------------------------------------------

INSTALL ?= install
# Programs that are not built here have no page and no completion.
INSTALLED := $(notdir $(PROGRAMS))
MAN1 := $(INSTALLED:%=man/%.1) man/warpspec-report.1
MAN5 := $(wildcard man/*.5)
# Where README.md expects them.
DOCS := README.md CONTRIBUTING.md SECURITY.md LICENSE harness/agent/PROTOCOL.md examples/device.ini \
	$(wildcard examples/ci/* examples/agent/* reports/published/reference/*.png)
install: $(PROGRAMS)	## install into DESTDIR and prefix (/usr/local)
	$(INSTALL) -d $(addprefix $(DESTDIR),$(bindir) $(datadir) $(mandir)/man1 \
		$(mandir)/man5 $(bashcompdir) $(zshcompdir) \
		$(sort $(dir $(DOCS:%=$(docdir)/%))))
	$(INSTALL) -m 755 $(PROGRAMS) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 reports/schema/schema.json reports/schema/junit.xsd $(DESTDIR)$(datadir)
	$(INSTALL) -m 644 $(MAN1) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 $(MAN5) $(DESTDIR)$(mandir)/man5
	for f in $(DOCS); do \
		$(INSTALL) -m 644 $$f $(DESTDIR)$(docdir)/$$f || exit; done
	for p in $(INSTALLED); do $(INSTALL) -m 644 completion/warpspec.bash \
		$(DESTDIR)$(bashcompdir)/$$p || exit; done
	$(INSTALL) -m 644 completion/_warpspec $(DESTDIR)$(zshcompdir)

uninstall:		## remove the installed files
	rm -f $(addprefix $(DESTDIR)$(bindir)/,$(INSTALLED))
	rm -f $(MAN1:man/%=$(DESTDIR)$(mandir)/man1/%) \
		$(MAN5:man/%=$(DESTDIR)$(mandir)/man5/%)
	rm -f $(addprefix $(DESTDIR)$(bashcompdir)/,$(INSTALLED)) \
		$(DESTDIR)$(zshcompdir)/_warpspec
	rm -rf $(DESTDIR)$(datadir) $(DESTDIR)$(docdir)

dist:			## write a source archive of the last commit
	@mkdir -p $(BUILD)
	git archive --prefix=warpspec-$(VERSION)/ -o $(BUILD)/warpspec-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/warpspec-$(VERSION).tar.gz

clean:			## remove the build directory
	rm -rf $(BUILD)

help:			## print this list
	@echo "make [TARGET] [BUILD=DIR] [V=1] [SAN=address,undefined] [COV=1]" \
		"[CFLAGS=...] [LDFLAGS=...]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | \
		while IFS='	' read -r t s; do printf '  %-14s %s\n' "$$t" "$$s"; done

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

.PHONY: all deps run run-only check quick programs unit-programs unit coverage coverage-programs valgrind machines vectors tshark layers complexity headers \
	mutants kill-matrix pairs triples explore-mutants explore-planted prove unthought unthought-judges starved network variants target peer controls slowest determinism metamorphic axes cli check-agent check-html publish-reference raw \
	crash readings manual forges bundle faults host hostile soak bench fuzz audit audit-devices audit-mutants relay bench-audit \
	fuzzers fuzz-only format format-check tidy analyze check-siw siw-up siw-down \
	install uninstall dist clean help FORCE
