# SPDX-License-Identifier: Apache-2.0
# The short way to everything; the build itself is CMake's. See CONTRIBUTING.md.
#
#   make              build/lockstep and build/liblockstep.so
#   make demo         packages if any are missing, build, then a verified tiled product
#   make test         packages if any are missing, then all tests; some under sanitizers too
#   make check T=ptx  the tests whose name matches T
#   make install      to PREFIX (/usr/local), under DESTDIR
#   make package      build/lockstep_*.deb
#   make test-aarch64 tests of the front end and the model, built for AArch64, in qemu (docs/aarch64.md)
#   make wheel        build/lockstep-*.whl: for pip, with the compiler inside (docs/wheel.md)
#   make wheel-aarch64, package-aarch64      the two for AArch64, in build-aarch64
#   make vscode       build/lockstep-*.vsix: the extension for VS Code
#   make figures      build/figures/*.html: the lectures' figures, to step through
#   make bench        speed beside PoCL and C, costs (B='--quick' or B='--rows sgemm' for less)
#   make format, lint, clean

SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
T ?= .
B ?=
# Which tests run under a sanitizer as well: the unit tests and the command line's under address and
# undefined; what has threads under thread.
# debug/hang and debug/mistakes are not among them: a loop that waits is known after 20 million instructions, which take
# minutes in sanitized code.
ASAN_TESTS ?= ^((fuzz|base|ptx|wir|opt|analysis|model|jit|memory|exec|device|cudart|cuda|cc|cli)/|debug/(faults|past|steps|front_guide|front_dap)$$|check/(known|workers|counters|columns|own)$$|profile/(local|lanes|play)$$)
TSAN_TESTS ?= ^((memory|exec|device|cudart|cuda)/|check/(workers|columns|own)$$|profile/(local|scattered|lanes)$$)

# What an emulator runs in a minute; ptx/survey takes over ten there (docs/aarch64.md has the rest).
AARCH64_TESTS ?= ^((base|ptx|wir|opt|analysis|model)/)
AARCH64_NOT ?= ^ptx/survey$$

.PHONY: all demo test test-aarch64 check install package package-aarch64 wheel wheel-aarch64 vscode figures bench format lint clean packages need-packages FORCE
all: need-packages build/lockstep

packages:
	@tools/install-packages.sh
need-packages:
	@tools/install-packages.sh --check

# Configuring happens once; afterwards Ninja itself sees changed lists and files.
build/build.ninja: preset = release
build-asan/build.ninja: preset = asan
build-tsan/build.ninja: preset = tsan
build-aarch64/build.ninja: preset = aarch64
build-aarch64/build.ninja: build-aarch64/sysroot
build-aarch64/sysroot: tools/sysroot.sh
	@tools/sysroot.sh arm64 $@ && touch $@
build/build.ninja build-asan/build.ninja build-tsan/build.ninja build-aarch64/build.ninja: CMakePresets.json | need-packages
	@mkdir -p $(@D) && cmake --preset $(preset) $(CMAKEFLAGS) >$(@D)/configure.log 2>&1 || \
		{ cat $(@D)/configure.log; rm -rf $@ $(@D)/CMakeCache.txt $(@D)/CMakeFiles; exit 1; }
	@touch $@

build/lockstep: build/build.ninja FORCE
	@cmake --build build -j $(JOBS)
build-asan/lockstep: build-asan/build.ninja FORCE
	@cmake --build build-asan -j $(JOBS)
build-tsan/lockstep: build-tsan/build.ninja FORCE
	@cmake --build build-tsan -j $(JOBS)
build-aarch64/lockstep: build-aarch64/build.ninja FORCE
	@cmake --build build-aarch64 -j $(JOBS)

demo: packages
	@$(MAKE) --no-print-directory build/lockstep
	@tools/demo.sh

# The whole in the release build comes last, so that its summary is the last thing on the screen.
test: packages
	@$(MAKE) --no-print-directory build/lockstep build-asan/lockstep build-tsan/lockstep
	@ctest --test-dir build-asan -R '$(ASAN_TESTS)' -j $(JOBS) --output-on-failure
	@ctest --test-dir build-tsan -R '$(TSAN_TESTS)' -j $(JOBS) --output-on-failure
	@ctest --test-dir build -j $(JOBS) --output-on-failure

test-aarch64: build-aarch64/lockstep
	@ctest --test-dir build-aarch64 -R '$(AARCH64_TESTS)' -E '$(AARCH64_NOT)' -j $(JOBS) --output-on-failure

check: all
	@ctest --test-dir build -R '$(T)' --output-on-failure --no-tests=error

install: all
	@cmake --install build --prefix '$(PREFIX)'

package: all
	@cd build && cpack -G DEB && ls lockstep_*.deb
package-aarch64: build-aarch64/lockstep
	@cd build-aarch64 && cpack -G DEB && ls lockstep_*.deb

wheel: all
	@python3 tools/wheel.py
wheel-aarch64: build-aarch64/lockstep
	@tools/sysroot.sh arm64 build-aarch64/sysroot --compiler
	@python3 tools/wheel.py --build build-aarch64

vscode:
	@mkdir -p build && python3 editors/vscode/package.py

figures: all
	@python3 suite/figures.py

bench: all
	@python3 bench/run.py $(B)

# Versions of the formatter differ in details: this is the one that the test of the repository asks.
format:
	@git ls-files --cached --others --exclude-standard src tests bench examples suite | grep '\.[ch]$$' | xargs clang-format-14 -i

lint: all
	@ctest --test-dir build -R '^repository/' --output-on-failure
	@cmake --preset debug -DLOCKSTEP_WERROR=ON >/dev/null && cmake --build build-debug -j $(JOBS)

clean:
	@rm -rf build build-*
FORCE:
