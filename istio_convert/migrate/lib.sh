# shellcheck shell=bash
# What the scripts of this folder share. To type a command of the runbook by hand: start bash, then `. ./lib.sh`.
#
#   CONTEXT                   the kubeconfig context; without it the current one
#   TIMEOUT                   how long to wait for each thing (10m)
#   CHARTS                    folder of the chart archives (charts/ beside this file); preflight fills it
#   APPLY=git                 a GitOps controller applies: the scripts say what to commit, and wait for it
#   ACCEPT="id id"            findings of the preflight that you accept; other-cluster: not that of the dump
#   ISTIO_CONVERT_NO_WAIT=1   do not wait for readiness; every wait that is left out is named
#   KUBECTL HELM HELMFILE ISTIOCTL   other programs than those on PATH

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
CHARTS="${CHARTS:-$here/charts}"
case "$CHARTS" in
  /*) ;;
  *) CHARTS="$PWD/$CHARTS" ;;
esac
cd -- "$here" || exit 1
TIMEOUT="${TIMEOUT:-10m}"
errors="$(mktemp)"
trap 'rm -f -- "$errors"' EXIT

owner_label='install.operator.istio.io/owning-resource'
managed_label='operator.istio.io/managed'
bound_selector="$owner_label,$owner_label!=unknown"
operators='istiooperators.install.istio.io'
definitions='customresourcedefinitions.apiextensions.k8s.io'
kinds='deployments.apps daemonsets.apps services serviceaccounts configmaps horizontalpodautoscalers.autoscaling
  poddisruptionbudgets.policy networkpolicies.networking.k8s.io roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
  clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io envoyfilters.networking.istio.io'

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "STOP: $*"
  exit 1
}

# --- programs -------------------------------------------------------------------------------------------------------

kubectl() { command "${KUBECTL:-kubectl}" ${CONTEXT:+--context "$CONTEXT"} "$@"; }

istioctl() { command "${ISTIOCTL:-istioctl}" ${CONTEXT:+--context "$CONTEXT"} "$@"; }

helmfile() { command "${HELMFILE:-helmfile}" ${CONTEXT:+--kube-context "$CONTEXT"} "$@"; }

has_program() { type -P "$(program "$1")" >/dev/null; }

# the program that stands for a name
program() {
  case "$1" in
    kubectl) printf '%s' "${KUBECTL:-kubectl}" ;;
    helm) printf '%s' "${HELM:-helm}" ;;
    helmfile) printf '%s' "${HELMFILE:-helmfile}" ;;
    istioctl) printf '%s' "${ISTIOCTL:-istioctl}" ;;
    *) printf '%s' "$1" ;;
  esac
}

has_istioctl() {
  if ! has_program istioctl; then
    say "NOT CHECKED: no istioctl on PATH (ISTIOCTL names another)"
    return 1
  fi
}

helm_major() { command "${HELM:-helm}" version --template '{{.Version}}' | sed -e 's/^v//' -e 's/[.].*//'; }

# Helm, with what every call needs: the context, waiting, and server-side apply under Helm 4. istioctl and the operator
# applied as another field manager, so that conflicts are forced.
helm() {
  local flags=()
  case "$1" in
    upgrade)
      if [[ "$(helm_major)" -ge 4 ]]; then
        flags+=(--server-side=true --force-conflicts)
      fi
      if [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
        say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): release $2"
      else
        flags+=(--wait --timeout "$TIMEOUT")
      fi
      ;;
    uninstall) flags+=(--ignore-not-found) ;;
  esac
  command "${HELM:-helm}" ${CONTEXT:+--kube-context "$CONTEXT"} "$@" ${flags[@]+"${flags[@]}"}
}

# post_renderer STAGE: what --post-renderer takes: a program for Helm 3, a plugin for Helm 4
post_renderer() {
  if [[ "$(helm_major)" -ge 4 ]]; then
    export HELM_PLUGINS="$here/releases/$1/helm/plugins"
    POST_RENDERER=istio-convert
  else
    POST_RENDERER="$here/releases/$1/helm/plugins/istio-convert/post-render.sh"
  fi
}

helm_at_least() {
  local version
  version="$(command "${HELM:-helm}" version --template '{{.Version}}')"
  version="${version#v}"
  if [[ "$(printf '%s\n' "$1" "${version%%[-+]*}" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" != "$1" ]]; then
    fail "Helm $1 or newer is needed, this is $version"
  fi
}

missing_chart() {
  if ! has_program helm; then
    say "NOT PULLED: no Helm on PATH (HELM names another); there will be no diffs"
    return 1
  fi
  mkdir -p -- "$CHARTS"
  [[ ! -f "$1" ]]
}

# --- looking --------------------------------------------------------------------------------------------------------

# look ARGUMENT...: `kubectl get`; what is not there, and a kind that the cluster does not have, give nothing
look() {
  local text
  if text="$(kubectl get "$@" --ignore-not-found 2>"$errors")"; then
    printf '%s' "$text"
    return 0
  fi
  if grep -q "the server doesn't have a resource type" "$errors"; then
    return 0
  fi
  cat "$errors" >&2
  return 1
}

# found ARGUMENT...: the names of what is there
found() { look "$@" --output name; }

present() {
  local names
  names="$(found "$@")" || fail "kubectl cannot read $*"
  [[ -n "$names" ]]
}

# field RESOURCE NAME NAMESPACE JSONPATH: empty when the object or the field is not there
field() { look "$1" "$2" ${3:+--namespace "$3"} --output "jsonpath=$4"; }

wait_for() {
  if [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
    say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): $*"
    return 0
  fi
  "$@"
}

accepted() {
  case " ${ACCEPT:-} " in
    *" $1 "*) say "    accepted" ;;
    *) return 1 ;;
  esac
}

blockers=0
# finding LEVEL ID TEXT ACTION
finding() {
  say "$1 $2: $3"
  say "    $4"
  if [[ "$1" == blocker ]] && ! accepted "$2"; then
    blockers=$((blockers + 1))
  fi
}

# planned_for UID: the cluster of the dump that this was planned with, known by the UID of its namespace kube-system
planned_for() {
  local uid
  uid="$(field namespace kube-system '' '{.metadata.uid}')" || fail "kubectl cannot read the namespace kube-system"
  if [[ "$uid" != "$1" ]]; then
    say "This is another cluster than that of the dump: its kube-system has the UID ${uid:-(none)}, not $1."
    accepted other-cluster ||
      fail "name the context (CONTEXT), or plan again with a dump of this cluster; ACCEPT=other-cluster goes on"
  fi
}

no_blockers() {
  if [[ "$blockers" -gt 0 ]]; then
    fail "$blockers blockers; solve them, or accept them by name: ACCEPT=\"id id\" $0${part:+ $part}"
  fi
}

# kubernetes_between OLDEST NEWEST: the window of the Istio release, minor versions; NEWEST may be empty
kubernetes_between() {
  local minor
  minor="$(kubectl version --output json | sed -n '/"serverVersion"/,/}/s/.*"minor": "\([0-9]*\).*/\1/p')"
  if [[ -z "$minor" ]]; then
    fail "the API server does not tell its version"
  fi
  if [[ "$minor" -lt "${1#1.}" ]]; then
    fail "Kubernetes 1.$minor is older than this Istio release supports ($1)"
  fi
  if [[ -n "$2" && "$minor" -gt "${2#1.}" ]]; then
    say "warning kubernetes: 1.$minor is newer than what this Istio release is supported on (up to $2)"
  fi
}

# injection_possible NAMESPACE: a gateway gets its proxy by injection
injection_possible() {
  if [[ "$(field namespace "$1" '' '{.metadata.labels.istio-injection}')" == disabled ]]; then
    fail "namespace $1 has istio-injection=disabled: the pods of a gateway there would stay at image auto"
  fi
}

# proxies FLAG...: of `kubectl get pods`. Each pod with a proxy, but for those that end or have ended, as
# namespace/name|revision|namespace/workload
proxies() {
  kubectl get pods "$@" --field-selector=status.phase!=Succeeded,status.phase!=Failed --output \
    jsonpath='{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"|"}{.metadata.annotations.istio\.io/rev}{"|"}{.metadata.namespace}{"/"}{.metadata.ownerReferences[*].name}{"|"}{.metadata.labels.pod-template-hash}{"|"}{.metadata.ownerReferences[*].kind}{"|"}{.metadata.deletionTimestamp}{"\n"}{end}' |
    awk -F'|' -v OFS='|' '
      $2 == "" || $6 != "" { next }
      $5 == "ReplicaSet" && $4 != "" { sub("-" $4 "$", "", $3) }
      { print $1, $2, $3 }'
}

# without WORKLOAD...: of the lines of `proxies`, those of other workloads
without() {
  awk -F'|' -v words="$*" '
    BEGIN { count = split(words, names, " "); for (i = 1; i <= count; i++) left_out[names[i]] = 1 }
    !($3 in left_out)'
}

# no_proxies_of REVISION [GATEWAY...]: the pods of a gateway that is replaced run until its Deployment goes
no_proxies_of() {
  local revision="$1" pods
  shift
  pods="$(proxies --all-namespaces | without "$@" | awk -F'|' -v revision="$revision" '$2 == revision { print $1 }')"
  if [[ -n "$pods" ]]; then
    say "$pods"
    fail "these pods still have a proxy of revision $revision"
  fi
}

# no_tags_of REVISION: a tag whose control plane is gone makes every pod of its namespaces fail, or start without a proxy
no_tags_of() {
  local names
  names="$(found mutatingwebhookconfigurations.admissionregistration.k8s.io --selector "istio.io/tag,istio.io/rev=$1")" ||
    fail "kubectl cannot list webhooks"
  if [[ -n "$names" ]]; then
    say "$names"
    fail "these tags call the control plane of revision $1; when no namespace names them: istioctl tag remove NAME"
  fi
}

# enough_pods SHARE RESOURCE OLD NEW NAMESPACE: the pods of the new gateway can take that share, in percent, of the load
enough_pods() {
  local ready='{.status.readyReplicas}{.status.numberReady}' old new
  old="$(field "$2" "$3" "$5" "$ready")"
  new="$(field "$2" "$4" "$5" "$ready")"
  if [[ $((${new:-0} * 100)) -lt $((${old:-0} * $1)) ]]; then
    finding blocker fewer-pods "$5/$4 has ${new:-0} ready pods and is about to take $1 % of the load of ${old:-0}." \
      "Raise minReplicas of its autoscaler, or its replicas, and run this again."
  fi
}

# can_serve RESOURCE NAME NAMESPACE: requests are about to go back to its pods
can_serve() {
  exists "$1" "$2" --namespace "$3"
  if [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
    say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): a ready pod of $3/$2"
  elif [[ -z "$(field "$1" "$2" "$3" '{.status.readyReplicas}{.status.numberReady}')" ]]; then
    fail "$3/$2 has no ready pod: traffic stays where it is"
  fi
}

# webhook_has_service KIND NAME: a webhook whose Service is gone makes every write fail
webhook_has_service() {
  local service namespace
  service="$(field "$1" "$2" '' '{.webhooks[0].clientConfig.service.name}')"
  namespace="$(field "$1" "$2" '' '{.webhooks[0].clientConfig.service.namespace}')"
  if [[ -n "$service" ]] && ! present service "$service" --namespace "$namespace"; then
    fail "$2 calls the Service $namespace/$service, which is not there"
  fi
}

# injector_problem REVISION: why the injector of a revision, or tag, would not fill in the image of a pod; empty: it would
injector_problem() {
  local kind='mutatingwebhookconfigurations.admissionregistration.k8s.io' names name service namespace
  names="$(found "$kind" --selector "istio.io/rev=$1")" || fail "kubectl cannot list webhooks"
  names="$names $(found "$kind" --selector "istio.io/tag=$1")" || fail "kubectl cannot list webhooks"
  if [[ -z "${names// /}" ]]; then
    printf '%s' "no injector has the label istio.io/rev=$1 or istio.io/tag=$1"
    return 0
  fi
  for name in $names; do
    name="${name#*/}"
    service="$(field "$kind" "$name" '' '{.webhooks[0].clientConfig.service.name}')"
    namespace="$(field "$kind" "$name" '' '{.webhooks[0].clientConfig.service.namespace}')"
    if [[ -n "$service" ]] && ! present service "$service" --namespace "$namespace"; then
      printf '%s' "$name calls the Service $namespace/$service, which is not there"
    elif [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
      say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): istiod ready, and the CA bundle of $name"
      continue
    elif [[ -n "$service" && -n "$(field service "$service" "$namespace" '{.spec.selector}')" &&
      -z "$(field deployment.apps "$service" "$namespace" '{.status.readyReplicas}')" ]]; then
      printf '%s' "the Deployment $namespace/$service, which $name calls, has no ready pod"
    elif [[ -z "$(field "$kind" "$name" '' '{.webhooks[0].clientConfig.caBundle}')" ]]; then
      printf '%s' "$name has no CA bundle: istiod has not filled it in"
    else
      continue
    fi
    return 0
  done
}

# injector_ready NAMESPACE [REVISION]: the image `auto` of a gateway's pods there is filled in. The labels of the namespace
# win over the revision that the pods name.
injector_ready() {
  local revision="${2:-default}" asked until problem
  asked="$(field namespace "$1" '' '{.metadata.labels.istio\.io/rev}')"
  if [[ "$(field namespace "$1" '' '{.metadata.labels.istio-injection}')" == enabled ]]; then
    asked=default
  fi
  if [[ -n "$asked" && "$asked" != "$revision" ]]; then
    say "note: the namespace $1 asks for $asked, which injects there, not for $revision"
    revision="$asked"
  fi
  # istiod fills the CA bundle in a moment after it is ready
  until=$((SECONDS + $(seconds "$TIMEOUT")))
  if [[ "$until" -gt $((SECONDS + 60)) ]]; then until=$((SECONDS + 60)); fi
  while true; do
    problem="$(injector_problem "$revision")"
    if [[ -z "$problem" ]]; then
      return 0
    fi
    if [[ "$SECONDS" -ge "$until" ]]; then
      say "$problem: the pods of a gateway in $1 would stay at image auto"
      accepted injector || fail "ACCEPT=injector goes on, when another injector takes these pods"
      return 0
    fi
    sleep 2
  done
}

# switch_injector_on NAME: istioctl's tag `default` leaves the injector of its revision with selectors that match nothing,
# and a merge keeps them
switch_injector_on() {
  local kind='mutatingwebhookconfiguration.admissionregistration.k8s.io' position=0 patch='' spaces pods rest
  rest='matchLabels/istio.io~1deactivated"}'
  while IFS='|' read -r spaces pods; do
    if [[ -n "$spaces" ]]; then
      patch="$patch,{\"op\":\"remove\",\"path\":\"/webhooks/$position/namespaceSelector/$rest"
    fi
    if [[ -n "$pods" ]]; then
      patch="$patch,{\"op\":\"remove\",\"path\":\"/webhooks/$position/objectSelector/$rest"
    fi
    position=$((position + 1))
  done <<<"$(field "$kind" "$1" '' \
    '{range .webhooks[*]}{.namespaceSelector.matchLabels.istio\.io/deactivated}|{.objectSelector.matchLabels.istio\.io/deactivated}{"\n"}{end}')"
  if [[ -n "$patch" ]]; then
    kubectl patch "$kind" "$1" --type=json --field-manager=helm --patch "[${patch#,}]"
  fi
}

# webhook_calls KIND NAME SERVICE
webhook_calls() {
  local service
  service="$(field "$1" "$2" '' '{.webhooks[0].clientConfig.service.name}')"
  if [[ -n "$service" && "$service" != "$3" ]]; then
    fail "$2 still calls $service, not $3"
  fi
}

# --- the operator ---------------------------------------------------------------------------------------------------

# namespace, name and replicas of every in-cluster operator, found by the name of its container
controllers() {
  kubectl get deployments.apps --all-namespaces --output \
    jsonpath='{range .items[*]}{.metadata.namespace}{" "}{.metadata.name}{" "}{.spec.replicas}{" "}{.spec.template.spec.containers[*].name}{"\n"}{end}' |
    awk '{ for (i = 4; i <= NF; i++) if ($i == "istio-operator") { print $1, $2, $3; break } }'
}

stop_controllers() {
  local namespace name replicas
  controllers | while read -r namespace name replicas; do
    if [[ "$replicas" != 0 ]]; then
      kubectl annotate deployment.apps "$name" --namespace "$namespace" "istio-convert/replicas=$replicas" --overwrite
      kubectl scale deployment.apps "$name" --namespace "$namespace" --replicas=0
    fi
    wait_for kubectl rollout status deployment.apps "$name" --namespace "$namespace" --timeout="$TIMEOUT"
  done
}

start_controllers() {
  local namespace name replicas
  controllers | while read -r namespace name _; do
    replicas="$(field deployment.apps "$name" "$namespace" '{.metadata.annotations.istio-convert/replicas}')"
    if [[ -n "$replicas" ]]; then
      kubectl scale deployment.apps "$name" --namespace "$namespace" --replicas="$replicas"
      kubectl annotate deployment.apps "$name" --namespace "$namespace" istio-convert/replicas-
    fi
  done
}

# still_by_hand VERSION WHAT COMMAND...: what puts the objects of the old release back, when no operator does
still_by_hand() {
  local version="$1" what="$2" running namespace name
  shift 2
  running="$(controllers | awk '$3 != 0 { print $1 "/" $2 }')"
  if [[ -n "$running" ]]; then
    say "LEFT TO THE OPERATOR: it puts the objects of Istio $version back; watch it do so: $running"
    return 0
  fi
  say "STILL TO DO BY HAND, when step 30 or a later one has run: nothing has put $what of Istio $version back."
  controllers | while read -r namespace name _; do
    say "    either start the operator: kubectl scale deployment.apps $name --namespace $namespace --replicas=1"
  done
  say "    with the istioctl of $version, for one IstioOperator after the other, with the --set flags of before,"
  say "    in the folder $here:"
  printf '      %s\n' "$@" >&2
}

no_controller_runs() {
  local running
  running="$(controllers | awk '$3 != 0 { print $1 "/" $2 }')"
  if [[ -n "$running" ]]; then
    fail "an operator still runs: $running"
  fi
}

all_operators_frozen() {
  local thawed
  if no_operator_left; then
    return 0
  fi
  thawed="$(kubectl get "$operators" --all-namespaces --output \
    jsonpath='{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{" "}{.metadata.annotations.install\.istio\.io/ignoreReconcile}{"\n"}{end}' |
    awk '$2 != "true" { print $1 }')"
  if [[ -n "$thawed" ]]; then
    say "$thawed"
    fail "these IstioOperators are not frozen; plan again with a dump of the cluster (--live backup/live.yaml)"
  fi
}

# guard_from_pruning RESOURCE NAME [NAMESPACE]
guard_from_pruning() {
  local marks options wanted=()
  marks="$(look "$1" "$2" ${3:+--namespace "$3"} --output \
    jsonpath='{.metadata.name}|{.metadata.annotations.argocd\.argoproj\.io/sync-options}|{.metadata.annotations.kustomize\.toolkit\.fluxcd\.io/prune}')"
  if [[ -z "$marks" ]]; then
    return 0
  fi
  marks="${marks#*|}"
  options="${marks%|*}"
  case ",$options," in
    *,Prune=false,*) ;;
    *) wanted+=("argocd.argoproj.io/sync-options=${options:+$options,}Prune=false,Delete=false") ;;
  esac
  if [[ "${marks##*|}" != disabled ]]; then
    wanted+=(kustomize.toolkit.fluxcd.io/prune=disabled)
  fi
  if [[ "${#wanted[@]}" -gt 0 ]]; then
    kubectl annotate "$1" "$2" ${3:+--namespace "$3"} --overwrite "${wanted[@]}"
  fi
}

# suspend_application NAMESPACE NAME: an Argo CD Application stops to sync by itself
suspend_application() {
  local automated
  automated="$(field application.argoproj.io "$2" "$1" '{.spec.syncPolicy.automated}')"
  if [[ -n "$automated" ]]; then
    kubectl annotate application.argoproj.io "$2" --namespace "$1" "istio-convert/automated=$automated" --overwrite
    kubectl patch application.argoproj.io "$2" --namespace "$1" --type=merge \
      --patch '{"spec":{"syncPolicy":{"automated":null}}}'
  fi
}

resume_application() {
  local automated
  automated="$(field application.argoproj.io "$2" "$1" '{.metadata.annotations.istio-convert/automated}')"
  if [[ -n "$automated" ]]; then
    kubectl patch application.argoproj.io "$2" --namespace "$1" --type=merge \
      --patch "{\"spec\":{\"syncPolicy\":{\"automated\":$automated}}}"
    kubectl annotate application.argoproj.io "$2" --namespace "$1" istio-convert/automated-
  fi
}

# argocd_sync NAMESPACE NAME: one sync, and wait until that one has ended. An operation does not read the sync options of
# the Application, so that they are given once more.
argocd_sync() {
  local before now until
  before="$(field application.argoproj.io "$2" "$1" '{.status.operationState.startedAt}')"
  kubectl patch application.argoproj.io "$2" --namespace "$1" --type=merge --patch '{"operation":{
    "initiatedBy":{"username":"istio-convert"},"sync":{"syncStrategy":{"apply":{}},
    "syncOptions":["CreateNamespace=true","ServerSideApply=true","RespectIgnoreDifferences=true"]}}}'
  if [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
    say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): sync of $2"
    return 0
  fi
  until=$((SECONDS + $(seconds "$TIMEOUT")))
  while true; do
    now="$(field application.argoproj.io "$2" "$1" '{.status.operationState.startedAt} {.status.operationState.phase}')"
    case "$now" in
      "$before "*) ;;
      *" Succeeded") return 0 ;;
      *" Failed" | *" Error") fail "the sync of $1/$2 failed: kubectl get application $2 --namespace $1 --output yaml" ;;
    esac
    if [[ "$SECONDS" -ge "$until" ]]; then
      fail "the sync of $1/$2 has not ended after $TIMEOUT"
    fi
    sleep 3
  done
}

# argocd_builds_charts NAMESPACE: its Kustomize may call Helm
argocd_builds_charts() {
  local options
  options="$(field configmap argocd-cm "$1" '{.data.kustomize\.buildOptions}')"
  case " $options " in
    *" --enable-helm "*) ;;
    *)
      finding blocker argocd-enable-helm "ConfigMap $1/argocd-cm does not let Kustomize call Helm." \
        "Set its key kustomize.buildOptions to: ${options:+$options }--enable-helm"
      ;;
  esac
}

# needs_in_git FOLDER PATH REVISION REPOSITORY
needs_in_git() { say "COMMIT AND PUSH first, if it is not in Git yet: $1 as $2, at $3 of $4"; }

# --- changing hands -------------------------------------------------------------------------------------------------

# facts RESOURCE NAME [NAMESPACE]: who owns an object, in one call. Sets found_name (empty when it is not there),
# helm_owner (namespace/name of the release; a slash for none), helm_label, operator_owner, operator_managed.
facts() {
  local text
  text="$(look "$1" "$2" ${3:+--namespace "$3"} --output \
    jsonpath='{.metadata.name}|{.metadata.annotations.meta\.helm\.sh/release-namespace}/{.metadata.annotations.meta\.helm\.sh/release-name}|{.metadata.labels.app\.kubernetes\.io/managed-by}|{.metadata.labels.install\.operator\.istio\.io/owning-resource}|{.metadata.labels.operator\.istio\.io/managed}')"
  IFS='|' read -r found_name helm_owner helm_label operator_owner operator_managed <<<"$text"
}

# detach RESOURCE NAME [NAMESPACE]
detach() {
  facts "$@"
  take_off_labels "$@"
}

# take_off_labels RESOURCE NAME [NAMESPACE], after facts. Charts write `owning-resource: unknown`: nothing to take off then.
take_off_labels() {
  if [[ -n "$operator_managed" || (-n "$operator_owner" && "$operator_owner" != unknown) ]]; then
    kubectl label "$1" "$2" ${3:+--namespace "$3"} --field-manager=helm \
      install.operator.istio.io/owning-resource- install.operator.istio.io/owning-resource-namespace- \
      operator.istio.io/component- operator.istio.io/managed- operator.istio.io/version-
  fi
}

# adopt RELEASE RELEASE_NAMESPACE RESOURCE NAME [NAMESPACE]
adopt() {
  facts "$3" "$4" "${5:-}"
  if [[ -z "$found_name" ]]; then
    return 0
  fi
  if [[ "$helm_owner" != / && "$helm_owner" != "$2/$1" && "$helm_owner" != "$2/" && "$helm_owner" != "/$1" ]]; then
    fail "$3 ${5:+$5/}$4 belongs to the Helm release $helm_owner, not to $2/$1"
  fi
  take_off_labels "$3" "$4" "${5:-}"
  if [[ "$helm_label" != Helm ]]; then
    kubectl label "$3" "$4" ${5:+--namespace "$5"} --overwrite --field-manager=helm app.kubernetes.io/managed-by=Helm
  fi
  if [[ "$helm_owner" != "$2/$1" ]]; then
    kubectl annotate "$3" "$4" ${5:+--namespace "$5"} --overwrite --field-manager=helm \
      "meta.helm.sh/release-name=$1" "meta.helm.sh/release-namespace=$2"
  fi
}

# unadopt RESOURCE NAME [NAMESPACE]
unadopt() {
  facts "$@"
  if [[ -n "$found_name" && "$helm_owner" != / ]]; then
    kubectl annotate "$1" "$2" ${3:+--namespace "$3"} meta.helm.sh/release-name- meta.helm.sh/release-namespace-
  fi
}

# owned RELEASE RELEASE_NAMESPACE RESOURCE NAME [NAMESPACE]: when it is there, the release owns it
owned() {
  facts "$3" "$4" "${5:-}"
  if [[ -n "$found_name" && "$helm_owner" != "$2/$1" ]]; then
    fail "$3 ${5:+$5/}$4 is not owned by the release $2/$1"
  fi
}

# bound SELECTOR: what the labels of the operator select, as namespace/kind/name
bound() {
  local kind names
  for kind in $kinds; do
    names="$(found "$kind" --all-namespaces --selector "$1")" || fail "kubectl cannot list $kind"
    if [[ -n "$names" ]]; then
      kubectl get "$kind" --all-namespaces --selector "$1" --output \
        jsonpath='{range .items[*]}{.metadata.namespace}{"/"}{.kind}{"/"}{.metadata.name}{"\n"}{end}' |
        awk -F/ -v OFS=/ '{ $2 = tolower($2); print }'
    fi
  done
}

# not_bound NAMESPACE/KIND/NAME...: none of these may carry the operator's owner labels
not_bound() {
  local all wanted
  all="$(bound "$bound_selector")"
  for wanted in "$@"; do
    if grep -Fxq -- "$wanted" <<<"$all"; then
      fail "$wanted still carries the operator's owner labels"
    fi
  done
}

# tracked RESOURCE NAME [NAMESPACE]: when it is there, Argo CD tracks it, by annotation or by label
tracked() {
  local marks
  marks="$(look "$1" "$2" ${3:+--namespace "$3"} --output \
    jsonpath='{.metadata.name}|{.metadata.annotations.argocd\.argoproj\.io/tracking-id}{.metadata.labels.app\.kubernetes\.io/instance}')"
  if [[ -n "${marks%%|*}" && -z "${marks#*|}" ]]; then
    fail "$1 ${3:+$3/}$2 is tracked by no Application"
  fi
}

# leftovers: what the operator could prune, and what istioctl made for an operator without a name
leftovers() {
  local names
  names="$({ bound "$bound_selector" && bound "$managed_label"; } | sort -u)"
  if [[ -n "$names" ]]; then
    say "LEFT: these still carry the operator's labels"
    say "$names"
  fi
}

absent() {
  if present "$@"; then
    fail "$* is still there"
  fi
}

exists() {
  if ! present "$@"; then
    fail "$* is not there"
  fi
}

# has_annotation RESOURCE NAME NAMESPACE KEY VALUE [OR]
has_annotation() {
  local value key="${4//./\\.}"
  value="$(field "$1" "$2" "$3" "{.metadata.annotations.$key}")"
  if [[ "$value" != "$5" && "$value" != "${6:-$5}" ]]; then
    fail "$1 $3/$2: the annotation $4 has another value"
  fi
}

# alb_uses_action NAMESPACE INGRESS ACTION: a backend of the Ingress names the action instead of a Service
alb_uses_action() {
  local backends
  backends="$(field ingress.networking.k8s.io "$2" "$1" \
    '{range .spec.rules[*].http.paths[*].backend.service}{.name}{" "}{.port.name}{"\n"}{end}{.spec.defaultBackend.service.name}{" "}{.spec.defaultBackend.service.port.name}')"
  if ! grep -Fxq -- "$3 use-annotation" <<<"$backends"; then
    fail "Ingress $1/$2 has no backend '$3' with the port name use-annotation"
  fi
}

# seconds DURATION: of 90s, 10m or 1h
seconds() {
  case "$1" in
    *h) printf '%s' "$((${1%h} * 3600))" ;;
    *m) printf '%s' "$((${1%m} * 60))" ;;
    *) printf '%s' "${1%s}" ;;
  esac
}

# apply FILE: or, with APPLY=git, wait until a GitOps controller has done it
apply() {
  local until
  if [[ "${APPLY:-}" != git ]]; then
    kubectl apply --server-side --force-conflicts --field-manager=istio-convert --filename "$1"
    return
  fi
  say "COMMIT (APPLY=git): $1"
  until=$((SECONDS + $(seconds "$TIMEOUT")))
  until kubectl diff --server-side --force-conflicts --field-manager=istio-convert --filename "$1" >/dev/null 2>&1; do
    if [[ "$SECONDS" -ge "$until" ]]; then
      fail "$1 is not in the cluster after $TIMEOUT"
    fi
    if [[ -n "${ISTIO_CONVERT_NO_WAIT:-}" ]]; then
      say "NOT WAITED FOR (ISTIO_CONVERT_NO_WAIT): $1"
      return 0
    fi
    sleep 5
  done
}

# service_selects NAMESPACE NAME KEY VALUE: an empty value: the key does not count
service_selects() {
  local value
  value="$(field service "$2" "$1" "{.spec.selector.$3}")"
  if [[ "$value" != "$4" ]]; then
    fail "Service $1/$2 selects $3=${value:-(anything)}, not ${4:-(anything)}"
  fi
}

# keep_when_dropped RESOURCE NAME [NAMESPACE]: Helm leaves it in place when an upgrade no longer renders it
keep_when_dropped() {
  if present "$1" "$2" ${3:+--namespace "$3"}; then
    kubectl annotate "$1" "$2" ${3:+--namespace "$3"} --overwrite helm.sh/resource-policy=keep
  fi
}

# still_active WHAT: a release that is active writes the same objects as the operator
still_active() {
  finding blocker active-release "$1 is still active, and would fight with the operator over the same objects." \
    "./rollback.sh LAST, with the number of the last step that was run, makes it let go first."
}

# operator_stays NAMESPACE NAME: a deletion that waits for its finalizer would end with the mesh
operator_stays() {
  if [[ -n "$(field "$operators" "$2" "$1" '{.metadata.deletionTimestamp}')" ]]; then
    finding blocker operator-deleted "IstioOperator $1/$2 is being deleted: a controller would delete the mesh with it." \
      "Set its finalizers to null, so that it goes alone; apply its file anew when the operator is to come back."
  fi
}

# helmrelease_idle NAMESPACE NAME
helmrelease_idle() {
  local marks
  marks="$(field helmrelease.helm.toolkit.fluxcd.io "$2" "$1" '{.metadata.name}|{.spec.suspend}')"
  if [[ -n "${marks%%|*}" && "${marks#*|}" != true ]]; then
    still_active "HelmRelease $1/$2"
  fi
}

# application_idle NAMESPACE NAME
application_idle() {
  if [[ -n "$(field application.argoproj.io "$2" "$1" '{.spec.syncPolicy.automated}{.operation}')" ]]; then
    still_active "Application $1/$2"
  fi
}

# release_idle NAMESPACE NAME: Helm has no records of it
release_idle() {
  if present secrets --namespace "$1" --selector "owner=helm,name=$2"; then
    still_active "Helm release $1/$2"
  fi
}

# forget_release NAME NAMESPACE
forget_release() { kubectl delete secret --namespace "$2" --selector "owner=helm,name=$1" --ignore-not-found; }

# show_changes STAGE SLUG NAME NAMESPACE CHART [FLAG...]
show_changes() {
  local stage="$1" slug="$2" name="$3" namespace="$4" chart="$5" code=0
  shift 5
  if ! has_program helm || [[ ! -f "$CHARTS/$chart" ]]; then
    say "NO DIFF of $name: Helm or the chart $CHARTS/$chart is missing"
    return 0
  fi
  post_renderer "$stage"
  if [[ -f "releases/$stage/helm/plugins/istio-convert/releases/$slug/kustomization.yaml" ]]; then
    set -- "$@" --post-renderer "$POST_RENDERER" --post-renderer-args "$slug"
  fi
  helm template "$name" "$CHARTS/$chart" --namespace "$namespace" --values "releases/$stage/helm/values/$slug.yaml" \
    --is-upgrade "$@" >"$errors"
  kubectl diff --server-side --force-conflicts --field-manager=helm --filename "$errors" || code=$?
  if [[ "$code" -gt 1 ]]; then
    fail "kubectl diff cannot compare $name"
  fi
}

# --- keeping, removing ----------------------------------------------------------------------------------------------

# save FILE COMMAND...: its output, once; the first copy is the one that shows how it was
save() {
  local file="$1"
  shift
  if [[ ! -s "$file" ]]; then
    mkdir -p -- "$(dirname -- "$file")"
    "$@" >"$file.part"
    mv -- "$file.part" "$file"
  fi
}

# everything that the plan can use, but no Secret
dump_cluster() {
  local kind names
  for kind in $kinds namespaces "$operators" "$definitions" ingresses.networking.k8s.io \
    gateways.networking.istio.io virtualservices.networking.istio.io destinationrules.networking.istio.io \
    serviceentries.networking.istio.io sidecars.networking.istio.io authorizationpolicies.security.istio.io \
    peerauthentications.security.istio.io requestauthentications.security.istio.io \
    wasmplugins.extensions.istio.io telemetries.telemetry.istio.io applications.argoproj.io; do
    if [[ "$kind" == "$definitions" ]]; then
      # their schemas are long and say nothing here; what jsonpath prints is JSON, which is YAML
      kubectl get "$kind" --output jsonpath='{range .items[*]}---{"\n"}apiVersion: apiextensions.k8s.io/v1{"\n"}kind: CustomResourceDefinition{"\n"}metadata: {.metadata}{"\n"}{end}' |
        awk '/^---$/ { held = $0; next } /^apiVersion|^kind/ { held = held "\n" $0; next } /istio[.]io"/ { print held; print }'
    elif [[ "$kind" != configmaps ]]; then
      names="$(found "$kind" --all-namespaces)" || fail "kubectl cannot list $kind"
      if [[ -n "$names" ]]; then
        echo "---"
        kubectl get "$kind" --all-namespaces --output yaml --show-managed-fields
      fi
    fi
  done
  echo "---"
  kubectl get configmaps --all-namespaces --selector "$owner_label" --output yaml
  # what istioctl made for an operator without a name may have no owner
  echo "---"
  kubectl get configmaps --all-namespaces --selector "$managed_label,!$owner_label" --output yaml
}

# what a script deletes is kept in a folder of its own
removed="backup/removed/$(basename -- "$0" .sh)"

# removed_file RESOURCE NAME [NAMESPACE]
removed_file() { printf '%s/%s' "$removed" "$1_${3:-}_$2.yaml" | tr ':' '-'; }

# copy RESOURCE NAME [NAMESPACE]: keep the object as it is, once
copy() {
  local file
  file="$(removed_file "$@")"
  if [[ -s "$file" ]] || ! present "$1" "$2" ${3:+--namespace "$3"}; then
    return 0
  fi
  mkdir -p -- "$removed"
  kubectl get "$1" "$2" ${3:+--namespace "$3"} --output yaml |
    sed -E '/^  (creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|generation|resourceVersion|uid):/d' \
      >"$file.part"
  mv -- "$file.part" "$file"
}

# remove RESOURCE NAME [NAMESPACE]
remove() {
  facts "$@"
  if [[ -z "$found_name" ]]; then
    return 0
  fi
  if [[ "$helm_owner" != / ]]; then
    fail "$1 ${3:+$3/}$2 belongs to the Helm release $helm_owner and is not to be deleted"
  fi
  copy "$@"
  kubectl delete "$1" "$2" ${3:+--namespace "$3"} --ignore-not-found
}

# put_back RESOURCE NAME [NAMESPACE]: what `copy` or `remove` kept
put_back() {
  local file
  file="$(removed_file "$@")"
  if [[ ! -f "$file" ]]; then
    return 0
  fi
  if present "$1" "$2" ${3:+--namespace "$3"}; then
    kubectl replace --filename "$file"
  else
    kubectl create --filename "$file"
  fi
}

# restore_all: everything that this script deleted and that is not there
restore_all() {
  local file name
  for file in "$removed"/*.yaml; do
    if [[ -f "$file" ]]; then
      name="$(kubectl get --filename "$file" --ignore-not-found --output name 2>/dev/null || true)"
      if [[ -z "$name" ]]; then
        kubectl create --filename "$file"
      fi
    fi
  done
}

no_operator_left() {
  local names
  names="$(found "$operators" --all-namespaces)" || fail "kubectl cannot list IstioOperators"
  [[ -z "$names" ]]
}

# the controllers go when no IstioOperator is left that another one of them could still be responsible for
remove_controllers() {
  local namespace name
  if ! no_operator_left; then
    say "LEFT: the controllers, because the cluster still has an IstioOperator"
    return 0
  fi
  controllers | while read -r namespace name _; do
    remove deployment.apps "$name" "$namespace"
    remove service "$name" "$namespace"
    remove serviceaccount "$name" "$namespace"
    remove clusterrolebinding.rbac.authorization.k8s.io "$name"
    remove clusterrole.rbac.authorization.k8s.io "$name"
  done
}

remove_operator_crd() {
  if ! no_operator_left; then
    say "LEFT: the definition of IstioOperator, because the cluster still has one"
    return 0
  fi
  remove customresourcedefinition.apiextensions.k8s.io istiooperators.install.istio.io
}

# --- namespaces and pods --------------------------------------------------------------------------------------------

# injected_namespaces REVISION: those that ask for the control plane of that revision (`default`: without one)
injected_namespaces() {
  if [[ "$1" == default ]]; then
    kubectl get namespaces --selector 'istio-injection=enabled' --output name
  fi
  kubectl get namespaces --selector "istio.io/rev=$1" --output name
}

# move_namespace NAMESPACE REVISION
move_namespace() {
  local injection revision
  injection="$(field namespace "$1" '' '{.metadata.labels.istio-injection}')"
  revision="$(field namespace "$1" '' '{.metadata.labels.istio\.io/rev}')"
  if [[ -z "$injection" && "$revision" == "$2" ]]; then
    return 0
  fi
  if [[ -z "$(field namespace "$1" '' '{.metadata.annotations.istio-convert/injection-before}')" ]]; then
    kubectl annotate namespace "$1" "istio-convert/injection-before=${injection:-none},${revision:-none}"
  fi
  kubectl label namespace "$1" --overwrite istio-injection- "istio.io/rev=$2"
}

# moved_namespaces: those that move_namespace changed
moved_namespaces() {
  kubectl get namespaces --output \
    jsonpath='{range .items[*]}{.metadata.name}{" "}{.metadata.annotations.istio-convert/injection-before}{"\n"}{end}' |
    awk 'NF == 2 { print $1 }'
}

# before_move NAMESPACE: injection,revision as they were; empty when it was not moved
before_move() { field namespace "$1" '' '{.metadata.annotations.istio-convert/injection-before}'; }

# move_namespace_back NAMESPACE: the labels that were there before
move_namespace_back() {
  local before injection revision
  before="$(before_move "$1")"
  if [[ -z "$before" ]]; then
    return 0
  fi
  injection="${before%%,*}"
  revision="${before##*,}"
  if [[ "$injection" == none ]]; then injection='istio-injection-'; else injection="istio-injection=$injection"; fi
  if [[ "$revision" == none ]]; then revision='istio.io/rev-'; else revision="istio.io/rev=$revision"; fi
  kubectl label namespace "$1" --overwrite "$injection" "$revision"
}

forget_move() {
  if [[ -n "$(before_move "$1")" ]]; then
    kubectl annotate namespace "$1" istio-convert/injection-before-
  fi
}

# restart_back NAMESPACE: after move_namespace_back
restart_back() {
  local before
  before="$(before_move "$1")"
  if [[ -n "$before" ]]; then
    before="${before##*,}"
    restart_injected "$1" "${before/#none/default}"
  fi
}

# one_replica NAMESPACE: names the workloads that are away for a moment when their only pod restarts
one_replica() {
  local kind
  for kind in deployments.apps statefulsets.apps; do
    kubectl get "$kind" --namespace "$1" --output \
      jsonpath='{range .items[*]}{.spec.replicas}{" "}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}{end}' |
      awk '$1 == 1 { print "note: one replica only: " $2 }' >&2
  done
}

# restart_injected NAMESPACE REVISION [GATEWAY...]: the gateways that are replaced stay as they are
restart_injected() {
  local namespace="$1" revision="$2" others kind workload
  shift 2
  others="$(proxies --namespace "$namespace" | without "$@" | awk -F'|' -v revision="$revision" '$2 != revision')"
  if [[ -z "$others" ]]; then
    return 0
  fi
  for kind in deployments.apps statefulsets.apps daemonsets.apps; do
    kubectl get "$kind" --namespace "$namespace" --output name | while read -r workload; do
      case " $* " in *" $namespace/${workload#*/} "*) continue ;; esac
      kubectl rollout restart "$workload" --namespace "$namespace"
      wait_for kubectl rollout status "$workload" --namespace "$namespace" --timeout="$TIMEOUT"
    done
  done
}

# --- running --------------------------------------------------------------------------------------------------------

# main TITLE [run|check|rollback]
part=''
main() {
  local title="$1"
  shift
  part="${1:-}"
  case "${1:-run}" in
    check) before ;;
    run)
      say "== $title"
      before
      change
      after
      say "== done: $title"
      ;;
    rollback)
      say "== back: $title"
      rollback
      ;;
    *)
      say "usage: $0 [run|check|rollback]"
      exit 2
      ;;
  esac
}
