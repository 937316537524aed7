#!/usr/bin/env bash
# Shows in one screen what taojob does, with the plugin given as $1: what a
# two-node Job becomes, and what is said of one bad Job per rule.
set -euo pipefail
cd "$(dirname "$0")/.."
plugin=$1

say() { printf '\n\033[1m$ kubectl tao %s\033[0m\n' "$*"; }
run() { # run EXIT ARGS...: the plugin must end with that code
  local want=$1 got=0
  shift
  say "$@"
  "$plugin" "$@" || got=$?
  [ "$got" = "$want" ] || { echo "exit $got, want $want" >&2; exit 1; }
}

cluster="--inventory examples/inventory.yaml --kube-version"
run 0 review -f examples/two-node.yaml $cluster 1.37 -o diff
run 1 review -f examples/bad/inline-credentials.yaml $cluster 1.37
run 1 review -f examples/bad/gpu-capacity.yaml $cluster 1.37
run 1 review -f examples/bad/multi-node-version.yaml $cluster 1.27
run 1 review -f examples/bad/multi-node-shape.yaml $cluster 1.37
