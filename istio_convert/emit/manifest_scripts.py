"""The shell scripts beside plain manifests. Names in them were checked by :func:`istio_convert.emit.base.check`.

They run under the bash of old Macs (3.2), where an empty array counts as unset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from istio_convert.emit.rendering import Part
from istio_convert.errors import InvalidNameError

_SAFE = re.compile(r"[A-Za-z0-9._:/-]+\Z")
_HEAD = r"""#!/usr/bin/env bash
# Applies the objects of this folder, one release after the other. It may be run again at any time.
#
#   ./apply.sh                          the current kubeconfig context
#   CONTEXT=prod ./apply.sh             another context
#   ./apply.sh --dry-run=server         every argument goes to each `kubectl apply`
#
# KUBECTL names another program than kubectl.
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
user_flags=("$@")
kube() {
  "${KUBECTL:-kubectl}" ${CONTEXT:+--context "$CONTEXT"} "$@"
}
dry() {
  case " ${user_flags[*]-} " in
    *" --dry-run"*) return 0 ;;
  esac
  return 1
}

# apply FILE: istioctl and the operator applied server-side as another field manager
apply() {
  kube apply --server-side --force-conflicts --field-manager=istio-convert --filename "$here/$1" \
    ${user_flags[@]+"${user_flags[@]}"}
}

# ready NAMESPACE KIND/NAME
ready() {
  dry || kube rollout status --namespace "$1" "$2" --timeout "${TIMEOUT:-10m}"
}
"""
_ESTABLISHED = r"""
# established FILE: the next files hold objects of these definitions
established() {
  dry || kube wait --for=condition=Established --timeout "${TIMEOUT:-10m}" --filename "$here/$1"
}
"""
_PRUNE = r"""#!/usr/bin/env bash
# Shows the objects that an earlier state of this folder made and that it no longer holds.
#
#   ./prune.sh                  show them
#   ./prune.sh --delete         delete them
#   CONTEXT=prod ./prune.sh     another context than the current one
#
# Definitions and namespaces are never among them. KUBECTL names another program than kubectl.
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
kube() {
  "${KUBECTL:-kubectl}" ${CONTEXT:+--context "$CONTEXT"} "$@"
}
line='{range .items[*]}{.kind}{" "}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}{end}'
found="$(kube get '@KINDS@' --all-namespaces --selector '@LABEL@' --output "jsonpath=$line")"
stale="$(grep -Fxv -f "$here/objects.txt" <<<"$found" | grep . || true)"
if [[ -z "$stale" ]]; then
  echo "nothing to prune" >&2
  exit 0
fi
if [[ "${1:-}" != --delete ]]; then
  echo "$stale"
  exit 0
fi
while read -r kind place; do
  namespace="${place%%/*}"
  kube delete "$kind" "${place#*/}" ${namespace:+--namespace "$namespace"} </dev/null
done <<<"$stale"
"""
#: what these releases can bring, beside what they bring now: an earlier state may have had it
_KINDS = frozenset(
    (
        *("configmaps", "deployments.apps", "daemonsets.apps", "services", "serviceaccounts"),
        *("horizontalpodautoscalers.autoscaling", "poddisruptionbudgets.policy", "roles.rbac.authorization.k8s.io"),
        *("rolebindings.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"),
        *("clusterrolebindings.rbac.authorization.k8s.io",),
        *("mutatingwebhookconfigurations.admissionregistration.k8s.io",),
        *("validatingwebhookconfigurations.admissionregistration.k8s.io", "networkpolicies.networking.k8s.io"),
    )
)
_WORKLOADS = ("Deployment", "DaemonSet")


def apply_script(found: Iterable[Part], namespaces: str) -> str:
    """``apply.sh``.

    Args:
        found: the releases, in order.
        namespaces: the file with the namespaces.
    """
    found = list(found)
    script = _HEAD + (_ESTABLISHED if any(part.definitions for part in found) else "")
    script += f"\napply '{_safe(namespaces)}'\n"
    for part in found:
        script += "\n"
        if part.definitions:
            script += f"apply '{_safe(part.definitions_path)}'\nestablished '{_safe(part.definitions_path)}'\n"
        if part.objects:
            script += f"apply '{_safe(part.path)}'\n"
        for obj in part.objects:
            if obj["kind"] in _WORKLOADS:
                metadata = obj["metadata"]
                name = f"{obj['kind'].lower()}/{metadata['name']}"
                script += f"ready '{_safe(metadata['namespace'])}' '{_safe(name)}'\n"
    return script


def prune_script(label: str) -> str:
    """``prune.sh``: it asks for the kinds that Istio's charts bring."""
    return _PRUNE.replace("@KINDS@", ",".join(sorted(_KINDS))).replace("@LABEL@", _safe(label))


def _safe(text: str) -> str:
    """The text itself.

    Raises:
        InvalidNameError: it holds something that has no place in a name.
    """
    if not _SAFE.match(text):
        raise InvalidNameError("a name that must not reach a script")
    return text
