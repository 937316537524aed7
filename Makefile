# Everything here needs Go and nothing else: tools and Kubernetes itself are
# built from their Go modules, at pinned versions, into caches outside the checkout.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
BIN := bin

# The newest Kubernetes, and the last one without what several nodes need.
KUBE_VERSIONS ?= 1.37 1.27

# The race detector needs a C compiler, and nothing else here does.
race = $(if $(shell command -v gcc),-race)

# Each tool has a module of its own, so that its dependencies are not ours.
golangci-lint = go tool -modfile=$(CURDIR)/tools/golangci-lint/go.mod golangci-lint
opa = go tool -modfile=$(CURDIR)/tools/opa/go.mod opa
regal = go tool -modfile=$(CURDIR)/tools/regal/go.mod regal
conftest = go tool -modfile=$(CURDIR)/tools/conftest/go.mod conftest
helm-docs = go tool -modfile=$(CURDIR)/tools/helm-docs/go.mod helm-docs

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the webhook and the kubectl plugin into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

.PHONY: install
install: ## Install the kubectl plugin where go install puts commands
	CGO_ENABLED=0 go install -trimpath -ldflags '$(LDFLAGS)' ./cmd/kubectl-tao

# Which program's image, what it is called, and for which platforms.
COMMAND ?= webhook
IMAGE ?= taojob/$(COMMAND):$(VERSION)
PLATFORMS ?= linux/amd64,linux/arm64
image = cd tools/image && go run . --root ../.. --main ./cmd/$(COMMAND) --tag $(IMAGE) --version $(VERSION) --platform $(PLATFORMS)

.PHONY: image
image: ## Make the container image of COMMAND, as an archive, without a container engine
	@mkdir -p $(BIN)
	$(image) --output ../../$(BIN)/$(COMMAND)-image.tar --sbom ../../$(BIN)

.PHONY: image-push
image-push: ## Push the container image of COMMAND to the registry in IMAGE
	$(image) --push

.PHONY: demo
demo: ## Show what taojob does, without a cluster
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/kubectl-tao
	@examples/demo.sh $(BIN)/kubectl-tao

.PHONY: test
test: unit rego lint e2e ## Run every test: unit, Rego, lint, and end to end on real API servers

.PHONY: unit
unit: ## Run the unit tests
	go test $(race) ./...
	cd tools/image && go test -count 1 ./... # the cache would not see a changed Dockerfile

.PHONY: rego
rego: ## Test, format-check and lint the policies
	$(opa) test --timeout 2m policies
	$(opa) check --strict policies
	@unformatted=$$($(opa) fmt --list policies); if [ -n "$$unformatted" ]; then echo "run make fmt: $$unformatted"; exit 1; fi
	$(regal) lint policies
	$(conftest) test --policy policies examples/rules/*/allowed.yaml
	@for input in examples/rules/*/input.yaml; do \
		said=$$($(conftest) test --policy policies --output json $$input || true); rule=$$(basename $$(dirname $$input)); \
		grep -q "\"msg\": \"$$rule: " <<< "$$said" || { echo "conftest finds no $$rule in $$input: $$said"; exit 1; }; done

.PHONY: bundle
bundle: ## Build the policies as an OPA bundle into bin/
	@mkdir -p $(BIN)
	$(opa) build --bundle --ignore '*_test.rego' --ignore fixture.rego --revision $(VERSION) --output $(BIN)/policies.tar.gz policies

.PHONY: lint
lint: ## Check format, vet and lint the Go code
	@unformatted=$$(gofmt -l cmd pkg policies e2e tools); if [ -n "$$unformatted" ]; then echo "run make fmt: $$unformatted"; exit 1; fi
	go vet ./...
	$(golangci-lint) run
	cd e2e && go vet ./... && $(golangci-lint) run --config ../.golangci.yml
	cd tools/image && go vet ./... && $(golangci-lint) run --config ../../.golangci.yml
	cd e2e/certmanager && go vet ./... && $(golangci-lint) run --config ../../.golangci.yml

.PHONY: fmt
fmt: ## Format the Go code and the policies
	gofmt -w cmd pkg policies e2e tools
	$(opa) fmt --write policies

.PHONY: e2e
e2e: ## Run the suite on real API servers (KUBE_VERSIONS), built on first use
	cd e2e && for version in $(KUBE_VERSIONS); do \
		echo "Kubernetes $$version"; \
		E2E_KUBE_VERSION=$$version go test -timeout 50m -count 1 $$(go list ./... | grep -v /node/suite); done

# Packages of Debian and Ubuntu that a node is made of; torch is what it runs.
node-packages = containerd runc containernetworking-plugins iptables iproute2 conntrack ipset busybox-static python3-torch

.PHONY: test-node
test-node: ## Install the chart on a real node and train there (root, Debian or Ubuntu)
	@[ "$$(id -u)" = 0 ] || { echo "make test-node: want root, for a node's namespaces, mounts and firewall rules"; exit 1; }
	@missing=$$(for p in $(node-packages); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done); if [ -n "$$missing" ]; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing; fi
	cd e2e && go test -timeout 50m -count 1 -v ./node/suite

.PHONY: fuzz
fuzz: ## Fuzz injection, the parsers and the reader for half a minute each
	go test ./pkg/mutate -run '^$$' -fuzz FuzzMutate -fuzztime 30s
	go test ./pkg/job -run '^$$' -fuzz FuzzTransfers -fuzztime 30s
	go test ./pkg/validate -run '^$$' -fuzz FuzzParseVersion -fuzztime 30s
	go test ./pkg/audit -run '^$$' -fuzz FuzzRead -fuzztime 30s -fuzzminimizetime 1s
	go test ./pkg/audit -run '^$$' -fuzz FuzzSplit -fuzztime 30s -fuzzminimizetime 1s
	go test ./pkg/audit -run '^$$' -fuzz FuzzNothingIsPassedOver -fuzztime 30s -fuzzminimizetime 1s

.PHONY: bench
bench: ## Measure admission beside a handler that does nothing
	go test -run '^$$' -bench . -benchmem ./pkg/...

.PHONY: bench-e2e
bench-e2e: ## Measure creates through a real API server: no webhook, a do-nothing pair, ours
	cd e2e && go run ./cmd/bench

.PHONY: manifests
manifests: ## Make the Kustomize bases of config/ from the chart
	cd e2e && go run ./cmd/manifests

.PHONY: docs
docs: ## Make the pages of the chart's values and of the rules
	$(helm-docs) --chart-search-root charts/taojob --output-file ../../docs/chart.md --sort-values-order file --log-level warning
	go run ./tools/ruledocs

.PHONY: cluster
cluster: ## Start a real control plane with the webhook, and print the KUBECONFIG to use
	@cd e2e && go run ./cmd/cluster up --detach --webhook

.PHONY: cluster-down
cluster-down: ## Stop what make cluster started, and remove its keys, data and logs
	@cd e2e && go run ./cmd/cluster down

.PHONY: clean
clean: ## Remove what was built here; caches outside the checkout stay
	rm -rf $(BIN)
