# `make` prints what there is. CI runs the same words: see .ci/run.

GO      ?= go
BIN     := .cache/bin
# Packages and flags to narrow a run: make test PKG=./index/... ARGS='-run TestApply -v'
PKG     ?= ./...
ARGS    ?=
# Programs that the tests start are as raced as the test that builds them, and these packages start most. The pure
# packages start no goroutine, nor do their tests, but that some run in parallel; those whose names end in Beside do,
# and run with -race. make test runs the others of both without it, because that takes five times as long. make
# test-long runs them with it, but for the simulation and the texts, where that would take an hour.
STARTING = $(filter $(shell $(GO) list ./cmd/unecho ./deploy/dev/chaos),$(TESTED))
PURE     = $(filter %/unecho/index $(addprefix %/index/,entry eval naive naive/random setting sketch text) $(addprefix %/consumer/,protocol protocol/feeding protocol/sim),$(TESTED))
PLAIN    = $(strip $(STARTING) $(PURE))
RACED    = $(strip $(filter $(SLOW),$(TESTED)) $(filter-out $(PLAIN) $(SLOW),$(TESTED)))
LATER    = $(strip $(STARTING) $(filter-out %/protocol/sim %/index/text,$(PURE)))
BESIDE   = $(if $(ARGS),,$(filter %/unecho/index,$(PURE)))
# These come first, because they take longest.
SLOW     = %/unecho/consumer
TESTED  := $(if $(filter test test-long,$(MAKECMDGOALS)),$(shell $(GO) list $(PKG)))
# The packages that have long tests.
LONG    = $(or $(filter-out ./...,$(PKG)),$(sort $(dir $(shell grep -rlE --include='*_test.go' --exclude-dir=deploytest --exclude-dir=pagetest '^func Test[A-Za-z0-9]+Long.t ' ./cmd ./config ./consumer ./deploy ./index ./internal ./sink))))
COUNT   ?= 10
FUZZTIME ?= 10s
SOAK    ?= 20m
BENCH   ?= Apply|ApplyMap|ApplyMapGrowing|Grow|HotBucket|Capture|Resident

GOLANGCI_VERSION    := v2.15.0
GOVULNCHECK_VERSION := v1.8.0
GOLANGCI            := $(BIN)/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint
GOVULNCHECK         := $(BIN)/govulncheck-$(GOVULNCHECK_VERSION)/govulncheck
SERVERS             := $(BIN)/servers
TESTREPORT          := $(BIN)/testreport
VEGETA_VERSION      := v12.12.0
VEGETA              := $(BIN)/vegeta-$(VEGETA_VERSION)/vegeta

export UNECHO_TEST_DATA ?= $(abspath ../shared/data)

.DEFAULT_GOAL := help
.PHONY: help build check lint fmt test test-long test-page screenshots chaos soak servers bench bench-bands bench-latency bench-follow bench-gateway bench-index bench-sketch bench-sketch-peers bench-snapshot bench-dedup bench-peers bench-rivals accuracy simulate fuzz demo clean dev test-deploy release-check image

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: ## the static binary, ./unecho
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -o unecho ./cmd/unecho

check: lint ## format, lint, vet, a build for Windows, tidy, known vulnerabilities (VULNCHECK=optional: also where CI cannot look them up)
	$(GO) vet ./...
	GOOS=windows $(GO) build ./cmd/...
	$(GO) mod tidy -diff
	@deploy/dev/vulncheck.sh $(GOVULNCHECK) ./...

lint: $(GOLANGCI) ## format and lint only
	$(GOLANGCI) config verify
	$(GOLANGCI) fmt --diff
	$(GOLANGCI) run --allow-parallel-runners $(PKG)
	cd deploy/dev/deploytest && $(abspath $(GOLANGCI)) run --allow-parallel-runners
	cd deploy/dev/pagetest && $(abspath $(GOLANGCI)) run --allow-parallel-runners

fmt: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt

# A test whose name ends in Long tries for long what the test of the same name without Long tries for short. What it tries has no
# goroutines in the test's own process, where the race detector would find nothing and take nine tenths of the time. Without make,
# go test -skip 'Long$' leaves the long tests out; -short does not.
test: dev ## everything but the long tests, on real Kafka, PostgreSQL and a registry of schemas: some 9 minutes on two cores
	@$(SERVERS) -brief -registry -- $(TESTREPORT) $(and $(RACED),-race -shuffle=on -timeout 20m -skip 'Long$$' $(ARGS) $(RACED) --) \
		$(and $(BESIDE),-race -shuffle=on -timeout 20m -run 'Beside$$' $(BESIDE) --) \
		$(and $(PLAIN),-shuffle=on -timeout 20m -skip 'Long$$' $(ARGS) $(PLAIN))

test-long: dev ## the long tests, whose names end in Long, and with the race detector what make test runs without: up to 20 minutes on two cores
	@$(SERVERS) -brief -- $(TESTREPORT) -shuffle=on -timeout 45m -run 'Long$$' $(ARGS) $(LONG)
	$(and $(LATER),@$(SERVERS) -brief -registry -- $(TESTREPORT) -race -shuffle=on -timeout 45m -skip 'Long$$' $(ARGS) $(LATER))

test-page: dev ## the page in a real Chromium, with axe-core; it installs both where they are missing: some 2 minutes
	@deploy/dev/pagetest/run.sh test $(abspath $(TESTREPORT)) $(ARGS)

screenshots: ## the pictures of the page in deploy/docs, from a run of the demo
	@deploy/dev/pagetest/run.sh shots $(ARGS)

SKIP ?= Long$$
# A module of its own, because the modules of Kubernetes, Helm and Prometheus are none that the product needs.
test-deploy: dev ## what is in deploy/: image, chart, alerts, dashboard, unit, release: some 3 minutes on two cores, more the first time
	@cd deploy/dev/deploytest && GOFLAGS= $(GO) vet ./... && GOFLAGS= $(abspath $(TESTREPORT)) -shuffle=on -timeout 30m -skip '$(SKIP)' $(ARGS) ./...

release-check: ## a release that is not published, made twice and looked into: 3 minutes on two cores, more the first time
	cd deploy/dev/deploytest && GOFLAGS= $(GO) test -count=1 -v -timeout 30m -run 'TestReleaseLong' ./release

image: ## the container image for amd64 and arm64, an OCI layout in .cache/image; ARGS='-push registry.example.com/unecho:v1.0.0'
	@cd deploy/dev/deploytest && GOFLAGS= $(GO) run ./image -source $(CURDIR) -out $(CURDIR)/.cache/image $(ARGS)

chaos: ## kills, pauses, lost brokers, by a seed, and an audit after it; ARGS goes to deploy/dev/chaos
	@$(GO) run ./deploy/dev/chaos $(ARGS)

soak: ## load for SOAK=20m, 100 times as much for a minute of it, nothing broken: are memory and goroutines flat?
	@$(GO) run ./deploy/dev/chaos -soak $(SOAK) -members 2 -rate 50 $(ARGS)

servers: dev ## start Kafka and PostgreSQL, print what to export, run until Ctrl-C
	@$(SERVERS)

bench: dev ## documents/s against a bare copy; ARGS goes to deploy/dev/bench
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench $(ARGS)

bench-latency: dev ## from the producer to a reader of the outputs, beside a bare copy; ARGS as for bench
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench -broker kafka -verify estimate -rates 50,500,5000 $(ARGS)

bench-follow: dev ## how fast a member follows a journal of a million entries, on one core; ARGS='-follow 10000000'
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench -broker kafka -follow 1000000 $(ARGS)

bench-gateway: dev $(VEGETA) ## documents over HTTP: rate, p50 and p99, and a killed member; ARGS='-rates 2000 -seconds 30'
	@$(GO) build -trimpath -o $(BIN)/unecho ./cmd/unecho
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench/gateway -unecho $(BIN)/unecho -vegeta $(VEGETA) $(ARGS)

bench-bands: ## what plans of bands cost: signing, applying, bytes, candidates, what is found; ARGS='-corpus logs'
	@$(GO) run ./deploy/dev/bench/bands $(ARGS)

bench-rivals: dev ## documents/s beside a Kafka Streams application that removes exact copies, and a bare copy
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench -rivals -broker kafka -verify estimate $(ARGS)

bench-index: ## time and memory of the index, up to 10 million documents (COUNT=10); BENCH=Turn is the long run
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count=$(COUNT) -timeout 4h -large ./index

bench-sketch: ## time and bytes to sign a document (COUNT=10)
	$(GO) test -run '^$$' -bench 'Sign|Normalize' -benchmem -count=$(COUNT) ./index/sketch ./index/text

bench-sketch-peers: ## the same beside rensa, gaoya and datasketch, in a throw-away Python environment
	@GO=$(GO) deploy/dev/peers/run.sh sign $(ARGS)

bench-dedup: ## dedup from the file: speed, memory, recall and precision, a million generated articles, 130,000 files
	@CGO_ENABLED=0 $(GO) build -o $(BIN)/ ./cmd/unecho
	@$(GO) run ./deploy/dev/bench/dedup -unecho $(BIN)/unecho $(ARGS)

bench-peers: ## dedup beside text-dedup, datatrove, gaoya, rensa and datasketch on the same corpora, in throw-away Python environments; ARGS='1 1000000': one round, a million articles
	@GO=$(GO) deploy/dev/peers/run.sh stream $(ARGS)

bench-snapshot: dev ## restoring and writing snapshots, beside reading the same bytes bare; UNECHO_BENCH_LARGE=1: 10 million documents
	@$(SERVERS) -- $(GO) test -run '^$$' -bench 'Restore|Write|Increment' -benchtime 7x -timeout 60m $(ARGS) ./index/snapshot/storetest

accuracy: ## bias and error of MinHash, and the collisions of its bands, 20,000 trials a cell
	$(GO) test -v -run 'TestAccuracyTableLong|TestBandsCollideAsPlannedLong' ./index/sketch -trials 20000

simulate: ## histories of the protocol with all that can go wrong: ARGS='-steps 100000000', or '-seed N' to see one
	@$(GO) run ./deploy/dev/simulate $(ARGS)

fuzz: ## each fuzz target for FUZZTIME=10s
	@FUZZTIME=$(FUZZTIME) GO=$(GO) deploy/dev/fuzz.sh

demo: ## documents in, unique and duplicate out, on this machine alone; ARGS goes to the demo
	@$(GO) run ./cmd/unecho demo $(ARGS)

clean: ## remove what was built, fetched and logged
	rm -rf .cache unecho

dev: # always: go build knows whether anything changed
	@$(GO) build -buildvcs=false -o $(BIN)/ ./deploy/dev/servers ./deploy/dev/testreport

# GOFLAGS is emptied because -mod or -tags meant for this module don't suit another.
$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION); this takes a minute or two, once"
	GOFLAGS= GOBIN=$(abspath $(@D)) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(VEGETA):
	GOFLAGS= GOBIN=$(abspath $(@D)) $(GO) install github.com/tsenart/vegeta/v12@$(VEGETA_VERSION)

$(GOVULNCHECK):
	GOFLAGS= GOBIN=$(abspath $(@D)) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)

check: $(GOVULNCHECK)
