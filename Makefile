# `make` prints what there is. CI runs the same words: see .ci/run.

GO      ?= go
BIN     := .cache/bin
# Packages and flags to narrow a run: make test PKG=./index/... ARGS='-run TestApply -v'
PKG     ?= ./...
ARGS    ?=
# These come first, because they wait longest.
FIRST   = $(if $(filter ./...,$(PKG)),./cmd/unecho ./consumer ./deploy/dev/chaos ./deploy/docs ./consumer/protocol/sim)
# Nothing in these starts a goroutine, and under the race detector they take hours.
NO_RACE = %/protocol/sim %/index/text
RACED   = $(filter-out $(NO_RACE),$(shell $(GO) list $(FIRST) $(PKG)))
# The packages that have long tests.
LONG    = $(or $(filter-out ./...,$(PKG)),$(sort $(dir $(shell grep -rlE --include='*_test.go' --exclude-dir=deploytest --exclude-dir=pagetest '^func Test[A-Za-z0-9]+Long.t ' ./cmd ./config ./consumer ./deploy ./index ./sink))))
CORPUS  ?= .*
COUNT   ?= 10
FUZZTIME ?= 10s
SOAK    ?= 20m
BENCH   ?= Apply|ApplyMap|ApplyMapGrowing|Grow|HotBucket|Capture|Resident

GOLANGCI_VERSION    := v2.15.0
GOVULNCHECK_VERSION := v1.8.0
GOLANGCI            := $(BIN)/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint
GOVULNCHECK         := $(BIN)/govulncheck-$(GOVULNCHECK_VERSION)/govulncheck
SERVERS             := $(BIN)/servers
GOTESTSUM_VERSION   := v1.13.0
export GOTESTSUM    := $(abspath $(BIN)/gotestsum-$(GOTESTSUM_VERSION)/gotestsum)
GOTEST              := $(abspath deploy/dev/gotest.sh)
VEGETA_VERSION      := v12.12.0
VEGETA              := $(BIN)/vegeta-$(VEGETA_VERSION)/vegeta
VERSITYGW_VERSION   := v1.8.0
VERSITYGW           := $(BIN)/versitygw-$(VERSITYGW_VERSION)/versitygw
VALE_VERSION        := v3.22.0
VALE                := $(BIN)/vale-$(VALE_VERSION)/vale

# The flags of the program that is released, everywhere: what one step has compiled, the next one need not.
export CGO_ENABLED ?= 0
export GOFLAGS     := -trimpath $(filter-out -trimpath,$(GOFLAGS))

export UNECHO_TEST_DATA ?= $(abspath ../shared/data)

.DEFAULT_GOAL := help
.PHONY: help build check lint prose fmt test test-long test-race test-sample nightly test-page screenshots chaos soak servers bench bench-bands bench-latency bench-gateway bench-index bench-sketch bench-sketch-peers bench-snapshot bench-dedup bench-peers bench-rivals accuracy simulate fuzz demo clean dev test-deploy test-deploy-long release-check image

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: ## the static binary, ./unecho
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -ldflags='-s -w' -o unecho ./cmd/unecho

check: lint prose ## format, lint with vet, prose, tidy, known vulnerabilities (VULNCHECK=optional: also where CI cannot look them up)
	$(GO) mod tidy -diff
	@deploy/dev/vulncheck.sh $(GOVULNCHECK) ./...

lint: $(GOLANGCI) ## format and lint only
	$(GOLANGCI) config verify
	$(GOLANGCI) fmt --diff
	$(GOLANGCI) run --allow-parallel-runners $(PKG)
	cd deploy/dev/deploytest && $(abspath $(GOLANGCI)) run --allow-parallel-runners
	cd deploy/dev/pagetest && $(abspath $(GOLANGCI)) run --allow-parallel-runners

# Changelog and decisions are left out: they are history.
prose: $(VALE) ## the wording of the documents
	$(VALE) README.md $(wildcard deploy/docs/*.md) deploy/examples/README.md

fmt: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt

# Lint has looked at all that go vet looks at. Most tests wait more than they work, so that more packages run than there are cores.
TEST = $(SERVERS) -brief -registry -s3 $(VERSITYGW) -- $(GOTEST)
FAST = -vet=off -p 6 -parallel 8 -shuffle=on
# The race detector makes computing several times as slow, so that more tests beside each other would give up waiting.
RACE_FLAGS = -race -vet=off -p 2 -parallel 4 -shuffle=on

# A test whose name ends in Long tries for long what the test of the same name without Long tries for short. Without make,
# go test -skip 'Long$' leaves the long tests out; -short does not.
test: dev $(VERSITYGW) ## everything but the long tests, on real Kafka, PostgreSQL, S3 and a registry of schemas: 9 minutes on two cores
	@$(TEST) test "$(FIRST) $(PKG)" $(FAST) -timeout 30m -skip 'Long$$' $(ARGS)

test-long: dev $(VERSITYGW) ## the long tests, whose names end in Long
	@$(TEST) test-long "$(LONG)" $(FAST) -timeout 60m -run 'Long$$' $(ARGS)

test-race: dev $(VERSITYGW) ## what make test runs, with the race detector, but for the simulation and the texts
	@CGO_ENABLED=1 $(TEST) test-race "$(RACED)" $(RACE_FLAGS) -timeout 60m -skip 'Long$$' $(ARGS)

test-page: dev ## the page in a real Chromium, with axe-core; it installs both where they are missing: some 2 minutes
	@deploy/dev/pagetest/run.sh test $(GOTEST) $(ARGS)

# What starts most goroutines, on an in-process cluster, and what covers most in seconds. Change it seldom: it is what CI sees.
SAMPLE_RACE = Beside$$|^Test(BackfillThroughFaults|DelayedZombie|FillersAtOnce|Find|Gateway|LookupsBesideTheApplier|OutageTakenOver|PatternSeenByOneMember|PausedMemberIsOvertaken|RegistryHangsRebalance|RestoreIsOvertaken|RoutingIsChangedAtWork|Send.*|Stream.*|Handover|ThreeMembersOneKilled|VerdictsAreTold)$$
SAMPLE_LONG = ^Test(CopiesAmongBoilerplate|Backfill)Long$$
test-sample: dev ## a fixed share of test-race and test-long, for CI: 3 minutes on two cores
	@CGO_ENABLED=1 $(GOTEST) sample-race "./consumer ./index ./cmd/internal/api" $(FAST) -race -timeout 30m -run '$(SAMPLE_RACE)' $(ARGS)
	@$(GOTEST) sample-long "./consumer/protocol/sim ./index" $(FAST) -timeout 30m -run '$(SAMPLE_LONG)' $(ARGS)

nightly: ## all that there is, in 75 minutes: run it before an issue is called resolved; stopped, it goes on with what is left
	@deploy/dev/nightly.sh check test test-page test-deploy-long test-long test-race

screenshots: ## the pictures of the page in deploy/docs, from a run of the demo
	@deploy/dev/pagetest/run.sh shots $(ARGS)

SKIP ?= Long$$
# A module of its own, because the modules of Kubernetes, Helm and Prometheus are none that the product needs.
test-deploy: dev ## what is in deploy/: image, chart, alerts, dashboard, unit, release: some 3 minutes on two cores, more the first time
	@cd deploy/dev/deploytest && GOFLAGS=-trimpath $(GOTEST) test-deploy ./... -vet=off -shuffle=on -timeout 30m -skip '$(SKIP)' $(ARGS)

test-deploy-long: ## the same with its long tests: the image for arm64 as well, and a release for all systems
	@$(MAKE) test-deploy SKIP='^$$'

release-check: ## a release that is not published, made twice and looked into: 3 minutes on two cores, more the first time
	cd deploy/dev/deploytest && GOFLAGS=-trimpath $(GO) test -count=1 -v -timeout 30m -run 'TestReleaseLong' ./release

image: ## the container image for amd64 and arm64, an OCI layout in .cache/image; ARGS='-push registry.example.com/unecho:v1.0.0'
	@cd deploy/dev/deploytest && GOFLAGS=-trimpath $(GO) run ./image -source $(CURDIR) -out $(CURDIR)/.cache/image $(ARGS)

chaos: $(VERSITYGW) ## kills, pauses, lost brokers, by a seed, and an audit after it; ARGS goes to deploy/dev/chaos
	@$(GO) run ./deploy/dev/chaos -s3 $(VERSITYGW) $(ARGS)

soak: ## load for SOAK=20m, 100 times as much for a minute of it, nothing broken: are memory and goroutines flat?
	@$(GO) run ./deploy/dev/chaos -soak $(SOAK) -members 2 -rate 50 $(ARGS)

servers: dev ## start Kafka and PostgreSQL, print what to export, run until Ctrl-C
	@$(SERVERS)

bench: dev ## documents/s against a bare copy; ARGS goes to deploy/dev/bench
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench $(ARGS)

bench-latency: dev ## from the producer to a reader of the outputs, beside a bare copy; ARGS as for bench
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench -broker kafka -verify estimate -rates 50,500,5000 $(ARGS)

bench-gateway: dev $(VEGETA) ## documents over HTTP: rate, p50 and p99, and a killed member; ARGS='-rates 2000 -seconds 30'
	@$(GO) build -o $(BIN)/unecho ./cmd/unecho
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench/gateway -unecho $(BIN)/unecho -vegeta $(VEGETA) $(ARGS)

bench-bands: ## what bandings cost: signing, applying, bytes, candidates, what is found (CORPUS=articles, CORPUS=boilerplate=160,mixed)
	@$(GO) test -run '^$$' -bench 'Bands/^$(CORPUS)$$' -benchtime 1x -cpu 1 $(ARGS) ./index

bench-rivals: dev ## documents/s beside a Kafka Streams application that removes exact copies, and a bare copy
	@$(SERVERS) -- $(GO) run ./deploy/dev/bench -rivals -broker kafka -verify estimate $(ARGS)

bench-index: ## time and memory of the index, up to 10 million documents (COUNT=10); BENCH=Turn is the long run
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count=$(COUNT) -timeout 4h -large ./index

bench-sketch: ## time and bytes to sign a document (COUNT=10)
	$(GO) test -run '^$$' -bench 'Sign|Normalize' -benchmem -count=$(COUNT) ./index/sketch ./index/text

bench-sketch-peers: ## the same beside rensa, gaoya and datasketch, in a throw-away Python environment
	@GO=$(GO) deploy/dev/peers/run.sh sign $(ARGS)

bench-dedup: ## dedup from the file: speed, memory, and by eval what it finds of a million articles; ARGS='10000000 --memory 12GiB'
	@$(GO) build -o $(BIN)/ ./cmd/unecho
	@GO=$(GO) deploy/dev/bench/dedup.sh $(BIN)/unecho $(ARGS)

bench-peers: ## dedup beside text-dedup, datatrove, gaoya, rensa and datasketch on the same corpora, in throw-away Python environments; ARGS='1 1000000': one round, a million articles
	@GO=$(GO) deploy/dev/peers/run.sh stream $(ARGS)

bench-snapshot: dev $(VERSITYGW) ## restoring and writing snapshots, beside reading the same bytes bare; UNECHO_BENCH_LARGE=1: 10 million documents
	@$(SERVERS) -s3 $(VERSITYGW) -- $(GO) test -run '^$$' -bench 'Restore|Write|Increment' -benchtime 7x -timeout 60m $(ARGS) ./index/snapshot/storetest

accuracy: ## bias and error of MinHash, and the collisions of its bands, 20,000 trials a cell
	$(GO) test -v -run 'TestAccuracyTableLong|TestBandsCollideAsPlannedLong' ./index/sketch -trials 20000

simulate: ## histories of the protocol with all that can go wrong: ARGS='-steps 100000000', or '-seed N' to see one
	@$(GO) test ./consumer/protocol/sim -vet=off -count=1 -v -timeout 0 -run TestSimulateLong $(ARGS)

fuzz: ## each fuzz target for FUZZTIME=10s
	@FUZZTIME=$(FUZZTIME) GO=$(GO) deploy/dev/fuzz.sh

demo: ## documents in, unique and duplicate out, on this machine alone; ARGS goes to the demo
	@$(GO) run ./cmd/unecho demo $(ARGS)

clean: ## remove what was built, fetched and logged
	rm -rf .cache unecho

dev: $(GOTESTSUM) # always: go build knows whether anything changed
	@$(GO) build -buildvcs=false -o $(BIN)/ ./deploy/dev/servers

# GOFLAGS is set anew because -mod or -tags meant for this module don't suit another.
$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION); this takes a minute or two, once"
	GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(GOTESTSUM):
	GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)

$(VERSITYGW):
	GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW_VERSION)

$(VEGETA):
	GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install github.com/tsenart/vegeta/v12@$(VEGETA_VERSION)

# It parses code with C.
$(VALE):
	CGO_ENABLED=1 GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install github.com/vale-cli/vale/v3/cmd/vale@$(VALE_VERSION)

$(GOVULNCHECK):
	GOFLAGS=-trimpath GOBIN=$(abspath $(@D)) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)

check: $(GOVULNCHECK)
