"""Rules that the engine carries out as a whole: what is handed on, merged, named or made."""

from __future__ import annotations

from istio_convert.mapping.model import Example, Rule

_GATEWAY = "istio-ingressgateway"
_ON = "components: {ingressGateways: [{name: istio-ingressgateway, enabled: true"

GENERAL_RULES: tuple[Rule, ...] = (
    Rule(
        id="values",
        source="values.**, meshConfig.**, hub, revision",
        value="the same path, in every chart that reads it",
        why="istioctl renders base, istiod, cni and ztunnel from the same charts, so a value means the same there",
        example=Example(
            spec="meshConfig: {accessLogFile: /dev/stdout}", values={"meshConfig": {"accessLogFile": "/dev/stdout"}}
        ),
    ),
    Rule(
        id="values.refused",
        source="values.**",
        why="some values make the chart fail at installation; they are never emitted",
        example=Example(
            spec="values: {global: {pilotCertProvider: kubernetes}}",
            outcome="manual",
            leaf="values.global.pilotCertProvider",
        ),
    ),
    Rule(
        id="values.unread",
        source="values.**",
        why="a value that no chart of the target version reads changes nothing",
        example=Example(spec="values: {kiali: {enabled: true}}", outcome="inert", leaf="values.kiali.enabled"),
    ),
    Rule(
        id="tag",
        source="tag, values.global.tag, values.*.tag",
        value="global.tag, pilot.tag, cni.tag, tag",
        why="an old istiod under a new chart is no supported pair: a tag of another release is left to the chart",
        example=Example(spec="tag: 1.23.2-distroless", values={"global": {"variant": "distroless"}}),
    ),
    Rule(
        id="component.hub",
        source="components.*.hub",
        value="pilot.hub, cni.hub, hub",
        why="one component's registry, where global.hub would be everybody's",
        example=Example(
            spec="components: {pilot: {hub: registry.example.com/istio}}",
            values={"pilot": {"hub": "registry.example.com/istio"}},
        ),
    ),
    Rule(
        id="component.tag",
        source="components.*.tag",
        value="pilot.tag, cni.tag, tag",
        why="as tag, for one component",
        example=Example(spec="components: {pilot: {tag: 1.25.3}}", values={"pilot": {"tag": "1.25.3"}}),
    ),
    Rule(
        id="default",
        source="**",
        why="a setting that equals what the chart does anyway is left out",
        example=Example(spec="values: {global: {logAsJson: false}}", outcome="default", leaf="values.global.logAsJson"),
    ),
    Rule(
        id="merge",
        source="**",
        why="of two settings for one place the later one counts, as in istioctl",
        example=Example(
            spec="{hub: a.example.com, values: {global: {hub: b.example.com}}}", outcome="overridden", leaf="hub"
        ),
    ),
    Rule(
        id="k8s",
        source="components.*Gateways[].k8s",
        why="istioctl applies k8s settings after rendering, so they win over values",
        example=Example(
            spec="{values: {gateways: {istio-ingressgateway: {resources: {requests: {cpu: 1}}}}}, "
            + _ON
            + ", k8s: {resources: {requests: {cpu: 2}}}}]}}",
            outcome="overridden",
            leaf="values.gateways.istio-ingressgateway.resources.requests.cpu",
        ),
    ),
    Rule(
        id="k8s.overrules",
        source="values.pilot.*, values.cni.*, values.ztunnel.*",
        why="a value that decides one place of a manifest has no effect when a k8s setting or an overlay writes that place",
        example=Example(
            spec="{values: {pilot: {traceSampling: 5}}, "
            "components: {pilot: {k8s: {env: [{name: PILOT_TRACE_SAMPLING, value: '50'}]}}}}",
            outcome="overridden",
            leaf="values.pilot.traceSampling",
        ),
    ),
    Rule(
        id="k8s.volumes",
        source="components.*.k8s.volumes, volumeMounts",
        why="istioctl accepts the fields and applies them to nothing",
        example=Example(
            spec="components: {pilot: {k8s: {volumes: [{name: a, emptyDir: {}}]}}}",
            outcome="inert",
            leaf="components.pilot.k8s.volumes[0].name",
        ),
    ),
    Rule(
        id="overlay",
        source="components.*.k8s.overlays[].patches[]",
        manifest="the object of that kind and name",
        why="an overlay is looked up backwards in the table; what no value expresses stays a patch",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "spec.template.spec.hostNetwork, value: true}]}]}}}",
            patch={"spec": {"template": {"spec": {"hostNetwork": True}}}},
        ),
    ),
    Rule(
        id="kustomize.names",
        source="components.*.k8s.serviceAnnotations, overlays, values.**Annotations",
        why="Kustomize writes names of annotations and labels without quotes, and fails on those that YAML reads as a "
        "number, a truth or null; a release with patches goes without them",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "metadata.annotations.123, value: a}]}]}}}",
            outcome="manual",
            leaf="components.pilot.k8s.overlays[0].patches[0].value",
        ),
    ),
    Rule(
        id="base.defaultRevision",
        source="revision",
        value="defaultRevision of base",
        why="with a revision there is no unrevisioned istiod that base's default validator could point at",
        example=Example(spec="revision: blue", release="istio-base", values={"defaultRevision": "blue"}),
    ),
    Rule(
        id="base.once",
        source="several IstioOperators with a control plane each",
        value="defaultRevision and base.excludedCRDs of base",
        why="definitions and the default validator exist once per cluster, and one object cannot belong to two "
        "releases: one base brings them, that of the operator that sets values.defaultRevision, else that of the first "
        "control plane; the others leave them out",
    ),
    Rule(
        id="cluster.once",
        source="components.cni of several IstioOperators",
        why="objects of a fixed name without a namespace exist once per cluster; two releases cannot both bring them",
    ),
    Rule(
        id="gateway.labels",
        source="components.*Gateways[].label",
        value="labels",
        manifest="selectors of Deployment, Service, PodDisruptionBudget",
        why="the merged labels are the live selector, which cannot change; the chart selects by app and istio only",
        example=Example(
            spec=_ON + ", label: {tier: edge}}]}",
            release=_GATEWAY,
            values={"labels": {"app": "istio-ingressgateway", "istio": "ingressgateway", "tier": "edge"}},
            patch={"spec": {"selector": {"matchLabels": {"tier": "edge"}}}},
        ),
    ),
    Rule(
        id="gateway.serviceAccount.name",
        source="components.*Gateways[].name",
        value="serviceAccount.name",
        why="principals in AuthorizationPolicies name the account that istioctl made",
        example=Example(
            spec=_ON + "}]}",
            release=_GATEWAY,
            values={"serviceAccount": {"name": "istio-ingressgateway-service-account"}},
        ),
    ),
    Rule(
        id="gateway.autoscaling",
        source="values.gateways.*.autoscaleEnabled",
        value="autoscaling.enabled",
        why="the chart renders its autoscaler by this switch",
        example=Example(
            spec="values: {gateways: {istio-ingressgateway: {autoscaleEnabled: false}}}",
            release=_GATEWAY,
            values={"autoscaling": {"enabled": False}},
        ),
    ),
    Rule(
        id="gateway.revision",
        source="revision",
        value="revision",
        why="the gateway is injected by the istiod of this revision",
        example=Example(spec="revision: blue", release=_GATEWAY, values={"revision": "blue"}),
    ),
    Rule(
        id="gateway.platform",
        source="values.global.platform, profile",
        value="global.platform, platform",
        why="on OpenShift the chart must not set a user id",
        example=Example(
            spec="values: {global: {platform: openshift}}",
            release=_GATEWAY,
            values={"global": {"platform": "openshift"}},
        ),
    ),
    Rule(
        id="gateway.imagePullSecrets",
        source="values.global.imagePullSecrets",
        value="imagePullSecrets",
        manifest="ServiceAccount imagePullSecrets",
        why="the gateway chart takes objects at its root; the global list of strings would break its pods",
        example=Example(
            spec="values: {global: {imagePullSecrets: [regcred]}}",
            release=_GATEWAY,
            values={"imagePullSecrets": [{"name": "regcred"}]},
        ),
    ),
    Rule(
        id="gateway.networkPolicy",
        source="values.global.networkPolicy.enabled",
        value="global.networkPolicy.enabled",
        why="both gateway charts render a NetworkPolicy by this switch from 1.28",
        example=Example(
            spec="values: {global: {networkPolicy: {enabled: true}}}",
            to="1.28.10",
            release=_GATEWAY,
            values={"global": {"networkPolicy": {"enabled": True}}},
        ),
    ),
    Rule(
        id="gateway.customService",
        source="values.gateways.*.customService",
        value="service.type",
        why="type None renders no Service",
        example=Example(
            spec="values: {gateways: {istio-ingressgateway: {customService: true}}}",
            release=_GATEWAY,
            values={"service": {"type": "None"}},
        ),
    ),
    Rule(
        id="gateway.runAsRoot",
        source="values.gateways.*.runAsRoot",
        value="containerSecurityContext",
        why="injection would run the proxy as user 1337",
        example=Example(
            spec="values: {gateways: {istio-ingressgateway: {runAsRoot: true}}}",
            release=_GATEWAY,
            values={"containerSecurityContext": {"runAsUser": 0}},
        ),
    ),
    Rule(
        id="gateway.image",
        source="hub, tag, values.global.hub, values.global.tag",
        why="in an operator without a control plane they are about gateways alone, whose image injection decides",
        example=Example(
            spec="{profile: empty, hub: registry.example.com/istio, "
            "components: {ingressGateways: [{name: gw, enabled: true}]}}",
            release="gw",
            outcome="manual",
            leaf="hub",
        ),
    ),
    Rule(
        id="gateway.proxy",
        source="values.global.*, meshConfig",
        why="in an operator without a control plane they set up the gateways' proxies, which injection does under Helm",
        example=Example(
            spec="{profile: empty, values: {global: {logAsJson: true}}, "
            "components: {ingressGateways: [{name: gw, enabled: true}]}}",
            release="gw",
            outcome="manual",
            leaf="values.global.logAsJson",
        ),
    ),
    Rule(
        id="gateway.injection",
        source="components.*Gateways[].label, values.gateways.*.labels, overlays",
        why="a label that turns injection off would leave a gateway of Helm without a proxy; it is never carried",
        example=Example(
            spec="components: {ingressGateways: [{name: istio-ingressgateway, enabled: true, "
            'label: {sidecar.istio.io/inject: "false"}}]}',
            release=_GATEWAY,
            outcome="manual",
            leaf="components.ingressGateways[0].label.sidecar\\.istio\\.io/inject",
        ),
    ),
    Rule(
        id="gateway.tag",
        source="components.*Gateways[].tag",
        manifest="Deployment spec.template.spec.containers[name:istio-proxy].image",
        why="injection gives a gateway the control plane's image, so its own one is a patch; before 1.26 istioctl ignores it",
        example=Example(
            spec=_ON + ", tag: 1.28.10-debug}]}",
            to="1.28.10",
            release=_GATEWAY,
            patch={
                "spec": {
                    "template": {
                        "spec": {
                            "containers": [{"name": "istio-proxy", "image": "docker.io/istio/proxyv2:1.28.10-debug"}]
                        }
                    }
                }
            },
        ),
    ),
    Rule(
        id="gateway.hub",
        source="components.*Gateways[].hub",
        why="istioctl's gateway charts read global.hub only",
        example=Example(
            spec=_ON + ", hub: registry.example.com}]}",
            outcome="inert",
            leaf="components.ingressGateways[0].hub",
            release=_GATEWAY,
        ),
    ),
    Rule(
        id="component.off",
        source="components.**",
        why="settings of a component that is off have no effect",
        example=Example(
            spec="components: {cni: {enabled: false, namespace: x, k8s: {priorityClassName: edge}}}",
            outcome="inert",
            leaf="components.cni.k8s.priorityClassName",
        ),
    ),
    Rule(id="foreign", source="other documents", why="istioctl reads IstioOperators only"),
    Rule(
        id="unknown",
        source="spec.**",
        why="a field that IstioOperator does not have",
        example=Example(spec="meshconfig: {a: b}", outcome="manual", leaf="meshconfig.a"),
    ),
)
