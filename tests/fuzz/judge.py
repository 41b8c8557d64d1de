"""What is asked of every input: one clear error, or a closed ledger and an output that renders; in bounded time."""

from __future__ import annotations

import re
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import istio_convert
from istio_convert import Conversion, IstioConvertError, Outcome, convert
from istio_convert.errors import InputError, InternalError, OutputError, RenderError
from istio_convert.proving import operator_texts
from istio_convert.report import FORMATS, build, render
from istio_convert.source import read
from istio_convert.verify import candidate, kustomize
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Object, parse_objects
from istio_convert.verify.proof import expect
from tests.fuzz.inputs import Input

HANG = 2.0
"""Seconds of processor time after which one input counts as a hang: waiting for a busy machine is none."""
_GIVE_UP = 20.0
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PACKAGE = Path(istio_convert.__file__).parent


@dataclass(frozen=True)
class Verdict:
    """What became of an input.

    Attributes:
        state: ``converted``, ``refused``, or ``found``.
        finding: the kind of what was found; empty otherwise.
        seconds: processor time of the conversion.
        details: more of the finding.
    """

    state: str
    finding: str = ""
    seconds: float = 0.0
    details: str = ""


class _HangError(BaseException):
    """Processor time is used up. No Exception, so that nothing catches it on the way."""


class _BrokenError(Exception):
    """A promise that does not hold."""


def judge(given: Input, *, all_formats: bool = False, charts: ReleaseCharts | None = None) -> Verdict:
    """Convert one input and look at everything that comes of it.

    Args:
        given: the input.
        all_formats: render the report in every format, too.
        charts: render both sides with these charts, too.
    """
    start = time.process_time()
    try:
        with _at_most(_GIVE_UP):
            state, conversion = _converted(given)
        seconds = time.process_time() - start
        if conversion is not None:
            _check_ledger(conversion, given.data)
            if all_formats:
                for name in FORMATS:
                    _check_text(render(build(conversion), name))
            if charts is not None and state == "converted":
                _check_rendering(conversion, charts)
    except _HangError:
        return Verdict("found", f"no end after {_GIVE_UP:.0f} s", time.process_time() - start)
    except Exception as error:  # noqa: BLE001 - each of them is a finding
        seconds = time.process_time() - start
        return Verdict("found", _kind(error), seconds, "".join(traceback.format_exception(error)))
    if seconds > HANG:
        return Verdict("found", f"more than {HANG:.0f} s", seconds)
    return Verdict(state, "", seconds)


def _converted(given: Input) -> tuple[str, Conversion | None]:
    try:
        conversion = convert(given.data, to=given.version)
    except InputError as error:
        _check_error(error)
        return "refused", None
    try:
        files = conversion.files(given.target)
    except OutputError as error:
        _check_error(error)
        return "refused", conversion
    for name, text in files.items():
        if name.endswith(".yaml"):
            parse_objects(text, name)
    return "converted", conversion


def _check_error(error: IstioConvertError) -> None:
    if isinstance(error, InternalError):
        raise error
    if not error.message or _CONTROL.search(f"{error.message}{error.hint}".replace("\n", "\0")):
        raise _BrokenError(f"an error that is no one line: {error.message!r}")


def _check_text(text: str) -> None:
    """What a terminal or a log shows holds nothing that steers it."""
    if _CONTROL.search(text):
        raise _BrokenError("a report with characters that cannot be printed")


def _check_ledger(conversion: Conversion, data: bytes) -> None:
    expected = [leaf.path for document in read(data, "operator.yaml") for leaf in document.leaves]
    if [entry.leaf.path for entry in conversion.ledger.entries] != expected:
        raise _BrokenError("the ledger has not one entry for each leaf")
    for entry in conversion.ledger.entries:
        carried = entry.outcome in (Outcome.VALUE, Outcome.PATCH)
        if (carried and not entry.places) or (not carried and not entry.reason):
            raise _BrokenError(f"an entry of rule {entry.rule} without its place or reason")
        if entry.outcome in (Outcome.MANUAL, Outcome.LOST) and not entry.action:
            raise _BrokenError(f"an entry of rule {entry.rule} without its action")


def _check_rendering(conversion: Conversion, charts: ReleaseCharts) -> None:
    """The releases render; or istioctl refuses the operator as well, or the ledger leaves something to a person."""
    try:
        candidate.render(conversion.releases, charts)
    except RenderError as error:
        if any(entry.outcome.severity >= Outcome.MANUAL.severity for entry in conversion.ledger.entries):
            return
        try:
            expected = expect(operator_texts(conversion), charts, sets=conversion.sets)
            _patch(conversion, [item.object for item in expected.objects])
        except (RenderError, InputError):
            return
        raise _BrokenError(f"istioctl renders it, and we do not: {error.message}") from error


def _patch(conversion: Conversion, objects: list[Object]) -> None:
    """Apply our patches to istioctl's objects: Kustomize refuses objects that Kubernetes has no place for, whosever."""
    patches = [patch for release in conversion.releases for patch in release.patches]
    own = [obj for obj in objects if any(kustomize.matches(patch.target, obj) for patch in patches)]
    fitting = [patch for patch in patches if any(kustomize.matches(patch.target, obj) for obj in own)]
    kustomize.apply({"all": (own, fitting)})


def _kind(error: Exception) -> str:
    """The same name for the same bug: the type, and the last line of ours that it came through."""
    if isinstance(error, _BrokenError):
        return str(error).partition(":")[0]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)] or frames
    return f"{type(error).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}"


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End what takes more processor time than this; where there is no such timer, it is only measured."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
