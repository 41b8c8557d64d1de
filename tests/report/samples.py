"""Small operators that meet every outcome, and their reports."""

from __future__ import annotations

from dataclasses import replace

from istio_convert import Source, convert
from istio_convert.errors import InputError, Issue, IstioConvertError, Origin
from istio_convert.report import Report, build, failed

SECRET = "hunter2-s3cret"

OPERATOR = f"""\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: mesh
spec:
  hub: registry.example.com/{SECRET}
  meshConfig:
    accessLogFile: /dev/{SECRET}
  components:
    pilot:
      k8s:
        priorityClassName: {SECRET}
        replicas|<b>: 1
  addonComponents:
    kiali:
      enabled: true
  values:
    kiali:
      password: {SECRET}
    global:
      hub: registry.example.com/{SECRET}
      logAsJson: false
"""


def sample(*, show_values: bool = False, text: str = OPERATOR, name: str = "ops/operator.yaml") -> Report:
    """The report of an operator with values, patches, a default, an override, inert and manual fields."""
    return build(convert(Source(name, text), to="1.25.3"), show_values=show_values)


def broken() -> Report:
    """The report of a conversion that failed."""
    error = InputError("a list, where a map is needed", origin=Origin("ops/bad.yaml", 3, 5), hint="indent it")
    return failed([Source("ops/bad.yaml", "spec: []")], error)


def warned() -> Report:
    """A report with a warning."""
    report = sample()
    lines = failed([], _issue()).errors
    return replace(report, warnings=lines)


def _issue() -> IstioConvertError:
    issue = Issue("tag is read as a number", Origin("ops/operator.yaml", 6, 8), "quote it")
    return IstioConvertError(issue.message, origin=issue.origin, hint=issue.hint)
