# The commands of this project. `make help` lists them; each can be repeated and interrupted at any time.
#
# Variables that may be given on the command line:
#   PYTHON=python3.12   the interpreter that .venv is made with (3.11 to 3.13; found by itself otherwise)
#   ENGINE=cpu|gpu      the inference engine (gpu where `nvidia-smi -L` lists one, cpu otherwise)
#   TORCH_INDEX=URL     where pip finds PyTorch's CPU builds for Linux, when it does not find them by itself: PyTorch's
#                       "Get started" page shows the address for the choice "Linux, Pip, CPU" (after --index-url)
#   ARGS="..."          further arguments for `rlpt train` (quickstart) or pytest (test)
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help quickstart install test lint bench sandbox-image clean

export PYTHON ENGINE TORCH_INDEX
BIN := .venv/bin
ARGS ?=

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile

quickstart: install ## install, then train the default experiment and print what got better
	@$(BIN)/rlpt train $(ARGS)

install: ## make .venv with rlpt and the engine that fits this machine (CPU or GPU)
	@launchers/setup/install.sh

test: install ## install what the tests need and run them
	@launchers/setup/test_services.sh
	@$(BIN)/python -m pytest $(ARGS)

lint: install ## ruff (rules and format) and mypy --strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: install ## run every benchmark; figures go to build/benchmarks/
	@launchers/setup/bench.sh

sandbox-image: install ## build the image for sandbox=docker
	@launchers/docker/build.sh

clean: ## remove .venv, caches and build folders (runs/ stays)
	@rm -rf .venv .venv-incomplete build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -not -path './runs/*' -prune -exec rm -rf {} +
