"""Reads a cluster by ``kubectl get``: kubeconfig, context and credential plugins work as kubectl takes them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from istio_convert.cluster.kinds import KINDS, KindRead
from istio_convert.errors import ClusterError

_SECONDS = 120
#: how kubectl says that the cluster has no such kind, and that the account may not list it
_NO_SUCH_KIND = ("doesn't have a resource type", "could not find the requested resource", "no matches for kind")
_FORBIDDEN = "(Forbidden)"


@dataclass(frozen=True, slots=True)
class Kubectl:
    """How kubectl is called. Only ``get`` ever is.

    Attributes:
        program: name or path.
        kubeconfig: file; None for what kubectl takes by itself.
        context: of the kubeconfig; None for its current one.
    """

    program: str = "kubectl"
    kubeconfig: str | None = None
    context: str | None = None

    def get(self, kind: KindRead) -> list[dict[str, Any]]:
        """All objects of a kind; none when the cluster does not know it.

        Raises:
            ClusterError: kubectl is missing, the cluster does not answer, or the account may not list the kind.
        """
        words = ["get", kind.full_name, "--output", "json", "--show-managed-fields"]
        words += ["--all-namespaces"] if kind.namespaced else []
        words += ["--selector", kind.selector] if kind.selector else []
        done = self._run([*words, "--request-timeout", f"{_SECONDS}s"])
        if done.returncode == 0:
            items: list[dict[str, Any]] = json.loads(done.stdout)["items"]
            return items
        if any(words in done.stderr for words in _NO_SUCH_KIND):
            return []
        forbidden = _FORBIDDEN in done.stderr
        hint = (
            "istio-convert cluster --print role prints the ClusterRole that is needed"
            if forbidden
            else "the same must work by hand: kubectl get " + kind.full_name
        )
        said = "the account may not list it" if forbidden else (done.stderr.strip().splitlines() or ["no reason"])[-1]
        raise ClusterError(f"kubectl get {kind.full_name}: {said}", hint=hint, forbidden=forbidden)

    def _run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        program = shutil.which(self.program)
        if program is None:
            raise ClusterError(f"{self.program} is not on PATH", hint="a cluster is read by kubectl get")
        where = [
            *(["--kubeconfig", self.kubeconfig] if self.kubeconfig else []),
            *(["--context", self.context] if self.context else []),
        ]
        try:
            return subprocess.run(
                [program, *where, *words], capture_output=True, text=True, check=False, timeout=_SECONDS * 2
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ClusterError(f"{self.program} did not answer: {type(error).__name__}") from error


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

    Attributes:
        objects: of all kinds, in the order of the table.
        unread: what could not be read, with the reason.
    """

    objects: tuple[dict[str, Any], ...]
    unread: tuple[str, ...] = ()


def read_cluster(kubectl: Kubectl) -> Reading:
    """Read every kind of the table; what the account may not list is said, and the rest is read all the same.

    Raises:
        ClusterError: the cluster does not answer, or nothing may be read.
    """
    objects: list[dict[str, Any]] = []
    unread: list[ClusterError] = []
    for kind in KINDS:
        found = _get(kubectl, kind)
        if isinstance(found, ClusterError):
            unread.append(found)
        else:
            objects += found
    if not objects and unread:
        raise unread[0]
    return Reading(tuple(objects), tuple(error.message for error in unread))


def _get(kubectl: Kubectl, kind: KindRead) -> list[dict[str, Any]] | ClusterError:
    """The objects of a kind, or the refusal when the account may not list it."""
    try:
        return kubectl.get(kind)
    except ClusterError as error:
        if error.forbidden:
            return error
        raise
