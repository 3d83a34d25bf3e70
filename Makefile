# One command per task; `make help` lists them. A fresh machine needs make, a C compiler and Python >= 3.10 with venv.
#
#   PYTHON=python3.12   the interpreter that new environments are made with
#   VENV=DIR            use this environment instead of the target's own
#   INSTALL=no          the environment is ready: install nothing
#   SOURCE=DIR          install the package from this source tree instead of this checkout
#   TESTS=PATHS         the tests to run;  PYTEST_ARGS=... further arguments for pytest
#   FUZZ=TARGETS        what to hunt with, all unless said;  FUZZ_SECONDS=N  for how long each

PYTHON ?= python3
SOURCE ?= .
TESTS ?= tests
PYTEST_ARGS ?=
FUZZ ?= all
FUZZ_SECONDS ?= 600
comma := ,

DEMO_VENV := $(or $(VENV),.venv-demo)
TEST_VENV := $(or $(VENV),.venv-test)
DEV_VENV := $(or $(VENV),.venv-dev)
SANITIZE_VENV := $(or $(VENV),.venv-sanitize)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What is installed depends on these; a second run with none of them changed installs nothing.
INPUTS := pyproject.toml setup.py MANIFEST.in README.md \
    $(shell find csrc/include csrc/src src -name '*.egg-info' -prune -o -name __pycache__ -prune -o \
        -type f ! -name '*.so' ! -name _codec.c -print)
# $(call ready,VENV,TASK): what a target waits for, unless the environment is said to be ready.
ready = $(if $(filter no,$(INSTALL)),,$(1)/.installed-$(2))

# $(call install,VENV,EXTRAS). The build folder keeps modules that the source has lost; they must not be packed again.
define install
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	find $(SOURCE)/build -path '*/lib*' -name '*.py*' -delete 2>/dev/null || true
	$(1)/bin/python -m pip install --quiet "$(SOURCE)[$(2)]"
	touch $@
endef

.PHONY: help demo test build check-generated lint format types strict ctest sanitize leaks coverage instructions fuzz fuzz-replay mutation versions clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

demo: $(call ready,$(DEMO_VENV),demo) ## look into a capture, then run the quick benchmark
	$(DEMO_VENV)/bin/nnrp-wire inspect tests/captures/submit_stream_partial_result_push.json
	$(DEMO_VENV)/bin/python -m nnrp_wire.bench --quick

test: $(call ready,$(TEST_VENV),test) ## the tests, against the installed package
	$(TEST_VENV)/bin/python -m pytest $(TESTS) $(PYTEST_ARGS)

build: $(call ready,$(DEV_VENV),dev) ## the extension beside its source, for work with PYTHONPATH=src
	$(DEV_VENV)/bin/python setup.py --quiet build_ext --inplace

check-generated: ## are the generated files what the table gives?
	$(if $(VENV),$(VENV)/bin/python,$(PYTHON)) tools/generate_wire.py --check

lint: $(call ready,$(DEV_VENV),dev) ## ruff, cython-lint, clang-format
	$(DEV_VENV)/bin/ruff check .
	$(DEV_VENV)/bin/ruff format --check .
	find src -name '*.py[x]' -o -name '*.px[di]' ! -name '*_generated.pxi' | sort | PATH="$(abspath $(DEV_VENV))/bin:$$PATH" xargs cython-lint
	find csrc -name '*.[ch]' ! -name '*_generated.[ch]' | sort | xargs $(DEV_VENV)/bin/clang-format --dry-run --Werror

format: $(call ready,$(DEV_VENV),dev) ## bring Python and C into the form that lint asks for
	$(DEV_VENV)/bin/ruff check --fix .
	$(DEV_VENV)/bin/ruff format .
	find csrc -name '*.[ch]' ! -name '*_generated.[ch]' | sort | xargs $(DEV_VENV)/bin/clang-format -i

types: $(call ready,$(DEV_VENV),dev) ## mypy, what users see of the types, the stubs against the compiled module
	$(DEV_VENV)/bin/mypy src tools
	$(DEV_VENV)/bin/python -m mypy.stubtest --mypy-config-file pyproject.toml \
	    --allowlist tests/typing/stubtest-allowlist.txt nnrp_wire
	$(DEV_VENV)/bin/python -m pytest tests/typing

strict: ## csrc alone, every warning an error, each public header on its own
	tools/strict.sh

ctest: $(call ready,$(TEST_VENV),test) ## the C tests, through pytest
	$(TEST_VENV)/bin/python -m pytest tests/c $(PYTEST_ARGS)

sanitize: export NNRP_WIRE_SANITIZE := 1
sanitize: $(call ready,$(SANITIZE_VENV),sanitize) ## the tests on an ASan+UBSan build
	tools/sanitize.sh $(SANITIZE_VENV)/bin/python -m pytest --timeout 900 --ignore tests/packaging $(TESTS) $(PYTEST_ARGS)

leaks: $(call ready,$(TEST_VENV),test) ## the leak tests
	$(TEST_VENV)/bin/python -m pytest tests/leaks $(PYTEST_ARGS)

coverage: $(call ready,$(DEV_VENV),dev) ## line coverage of Python, Cython and C (not on Python 3.12)
	tools/coverage.sh $(abspath $(DEV_VENV)) $(TESTS) $(PYTEST_ARGS)

instructions: $(call ready,$(DEV_VENV),dev) ## instructions per call of the hot paths against those kept (needs valgrind)
	$(DEV_VENV)/bin/python tools/instructions.py --check

fuzz: $(call ready,$(DEV_VENV),dev) ## hunt with libFuzzer (needs clang) and through Python (needs atheris), keep what was found
	$(DEV_VENV)/bin/python tools/fuzz.py hunt $(FUZZ) --seconds $(FUZZ_SECONDS)

fuzz-replay: $(call ready,$(TEST_VENV),test) ## what the hunts have kept, without a fuzzer
	$(TEST_VENV)/bin/python -m pytest tests/fuzz tests/c/test_fuzz_replay.py $(PYTEST_ARGS)

mutation: $(call ready,$(DEV_VENV),dev) ## fifty seeded faults: does a test notice each? (an hour)
	$(DEV_VENV)/bin/python tools/mutate.py

versions: ## the tests on each supported Python that is found
	tools/versions.sh $(SOURCE) $(TESTS) $(PYTEST_ARGS)

clean: ## everything that the other targets made
	rm -rf build dist .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .coverage htmlcov
	rm -rf src/*.egg-info src/nnrp_wire/wire/_codec.c
	find src -name '*.so' -delete
	find . -name __pycache__ -prune -exec rm -rf {} +

$(DEMO_VENV)/.installed-demo: $(INPUTS)
	$(call install,$(DEMO_VENV),cli$(comma)bench)

$(TEST_VENV)/.installed-test: $(INPUTS)
	$(call install,$(TEST_VENV),test)

$(DEV_VENV)/.installed-dev: $(INPUTS)
	$(call install,$(DEV_VENV),dev)

$(SANITIZE_VENV)/.installed-sanitize: $(INPUTS)
	$(call install,$(SANITIZE_VENV),test)
