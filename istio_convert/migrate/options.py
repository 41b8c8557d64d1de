"""What the caller asks for, checked before anything is written: every name here reaches a shell script."""

from __future__ import annotations

import re
from dataclasses import dataclass

from istio_convert.catalog.ranges import version_key
from istio_convert.emit.base import OFFICIAL_REPOSITORY
from istio_convert.errors import InvalidNameError, OutputError
from istio_convert.migrate.model import Strategy

TARGETS = ("flux", "argocd", "helmfile", "helm")
TRAFFIC = ("selector", "alb", "dns")

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\Z")
# RBAC objects may have colons; nothing in a cluster's names is a blank, a quote or a control character
_OBJECT = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9._:]{0,251}[A-Za-z0-9])?\Z")


@dataclass(frozen=True, slots=True)
class Options:
    """How to go over.

    Attributes:
        source_version: the Istio release that runs now.
        strategy: in place, or a second control plane beside the old one.
        target: the tool that owns the releases afterwards.
        revision: revision of the second control plane; empty: the version with dashes.
        tag: revision tag for the namespaces; empty: they name the revision itself.
        gateway_suffix: appended to the names of the second gateways.
        traffic: how requests move to the second gateways: the Service's selector, weights of an AWS ALB, weighted DNS.
        weights: the shares of the new gateways, in percent, one step each; the last is 100.
        alb_ingress: ``namespace/name`` of the Ingress that the ALB is made from.
        alb_port: the Services' port behind the ALB.
        dns_name: the host name whose weighted records external-dns writes.
        old_application: ``namespace/name`` of the Argo CD Application, or Flux Kustomization, that holds the operator.
        chart_source: repository or registry that the charts are pulled from.
        kube_namespaces: application namespaces to move; empty: all that are found.
    """

    source_version: str
    strategy: Strategy = Strategy.IN_PLACE
    target: str = "flux"
    revision: str = ""
    tag: str = ""
    gateway_suffix: str = "helm"
    traffic: str = "selector"
    weights: tuple[int, ...] = (10, 50, 100)
    alb_ingress: str = ""
    alb_port: int = 80
    dns_name: str = ""
    old_application: str = ""
    chart_source: str = OFFICIAL_REPOSITORY
    kube_namespaces: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what must not reach a script, and what contradicts itself.

        Raises:
            InvalidNameError: a name has another form than Kubernetes gives it.
            OutputError: options that do not go together.
        """
        try:
            version_key(self.source_version)
        except ValueError as error:
            raise OutputError("the release to come from is no version", hint="write it as 1.23.2") from error
        if self.target not in TARGETS:
            raise OutputError("an unknown target", hint=f"one of {', '.join(TARGETS)}")
        if self.traffic not in TRAFFIC:
            raise OutputError("an unknown way to shift traffic", hint=f"one of {', '.join(TRAFFIC)}")
        for text, what in (
            (self.revision, "the revision"),
            (self.tag, "the revision tag"),
            (self.gateway_suffix, "the suffix of the second gateways"),
            *((name, "a namespace") for name in self.kube_namespaces),
        ):
            if text:
                label(text, what)
        for text, what in ((self.alb_ingress, "the ALB's Ingress"), (self.old_application, "the old application")):
            if text:
                split_name(text, what)
        if self.dns_name:
            subdomain(self.dns_name, "the DNS name")
        if self.strategy is Strategy.CANARY:
            self._check_canary()

    def _check_canary(self) -> None:
        if not self.gateway_suffix:
            raise OutputError("the second gateways need another name", hint="name a suffix, such as helm")
        if self.traffic == "alb" and not self.alb_ingress:
            raise OutputError("weights of an ALB need its Ingress", hint="--alb-ingress NAMESPACE/NAME")
        if self.traffic == "dns" and not self.dns_name:
            raise OutputError("weighted DNS needs the host name", hint="--dns-name HOST")
        rising = list(self.weights) == sorted(set(self.weights))
        if not self.weights or not rising or self.weights[0] < 1 or self.weights[-1] != 100:
            raise OutputError("the weights must rise to 100", hint="such as 10,50,100")
        if not 0 < self.alb_port < 65536:
            raise OutputError("the ALB's port is no port")


def revision_of(options: Options, version: str) -> str:
    """The revision of the second control plane: ``1-25-3`` unless another was asked for."""
    return options.revision or version.lower().replace(".", "-")


def label(text: str, what: str) -> str:
    """The text, when it is a DNS-1123 label.

    Raises:
        InvalidNameError: it is not.
    """
    if not _LABEL.match(text):
        raise InvalidNameError(f"{what} is no DNS-1123 label", hint="lower-case letters, digits and '-', at most 63")
    return text


def subdomain(text: str, what: str) -> str:
    """The text, when it is a DNS-1123 subdomain.

    Raises:
        InvalidNameError: it is not.
    """
    if not _SUBDOMAIN.match(text):
        raise InvalidNameError(f"{what} is no DNS-1123 subdomain", hint="lower-case letters, digits, '-' and '.'")
    return text


def object_name(text: str, what: str) -> str:
    """The text, when an object in a cluster can have it as its name.

    Raises:
        InvalidNameError: it cannot.
    """
    if not _OBJECT.match(text):
        raise InvalidNameError(f"{what} has a name that no object in a cluster can have")
    return text


def split_name(text: str, what: str) -> tuple[str, str]:
    """``namespace/name`` as a pair.

    Raises:
        InvalidNameError: it has another form.
    """
    namespace, slash, name = text.partition("/")
    if not slash:
        raise InvalidNameError(f"{what} is no namespace/name")
    return label(namespace, f"the namespace of {what}"), subdomain(name, f"the name of {what}")
