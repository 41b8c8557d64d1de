"""The shell scripts of the plain Helm output.

Everything that is put into them was checked by :func:`istio_convert.emit.base.check`; it is quoted all the same.
They run under the bash of old Macs (3.2), where an empty array counts as unset.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.schema_note import schema_note
from istio_convert.errors import InvalidNameError

PLUGIN = "istio-convert"
_SAFE = re.compile(r"[A-Za-z0-9._~:/?@%=&+,-]+\Z")

_HEAD = r"""#!/usr/bin/env bash
# Installs or upgrades the Helm releases of this folder, in their order. It may be run again at any time.
#
#   ./install.sh                                 the current kubeconfig context
#   CONTEXT=prod TIMEOUT=20m ./install.sh        another context, a longer wait for each release
#   ./install.sh --dry-run=server                every further argument goes to each `helm upgrade`
#
# HELM and KUBECTL name other programs than helm and kubectl.
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
helm="${HELM:-helm}"
user_flags=("$@")
flags=(--install --create-namespace --wait --timeout "${TIMEOUT:-10m}")
if [[ -n "${CONTEXT:-}" ]]; then
  flags+=(--kube-context "$CONTEXT")
fi
"""
_ADOPT = r"""
case "$("$helm" upgrade --help)" in
  *--take-ownership*) flags+=(--take-ownership) ;;
  *)
    echo "Helm 3.17 or newer is needed: it takes over the objects that istioctl made." >&2
    exit 1
    ;;
esac
"""
_MAJOR = r"""
case "$("$helm" version --template '{{.Version}}')" in
  v3*)
    post_renderer="$here/plugins/@PLUGIN@/post-render.sh"
    ;;
  v4*)
    # istioctl and the operator applied server-side as another field manager
    flags+=(--server-side=true --force-conflicts)
    post_renderer="@PLUGIN@"
    export HELM_PLUGINS="$here/plugins"
    ;;
  *)
    echo "this Helm is neither version 3 nor 4" >&2
    exit 1
    ;;
esac
"""
_MAJOR_WITHOUT_PATCHES = r"""
case "$("$helm" version --template '{{.Version}}')" in
  v3*) ;;
  v4*) flags+=(--server-side=true --force-conflicts) ;; # istioctl applied server-side as another field manager
  *)
    echo "this Helm is neither version 3 nor 4" >&2
    exit 1
    ;;
esac
"""
_RELEASE = r"""
# release NAME NAMESPACE VERSION FLAG...
release() {
  local name="$1" namespace="$2" version="$3"
  shift 3
  echo "==> $namespace/$name $version" >&2
  "$helm" upgrade "$name" --namespace "$namespace" --version "$version" "${flags[@]}" "$@" \
    ${user_flags[@]+"${user_flags[@]}"}
}
"""
_CRDS = r"""
# definitions VERSION CHART...: Helm installs the definitions of this chart version once and never updates them
definitions() {
  local version="$1"
  shift
  case " ${user_flags[*]-} " in
    *" --dry-run"*) return ;;
  esac
  "$helm" show crds --version "$version" "$@" | "${KUBECTL:-kubectl}" ${CONTEXT:+--context "$CONTEXT"} apply \
    --server-side --force-conflicts --field-manager=helm --filename -
}
"""
_POST_RENDER = r"""#!/usr/bin/env bash
# Reads rendered manifests, applies the patches of the release that is named, writes the result.
# Helm 3 runs it as an executable (--post-renderer PATH), Helm 4 as a plugin (--post-renderer NAME).
set -euo pipefail

release="${1:?usage: post-render.sh RELEASE <manifests}"
case "$release" in
  *[!a-z0-9-]*)
    echo "post-render.sh: no such release" >&2
    exit 2
    ;;
esac
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT

cp -- "$here/releases/$release/kustomization.yaml" "$work/kustomization.yaml"
cat >"$work/all.yaml"
if command -v kustomize >/dev/null 2>&1; then
  kustomize build "$work"
else
  "${KUBECTL:-kubectl}" kustomize "$work"
fi
"""


def install_script(plan: Sequence[Unit], options: EmitOptions) -> str:
    """``install.sh``."""
    patched = any(unit.release.patches for unit in plan)
    handled = {crd_handling(unit.release) for unit in plan}
    script = _HEAD
    script += "" if options.disable_take_ownership else _ADOPT
    script += _MAJOR.replace("@PLUGIN@", PLUGIN) if patched else _MAJOR_WITHOUT_PATCHES
    script += _RELEASE
    script += _CRDS if CrdHandling.APPLY in handled else ""
    for unit in plan:
        script += "\n" + _calls(unit, options)
    return script


def post_render_script() -> str:
    """``post-render.sh``."""
    return _POST_RENDER


def _calls(unit: Unit, options: EmitOptions) -> str:
    release = unit.release
    chart = _chart(unit, options)
    lines = [f"# {schema_note(release)}\n"] if release.skip_schema else []
    handling = crd_handling(release)
    if handling is CrdHandling.APPLY:
        lines.append(f"definitions {_quoted(release.version)} {chart}\n")
    call = f"release {_quoted(release.name)} {_quoted(release.namespace)} {_quoted(release.version)} {chart}"
    call += f' \\\n  --values "$here/values/{_safe(unit.slug)}.yaml"'
    if handling is CrdHandling.SKIP:
        call += " \\\n  --skip-crds"
    if release.skip_schema:
        call += " \\\n  --skip-schema-validation"
    if release.patches:
        call += f' \\\n  --post-renderer "$post_renderer" --post-renderer-args {_quoted(unit.slug)}'
    return "".join(lines) + call + "\n"


def _chart(unit: Unit, options: EmitOptions) -> str:
    chart = unit.release.chart
    if options.is_oci:
        return _quoted(f"{options.chart_url}/{chart}")
    return f"{_quoted(chart)} --repo {_quoted(options.chart_url)}"


def _quoted(text: str) -> str:
    return f"'{_safe(text)}'"


def _safe(text: str) -> str:
    """The text itself.

    Raises:
        InvalidNameError: it holds something that has no place in a name, version or URL.
    """
    if not _SAFE.match(text):
        raise InvalidNameError("a name that must not reach a script")
    return text
