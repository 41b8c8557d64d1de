"""The injector's functions, for Helm's engine: those that it has under another name, and named templates for the rest.

Source of the facts: pkg/kube/inject/template.go of Istio's release tags. Maps stand for Go structs; one that comes of a
struct has its JSON under :data:`JSON`.
"""

from __future__ import annotations

#: Where a map that stands for a struct keeps the struct's JSON.
JSON = "__json"
#: Where the mesh config keeps what ``otelResourceAttributes`` gives for the pod.
OTEL = "__otel"

#: Functions that Helm has, under this name, with the same arguments and the same result for maps.
RENAMED = {
    "contains": "contains",
    "excludeInterfaces": "print",
    "formatDuration": "print",
    "fromJSON": "mustFromJson",
    "isset": "hasKey",
    "kubevirtInterfaces": "print",
    "mergeMaps": "mergeOverwrite (dict)",
    "omit": "omit",
    "strdict": "dict",
    "toJSON": "toJson",
    "toLower": "lower",
}
#: Functions that are named templates below and give a text.
AS_TEXT = frozenset(
    {
        "annotation",
        "appendMultusNetwork",
        "applicationPorts",
        "directory",
        "excludeInboundPort",
        "includeInboundPorts",
        "indent",
        "otelResourceAttributes",
        "protoToJSON",
        "structToJSON",
        "toJsonMap",
        "toYaml",
        "valueOrDefault",
    }
)
#: Functions that are named templates below and give a value, as JSON.
AS_VALUE = frozenset({"omitNil"})
#: What Helm adds to templates, and the injector does not have: such a template breaks injection as a whole.
NOT_IN_INJECTOR = frozenset(
    {
        "fromJsonArray",
        "fromToml",
        "fromYaml",
        "fromYamlArray",
        "include",
        "lookup",
        "mustToToml",
        "mustToYaml",
        "required",
        "toToml",
        "toYamlPretty",
        "tpl",
    }
)

#: The named templates. Each takes the list of its arguments.
TEMPLATES = """
{{- define "istio.sprint" -}}
{{- if kindIs "invalid" . -}}<nil>{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{- define "istio.annotation" -}}
{{- $annotations := (index . 0).Annotations -}}
{{- if hasKey $annotations (index . 1) -}}
{{- get $annotations (index . 1) -}}
{{- else -}}
{{- include "istio.sprint" (index . 2) -}}
{{- end -}}
{{- end -}}

{{- define "istio.valueOrDefault" -}}
{{- $value := index . 0 -}}
{{- if has $value (list "" nil) -}}{{ index . 1 }}{{- else -}}{{ $value }}{{- end -}}
{{- end -}}

{{- define "istio.indent" -}}
{{- $spaces := int (index . 0) -}}
{{- index . 1 | toString | indent $spaces | trimPrefix (repeat $spaces " ") -}}
{{- end -}}

{{- define "istio.json" -}}
{{- if kindIs "slice" . -}}
[{{- range $position, $item := . }}{{ if $position }},{{ end }}{{ include "istio.json" $item }}{{ end -}}]
{{- else if not (kindIs "map" .) -}}
{{- toJson . -}}
{{- else if hasKey . "__json" -}}
{{- get . "__json" -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "istio.structToJSON" -}}
{{- if kindIs "invalid" (index . 0) -}}{}{{- else -}}{{- include "istio.json" (index . 0) -}}{{- end -}}
{{- end -}}

{{- define "istio.protoToJSON" -}}
{{- include "istio.structToJSON" . -}}
{{- end -}}

{{- define "istio.toYaml" -}}
{{- include "istio.json" (index . 0) | mustFromJson | toYaml -}}
{{- end -}}

{{- define "istio.toJsonMap" -}}
{{- $merged := dict -}}
{{- range . -}}{{- $merged = mergeOverwrite $merged (. | default dict) -}}{{- end -}}
{{- toJson $merged -}}
{{- end -}}

{{- define "istio.omitNil" -}}
{{- include "istio.json" (index . 0) | mustFromJson | include "istio.withoutNil" -}}
{{- end -}}

{{- define "istio.withoutNil" -}}
{{- if kindIs "map" . -}}
{{- $kept := dict -}}
{{- range $key, $value := . -}}
{{- $inner := include "istio.withoutNil" $value -}}
{{- if ne $inner "null" -}}{{- $_ := set $kept $key (mustFromJson $inner) -}}{{- end -}}
{{- end -}}
{{- if or $kept (not .) -}}{{ toJson $kept }}{{- else -}}null{{- end -}}
{{- else if kindIs "slice" . -}}
{{- $kept := list -}}
{{- range . -}}
{{- $inner := include "istio.withoutNil" . -}}
{{- if ne $inner "null" -}}{{- $kept = append $kept (mustFromJson $inner) -}}{{- end -}}
{{- end -}}
{{- if or $kept (not .) -}}{{ toJson $kept }}{{- else -}}null{{- end -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "istio.directory" -}}
{{- regexReplaceAll "[^/]*$" (toString (index . 0)) "" -}}
{{- end -}}

{{- define "istio.excludeInboundPort" -}}
{{- $port := include "istio.sprint" (index . 0) | trim -}}
{{- $excluded := index . 1 | toString -}}
{{- $ports := splitList "," $excluded -}}
{{- if or (has $port (list "" "0")) (has $port $ports) -}}
{{- $excluded -}}
{{- else -}}
{{- $kept := list -}}
{{- range $ports -}}{{- if trim . -}}{{- $kept = append $kept (trim .) -}}{{- end -}}{{- end -}}
{{- append $kept $port | join "," -}}
{{- end -}}
{{- end -}}

{{- define "istio.ports" -}}
{{- $ports := list -}}
{{- range . -}}{{- range .Ports -}}
{{- if not (has .Protocol (list "UDP" "SCTP")) -}}{{- $ports = append $ports (toString .ContainerPort) -}}{{- end -}}
{{- end -}}{{- end -}}
{{- join "," $ports -}}
{{- end -}}

{{- define "istio.includeInboundPorts" -}}
{{- include "istio.ports" (index . 0) -}}
{{- end -}}

{{- define "istio.applicationPorts" -}}
{{- $others := list -}}
{{- range index . 0 -}}{{- if ne .Name "istio-proxy" -}}{{- $others = append $others . -}}{{- end -}}{{- end -}}
{{- include "istio.ports" $others -}}
{{- end -}}

{{- define "istio.appendMultusNetwork" -}}
{{- $given := index . 0 | default "" -}}
{{- $wanted := index . 1 -}}
{{- if not $given -}}
{{- $wanted -}}
{{- else if contains "]" $given -}}
{{- $parts := splitList "/" $wanted -}}
{{- $name := last $parts -}}
{{- $namespace := ternary (first $parts) "" (gt (len $parts) 1) -}}
{{- $there := false -}}
{{- range mustFromJson $given -}}
{{- if and (eq (toString .name) $name) (eq (.namespace | default "") $namespace) -}}{{- $there = true -}}{{- end -}}
{{- end -}}
{{- if $there -}}
{{- $given -}}
{{- else -}}
{{- $entry := printf ", {\\"name\\": \\"%s\\"}" $name -}}
{{- if $namespace -}}
{{- $entry = printf ", {\\"name\\": \\"%s\\", \\"namespace\\": \\"%s\\"}" $name $namespace -}}
{{- end -}}
{{- regexReplaceAllLiteral "\\\\][^\\\\]]*$" $given (printf "%s]" $entry) -}}
{{- end -}}
{{- else if has $wanted (regexSplit "\\\\s*,\\\\s*" (trim $given) -1) -}}
{{- $given -}}
{{- else -}}
{{- printf "%s, %s" $given $wanted -}}
{{- end -}}
{{- end -}}

{{- define "istio.otelResourceAttributes" -}}
{{- get (index . 0) "__otel" -}}
{{- end -}}
"""
