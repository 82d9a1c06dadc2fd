# memsim.  `make help` lists the targets.
# Users may set CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, PREFIX, DESTDIR; the project's own flags are in MY_*.
# One variant = one folder under build/, so no target needs a `make clean` before it.
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

CC         ?= cc
ifeq ($(origin CC),default)
CC         := cc
endif
CFLAGS     ?= -O2 -g
PREFIX     ?= /usr/local
PKG_CONFIG ?= pkg-config
# Empty at a user's, whose newer compiler may warn about more; CI says WERROR=-Werror.
WERROR     ?=
# JOBS: compilers and test programs that run at once.
JOBS       ?= 2

VARIANT ?= release
# BUILD: another place for everything a build writes, e.g. to keep two builds apart.
BUILD   ?= build
B       := $(BUILD)/$(VARIANT)

V_release  := -fstack-protector-strong
VL_release := -Wl,-z,relro,-z,now
V_debug    := -O0 -g3 -fno-omit-frame-pointer
V_asan     := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
V_tsan     := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
V_cov      := -O0 -g --coverage
V_clang    := -O2 -g
V_fuzz     := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link \
              -fno-sanitize-recover=all -DMEMSIM_LIBFUZZER

# Every warning of gcc and clang that pays.  Left out: -Wpadded and -Wcast-align (noise on x86-64),
# -Wdeclaration-after-statement (C99 and later declare at first use), -Wsign-conversion (-Wconversion has it in C).
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wold-style-definition -Wvla -Wundef -Wcast-qual -Wwrite-strings -Wdouble-promotion \
        -Wformat=2 -Wswitch-enum -Wimplicit-fallthrough

# Debian packages of a build; the names `make deps` installs and the lint tools `make lint` wants.
APT_BUILD := build-essential pkg-config libinih-dev libgsl-dev check gnuplot-nox libjansson-dev \
             zlib1g-dev liblzma-dev libzstd-dev
APT_LINT  := clang-tidy-14 clang-format-14 cppcheck
PKGS      := inih gsl jansson zlib liblzma libzstd
TEST_PKGS := check

# -ffp-contract=off and -ffile-prefix-map: same results and same bytes whatever the compiler and the folder.
MY_CPPFLAGS := -Isim -D_POSIX_C_SOURCE=200809L
MY_CFLAGS   := -std=c17 $(WARN) $(WERROR) -ffp-contract=off -ffile-prefix-map=$(CURDIR)=.
# The user's CFLAGS come before the variant's, so that `make debug` is -O0 whatever CFLAGS says.
ALL_CFLAGS   = $(MY_CFLAGS) $(CFLAGS) $(V_$(VARIANT))
ALL_LDFLAGS  = $(LDFLAGS) $(VL_$(VARIANT))

# Recursive on purpose: asked only when something is compiled or linked, i.e. after `make deps`.
PKG_CFLAGS   = $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS     = $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lm
TEST_CFLAGS  = $(shell $(PKG_CONFIG) --cflags $(TEST_PKGS) 2>/dev/null)
TEST_LIBS    = $(shell $(PKG_CONFIG) --libs $(TEST_PKGS) 2>/dev/null)

SRC   := $(sort $(wildcard sim/*/*.c))
MAIN  := $(B)/sim/cli/main.o
LIB   := $(filter-out $(MAIN),$(SRC:%.c=$(B)/%.o)) $(B)/version.o
TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/[0-9]*.c)))
# Scripts: cli-* drive the binary, whatever the variant; the others read the source, once is enough.
SCRIPTS := $(sort $(wildcard tests/scripts/cli-*.sh)) \
           $(if $(filter release,$(VARIANT)),tests/floors.sh $(sort $(wildcard tests/scripts/check-*.sh)))
# Source shared by several tests (readers of closed forms, mocks): linked into every test.
TEST_LIB := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/common/*.c)))
BENCH := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/bench/*.c)))
# A fuzz target defines LLVMFuzzerTestOneInput; without libFuzzer its own main replays files.
FUZZ  := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))

Q := @
ifdef V
Q :=
endif
say = @printf '  %-5s %s\n' '$(1)' '$(2)'

## all        build ./memsim (the default): -O2, runs on any machine of this architecture
.PHONY: all
all: $(B)/memsim
	@ln -sfn $(B)/memsim memsim

## run        install what is missing, build, run the main job: GPT-3 inference on an H100
.PHONY: run
run: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	./memsim devices/h100.ini workloads/gpt.trace

## test       install what is missing, build, run all tests and script checks
.PHONY: test
test: deps
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=$(VARIANT) build-tests
	@$(MAKE) --no-print-directory VARIANT=$(VARIANT) run-tests

# What `make test` builds and runs, without looking for packages: for work in progress and the other variants.
.PHONY: build-tests run-tests
build-tests: all $(TESTS) $(FUZZ)
run-tests:
	@MEMSIM=$(abspath $(B)/memsim) VARIANT=$(VARIANT) JOBS=$(JOBS) \
	    sh tests/scripts/run-all.sh $(B)/test-log -- $(TESTS) -- $(SCRIPTS)

## deps       apt-get install the packages a build needs, only those that are absent
.PHONY: deps
deps:
	@sh tests/scripts/deps.sh $(APT_BUILD)

## debug      build/debug/memsim: -O0, all symbols
.PHONY: debug
debug:
	@$(MAKE) --no-print-directory VARIANT=debug $(BUILD)/debug/memsim

## asan       all tests under AddressSanitizer and UndefinedBehaviorSanitizer
.PHONY: asan
asan: deps
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=asan $(BUILD)/asan/memsim build-asan-tests
	@$(MAKE) --no-print-directory VARIANT=asan run-tests
.PHONY: build-asan-tests
build-asan-tests: $(TESTS) $(FUZZ)

## tsan       all Check tests under ThreadSanitizer
.PHONY: tsan
tsan:
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=tsan $(BUILD)/tsan/memsim build-asan-tests
	@$(MAKE) --no-print-directory VARIANT=tsan run-tests

## valgrind   three short runs under memcheck (uninitialised reads, leaks)
.PHONY: valgrind
valgrind: debug
	@MEMSIM=$(BUILD)/debug/memsim sh tests/scripts/valgrind.sh

## fuzz       each fuzz target for FUZZ_S seconds (default 20) with clang's libFuzzer
FUZZ_S ?= 20
.PHONY: fuzz
fuzz:
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=fuzz CC=clang build-fuzz
	@sh tests/scripts/fuzz.sh $(BUILD)/fuzz/tests/fuzz $(FUZZ_S)
.PHONY: build-fuzz
build-fuzz: $(FUZZ)

## cov        line coverage of sim/ by the tests, in build/cov/report.txt
.PHONY: cov
cov:
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=cov $(BUILD)/cov/memsim build-asan-tests
	@$(MAKE) --no-print-directory VARIANT=cov run-tests
	@gcovr --root . --filter sim/ --object-directory $(BUILD)/cov --txt $(BUILD)/cov/report.txt && tail -n 4 $(BUILD)/cov/report.txt

## bench      requests/s of the DRAM and GPU paths, event-queue cost, peak memory (BENCH_RAW=N raw accesses)
.PHONY: bench
bench: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all build-bench
	@for b in $(BENCH); do echo "== $$b"; $$b || exit 1; done
	@MEMSIM=$(B)/memsim sh tests/bench/bench.sh
.PHONY: build-bench
build-bench: $(BENCH)

## lint       a clang build, clang-tidy, cppcheck, format, floors and style scripts
.PHONY: lint
lint: format-check
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=clang CC=clang WERROR=-Werror $(BUILD)/clang/memsim
	@sh tests/floors.sh
	@sh tests/scripts/check-style.sh
	@sh tests/scripts/lint.sh '$(MY_CPPFLAGS) -std=c17 $(PKG_CFLAGS)' $(SRC)

## format     clang-format (version 14) over all C files
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
FORMATTED    := $(sort $(wildcard sim/*/*.[ch] tests/*.[ch] tests/*/*.[ch]))
.PHONY: format format-check
format:
	$(Q)$(CLANG_FORMAT) -i $(FORMATTED)
## format-check   fails if `make format` would change a file
format-check:
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

## docs       bring generated tables, manual page and completions up to date
.PHONY: docs
docs: all
	@MEMSIM=./memsim sh tests/scripts/docs.sh write

## install    to $(DESTDIR)$(PREFIX): program, manual page, completions, devices, workloads, plot scripts
.PHONY: install
install: all
	install -D -m 755 $(B)/memsim '$(DESTDIR)$(PREFIX)/bin/memsim'
	install -D -m 644 docs/memsim.1 '$(DESTDIR)$(PREFIX)/share/man/man1/memsim.1'
	install -D -m 644 docs/memsim.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/memsim'
	@for f in $$(find devices workloads plots -type f | LC_ALL=C sort); do \
	    install -D -m 644 "$$f" '$(DESTDIR)$(PREFIX)/share/memsim'/"$$f" || exit 1; done

## clean      remove build/ and ./memsim
.PHONY: clean
clean:
	rm -rf build memsim

## help       this list
.PHONY: help
help:
	@sed -n 's/^## /  /p' Makefile
	@echo '  Variables: CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR JOBS=2 WERROR=-Werror V=1 (show commands)'

# ---- rules ---------------------------------------------------------------------------------------------------

$(B)/memsim: $(MAIN) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

$(TESTS): $(B)/tests/%: $(B)/tests/%.o $(TEST_LIB) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PKG_LIBS) $(LDLIBS)

$(BENCH): $(B)/tests/bench/%: $(B)/tests/bench/%.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

# Outside the fuzz variant the targets replay files; libFuzzer brings its own main.
REPLAY := $(if $(filter fuzz,$(VARIANT)),,$(B)/tests/fuzz/replay_main.o)
$(FUZZ): $(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(REPLAY) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

$(B)/sim/%.o: sim/%.c $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -MMD -MP $(MY_CPPFLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(B)/tests/%.o: tests/%.c $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -MMD -MP $(MY_CPPFLAGS) -Itests $(PKG_CFLAGS) $(TEST_CFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Only version.o knows the version: a commit relinks, it does not rebuild.  A tarball has docs/VERSION, no git.
VERSION := $(shell cat docs/VERSION 2>/dev/null || echo 0.1.0)
COMMIT  := $(shell test -e .git && git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
$(B)/version.o: force $(B)/.flags
	@mkdir -p $(@D)
	@printf '%s\n' '#include "core/version.h"' 'const char memsim_version[] = "$(VERSION)";' \
	    'const char memsim_commit[] = "$(COMMIT)";' > $(@D)/version.new
	@if cmp -s $(@D)/version.new $(@D)/version.c && test $@ -nt $(B)/.flags; then rm $(@D)/version.new; \
	 else mv $(@D)/version.new $(@D)/version.c; $(CC) $(MY_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $(@D)/version.c; fi

# .flags changes when the flags do, so objects never mix two sets of flags.
FLAGS_NOW := $(CC) $(MY_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS)
$(B)/.flags: force
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS_NOW))' > $@

-include $(LIB:.o=.d) $(MAIN:.o=.d) $(TEST_LIB:.o=.d) $(TESTS:=.d) $(BENCH:=.d) $(FUZZ:=.d) $(REPLAY:.o=.d)
.PHONY: force
force:
