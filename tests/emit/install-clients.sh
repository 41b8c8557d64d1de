#!/usr/bin/env bash
# Builds the clients that the render tests use: helm3, helm4, kustomize and helmfile. The tests look into the default
# folder by themselves. What is there in the pinned version is left alone.
#
#   install-clients.sh [DIR]    DIR: by default istio-convert/clients in the user's cache folder
#
# Needs Go. The first run takes about half an hour, for Go compiles the libraries of Kubernetes; BUDGET is the time that
# each client may take (20m). What was not installed is said with the reason, and the exit code is 1; the others are
# there all the same, and the next run goes on where this one was cut off.
set -euo pipefail

dir="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/istio-convert/clients}"
budget="${BUDGET:-20m}"
PATH="$PATH:/usr/local/go/bin" # where Go's own archive goes, often on no PATH
export GOFLAGS=-mod=mod
missing=0

# shellcheck disable=SC2329 # called by name
helm3() { go install helm.sh/helm/v3/cmd/helm@v3.22.0; }
# shellcheck disable=SC2329
helm4() { go install helm.sh/helm/v4/cmd/helm@v4.2.4; }
# shellcheck disable=SC2329
kustomize() { go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1; }
# shellcheck disable=SC2329
helmfile() {
  # its module replaces others, which go install refuses; the replacements are those of this version
  cat >"$work/go.mod" <<'MODULE'
module clients
go 1.26.6
tool github.com/helmfile/helmfile
require github.com/helmfile/helmfile v1.8.0
replace (
	k8s.io/api => k8s.io/api v0.35.4
	k8s.io/apimachinery => k8s.io/apimachinery v0.36.0
	k8s.io/client-go => k8s.io/client-go v0.35.4
)
MODULE
  (cd -- "$work" && go build -o bin/ github.com/helmfile/helmfile)
}
export -f helm3 helm4 kustomize helmfile

# client NAME: builds it; what it was built from stands beside it, so that another version is built anew
client() {
  local name="$1" recipe code=0
  recipe="$(declare -f "$name")"
  if [[ -x "$dir/$name" && -f "$dir/.$name" && "$(<"$dir/.$name")" == "$recipe" ]]; then
    return
  fi
  if ! command -v go >/dev/null 2>&1; then
    missing=1
    echo "$name: NOT INSTALLED: there is no Go toolchain" >&2
    return
  fi
  echo "$name: building (at most $budget)"
  rm -rf -- "$work"
  mkdir -- "$work"
  # shellcheck disable=SC2016 # $0 is for the inner shell
  timeout --kill-after=10s "$budget" bash -euc '"$0"' "$name" >"$log" 2>&1 || code=$?
  if [[ "$code" -eq 0 ]]; then
    mv -- "$work/bin"/* "$dir/$name"
    printf '%s\n' "$recipe" >"$dir/.$name"
    echo "$name: installed in $dir"
    return
  fi
  missing=1
  if [[ "$code" -eq 124 || "$code" -eq 137 ]]; then
    echo "$name: NOT INSTALLED: the build took longer than $budget" >&2
  else
    echo "$name: NOT INSTALLED: the build failed ($code): $(tail -n 3 -- "$log")" >&2
  fi
}

mkdir -p -- "$dir"
dir="$(cd -- "$dir" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT
log="$scratch/log"
export work="$scratch/work" GOBIN="$scratch/work/bin"
for name in helm3 helm4 kustomize helmfile; do
  client "$name"
done
exit "$missing"
