# SPDX-License-Identifier: Apache-2.0
# Thin: every rule calls Meson or a script. `make help` lists what there is.
PREFIX ?= /usr/local
# Where pkg-config, CMake and the linker look below /usr/local; Meson alone may choose lib64.
LIBDIR ?= lib
BUILD := build/release

.PHONY: all demo check check-long bench install format deps clean help

# DEPS=have: do not look for Debian packages; what is needed is here already.
ifeq ($(DEPS),have)
needs = @:
else
needs = @scripts/deps
endif

## all: build the library and what else can be built here
all:
	$(needs) build
	@scripts/build $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=$(LIBDIR)

## demo: a dependency stalls, without bulkheads and with; under 40 s
demo:
	$(needs) demo
	@scripts/build $(BUILD) -Ddemo=enabled
	@$(BUILD)/demo/bulkhead-demo

## check: the tests; the last line reads N passed, N failed
check:
	$(needs) check
	@scripts/check

## check-long: more compilers, sanitizers, C libraries and processors; an hour
check-long:
	$(needs) long
	@scripts/check --long

## bench: measure beside the alternatives; writes build/bench.tsv
bench:
	$(needs) bench
	@bench/run

## install: into PREFIX (/usr/local), below DESTDIR when it is set
install: all
	@meson install -C $(BUILD) --no-rebuild --quiet
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

## format: lay out all C and C++ files by .clang-format
format:
	$(needs) format
	@scripts/format

## deps: look for, and install, the Debian packages of every target
deps:
	@scripts/deps build demo check bench long

## clean: remove build/
clean:
	@rm -rf build

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
