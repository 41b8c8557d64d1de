"""The reader of templates, on templates of our own."""

from __future__ import annotations

import pytest

from istio_convert.catalog.build.reads import Reader, defines_of, outermost
from istio_convert.catalog.build.template import TemplateSyntaxError, parse


def reads(*files: str) -> set[str]:
    parsed = [parse(text) for text in files]
    reader = Reader(defines_of(parsed))
    for nodes in parsed:
        reader.run(nodes)
    return {".".join(path) for path in outermost(reader.read)}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ .Values.a.b }}", {"a.b"}),
        ("{{- $.Values.a | quote -}}", {"a"}),
        ("{{ (((.Values.a).b).c) }}", {"a.b.c"}),
        ('{{ index .Values "a" "x-y" }}', {"a.x-y"}),
        ('{{ get .Values.a "b" }}', {"a.b"}),
        ("{{ index .Values.a .Release.Name }}", {"a"}),
        ('{{ dig "a" "b" true .Values }}', {"a.b"}),
        ('{{ if hasKey .Values.a "b" }}x{{ end }}', {"a.b"}),
        ('{{ pick .Values "a" "b" | toYaml }}', {"a", "b"}),
        ("{{ with .Values.a }}{{ .b }}{{ end }}", {"a"}),
        ("{{ range $key, $value := .Values.a }}{{ $key }}={{ $value }}{{ end }}", {"a"}),
        ("{{ $x := .Values.a }}{{ $x.b }}", {"a.b"}),
        ("{{ $x := .Values.a }}", set()),
        ("{{ $x := .Values.a }}{{ if .Values.c }}{{ $x = .Values.b }}{{ end }}{{ $x.d }}", {"a.d", "b.d", "c"}),
        ("{{ if and (not .Values.a) (eq .Values.b.c 1) }}{{ else if .Values.d }}x{{ else }}{{ .Values.e }}{{ end }}y",
         {"a", "b.c", "d", "e"}),
        ("{{ .Values.a | default .Values.b }}", {"a", "b"}),
        ("{{ with (coalesce .Values.a .Values.b) }}{{ . }}{{ end }}", {"a", "b"}),
        ("{{ merge (deepCopy .Values.a) .Values.b | toYaml }}", {"a", "b"}),
        ('{{ $d := dict "one" .Values.a "two" .Values.b }}{{ $d.one }}', {"a"}),
        ('{{ $d := set (dict) "one" .Values.a }}{{ toYaml $d }}', {"a"}),
        ("{{ tpl (toYaml .Values.a) $ }}", {"a"}),
        ("{{ if false }}{{ .Values.a }}{{ else }}{{ .Values.b }}{{ end }}", {"b"}),
        ("{{ printf `{{ .Values.no }}` }}{{ /* .Values.no */ }}{{/* .Values.no */}}{{ .Values.a }}", {"a"}),
        ('{{ .Files.Get (printf "x-%s" .Values.a) }}', {"a"}),
    ],
)  # fmt: skip
def test_reads(template: str, expected: set[str]) -> None:
    assert reads(template) == expected


def test_a_named_template_reads_from_what_it_is_given() -> None:
    helper = '{{ define "limits" }}{{ range $k := list "limits" "requests" }}{{ index $ $k }}{{ end }}{{ end }}'
    assert reads(helper, '{{ include "limits" .Values.resources }}') == {"resources.limits", "resources.requests"}
    assert reads(helper, '{{ template "limits" .Values.other }}') == {"other.limits", "other.requests"}


def test_two_templates_of_one_name_both_count() -> None:
    one = '{{ define "t" }}{{ .Values.a }}{{ end }}{{ template "t" . }}'
    assert reads(one, '{{ define "t" }}{{ .Values.b }}{{ end }}') == {"a", "b"}


def test_a_template_that_calls_itself_ends() -> None:
    text = '{{ define "t" }}{{ .Values.a }}{{ include "t" (dict "Values" .Values.b) }}{{ end }}{{ include "t" . }}'
    assert {"a", "b.a"} <= reads(text)


def test_json_is_a_dump_and_no_read() -> None:
    nodes = parse('{{ $v := pick .Values "a" "b" }}{{ set $v "c" .Values.d | toPrettyJson }}')
    reader = Reader({})
    reader.run(nodes)
    assert reader.read == set()
    assert reader.dumped == {("a",), ("b",), ("d",)}


@pytest.mark.parametrize("text", ["{{ if .a }}", "{{ ( .a }}", "{{ .a ! }}", "{{ end }}{{ else }}"])
def test_what_cannot_be_understood_is_an_error(text: str) -> None:
    with pytest.raises((TemplateSyntaxError, IndexError)):
        parse(text)
