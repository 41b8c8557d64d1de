#!/usr/bin/env bash
# Builds the clients that the render tests use, as DIR/helm3, DIR/helm4, DIR/kustomize and DIR/helmfile; DIR belongs on
# PATH then. What is there already is left alone. Needs Go; the first run takes minutes.
set -euo pipefail

dir="${1:?usage: install-clients.sh DIR}"
mkdir -p -- "$dir"
dir="$(cd -- "$dir" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT
export GOFLAGS=-mod=mod

# install NAME PACKAGE@VERSION
install() {
  [[ -x "$dir/$1" ]] && return
  GOBIN="$work/bin" go install "$2"
  mv -- "$work/bin"/* "$dir/$1"
}

install helm3 helm.sh/helm/v3/cmd/helm@v3.22.0
install helm4 helm.sh/helm/v4/cmd/helm@v4.2.4
install kustomize sigs.k8s.io/kustomize/kustomize/v5@v5.8.1

if [[ ! -x "$dir/helmfile" ]]; then
  # its module replaces others, which go install refuses; the replacements are those of this version
  mkdir -- "$work/helmfile"
  cat >"$work/helmfile/go.mod" <<'MODULE'
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
  (cd -- "$work/helmfile" && go build -o "$dir/helmfile" github.com/helmfile/helmfile)
fi
