# make demo        from a clean clone to a trained agent
# make lint test   what every change passes (.ci/run does the same in a fresh environment)
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# 1: threads of one process that wait for others in a spin make shared cores slower, not faster.
export OMP_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help venv demo test test-slow lint bench
.DEFAULT_GOAL := help

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 20

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints-cpu.txt | $(BIN)/python
	@echo "installing Trivium into $(VENV): 250 MB with the CPU's torch, several GB with CUDA; a few minutes"
	@$(BIN)/python -m pip install -qq -c constraints-cpu.txt -e .
	@touch $@

$(VENV)/.developed: $(VENV)/.installed
	@echo "installing the tools of development into $(VENV)"
	@$(BIN)/python -m pip install -qq --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install -qq -c constraints-cpu.txt --group dev -e ".[qwen,dense,lora,gguf,remote,tensorboard,mlflow]"
	@touch $@

venv: $(VENV)/.developed ## an environment for development in .venv
	@true

demo: $(VENV)/.installed ## train a search agent here, now
	@env -u OMP_NUM_THREADS $(BIN)/trivium demo

test: $(VENV)/.developed ## the tests
	@$(BIN)/python -m pytest

test-slow: $(VENV)/.developed ## the proofs that take minutes
	@$(BIN)/python -m pytest -m slow

lint: $(VENV)/.developed ## style, types, and that a room imports only rooms below it
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --quiet --check
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python tools/results.py --check
	@$(BIN)/lint-imports --no-logo > $(VENV)/.layers || { cat $(VENV)/.layers; exit 1; }

bench: $(VENV)/.developed ## speed, printed as JSON
	@for script in benchmarks/*.py; do [ -e "$$script" ] && $(BIN)/python "$$script"; done
