/** Commands that cannot be run here, and why. */
export const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npm ci && npm (?:start|test)\b/, 'the steps `readme` and `docker` of .ci/run run it'],
  [/^npm ci$/, 'the step `install` of .ci/run runs it'],
  [
    // Once wirebin is published, its pages say how to get that (scripts/publication.ts).
    /^npm ci && npm pack$|wirebin-[\d.]+\.tgz\b|^npx wirebin\b|^npm install .* wirebin\b|^cosign |SHA256SUMS$/,
    'the step `package` of .ci/run packs and installs it; what is published is fetched from elsewhere',
  ],
  [/^npm run dev /, 'it goes on for ever'],
  [/^npm run recipes /, 'it needs a proxy, which npm run test:recipes starts'],
  [
    /^(?:[A-Z_\d]+=\w+ )*npm run (?:test:hostile|soak|fuzz|bench:\w+|test:foreign)\b/,
    'it takes minutes to hours',
  ],
  [/^docker /, 'it needs Docker'],
  [/^(?:helm|kubectl|GATEWAY=)|\$GATEWAY\b|# of the Gateway's pods$/, 'it needs a cluster'],
  [/^(?:aws |NEG=|gcloud )/, 'it needs an account of a cloud'],
  [/^set -euo pipefail$|^: "\$\{NEG:/, 'it needs an account of a cloud'],
  [/^systemctl |^cp deploy\/systemd/, 'it needs root and systemd'],
  [
    /^(?:varnishd|hitch) |^curl .*localhost:[89]44\d/,
    'it needs a proxy, behind which npm run test:recipes runs it',
  ],
  [/^wirebin completion zsh /, 'bash has no fpath; test/cli/completion runs zsh'],
  [/^npx wscat /, 'npx would fetch it'],
  [/^oha /, 'Debian has no package of it'],
  [/ --serve 9000\b/, 'it needs a proxy in front of port 9000'],
  [
    /^wirebin check https:\/\/lb\.example\/api\/$/,
    'it needs a proxy that serves wirebin below /api/',
  ],
];

/** What may be run: a page must not install or remove something on the machine of the tests. */
export const PROGRAMS = 'cat curl grpcurl h2load jq od openssl printf seq wirebin wrk'.split(' ');

/** Settings of the service of a page, each if the page names it: it has to say what its commands need. */
export const SETTINGS = [
  '--tap',
  '--inspect',
  '--metrics-enabled',
  '--allow-raw',
  '--hostname-enabled',
  '--env-prefix WIREBIN_',
];

/** Keeps what takes minutes to a second, and what asks from asking. */
export const ENVIRONMENT = {
  WIREBIN_CONTROL: 'token',
  WIREBIN_CHECK_ONLY: 'hop/via-request',
  WIREBIN_CHECK_YES: 'true',
  WIREBIN_BENCH_PROTOCOL: 'http/1.1',
  WIREBIN_BENCH_CONNECTIONS: '2',
  WIREBIN_BENCH_DURATION: '100ms',
  WIREBIN_BENCH_ONLY: 'healthz',
  WIREBIN_BENCH_YES: 'true',
};

/** What commands read. */
export const FILES: Readonly<Record<string, string>> = {
  file: 'content',
  'file.json': '{}',
  'rules.txt': '# none\nGET /a: status=503\n',
};

/** The reports that they read. */
export const REPORTS = [
  'wirebin check --self --report json=check.json --report json=old.json --report json=new.json --report json=mine.json',
  'wirebin bench --self --report json=bench.json --report json=before.json --report json=after.json',
];

/** What programs other than curl find in place of what is written. */
export const standIns = (port: number): readonly (readonly [RegExp, string])[] => [
  [/ &$/, ''],
  [/^(?!.* --resolve )wirebin (?:bench|check) .*\.example\b.*/, '$& --resolve 127.0.0.1'],
  [/(https:\/\/[a-z\d.]+\.example)(?::\d+)?\b/g, `$1:${port}`],
  [/\b(?:localhost|proxy|origin|10\.0\.0\.\d+):(?:8\d{3}|9000)\b/g, `localhost:${port}`],
  [/(?<=--port |WIREBIN_PORT=)9000\b/, '0'],
  [/^(wirebin bench) URL\b/, `$1 http://localhost:${port}`],
  [/\$\(cat \/run\/nginx\.pid\)|(?<=--pid \w+=)\d+/g, '$PPID'],
  [/--during '[^']+'/, "--during 'true'"],
  [/--drain-delay 15s/, '--drain-delay 0s'],
  [/^wirebin bench (?!show|.*--during).*/, '$& --rounds 1'],
  [/(?<=^wirebin bench .*--duration )30s/, '1s'],
  // Load generators run for as long as they are told.
  [/(?<=^wrk .*-d)30s/, '1s'],
  [/(?<=^h2load .*)-D30 --warm-up-time=5/, '-n1000'],
];

/**
 * Of lines with their comments: what is to be seen, where curl writes `status 200` after the content of a response, and
 * exit codes other than 0. A line without claim is held to the statuses and the code in its comment.
 */
export const CLAIMS: readonly (readonly [line: RegExp, shows: RegExp, ...exit: number[]])[] = [
  [/# HTTP\/1\.1 in cleartext$/, /"protocol": "http\/1\.1"/],
  [/# HTTP\/2 in cleartext$/, /"protocol": "h2c"/],
  [/# TLS; ALPN selects HTTP\/2/, /"alpn": "h2"/],
  [/# what arrives: every field, in order/, /"raw_headers": \[\s*\[\s*":method"/],
  [/\/connections # .*\bre-?used?\b/, /"opens_anew": 1,\s*"reuses": \d+,\s*"multiplexes"/],
  [/\/connections\/1 # .*(?:in order|story)/, /"tcp": \{|^ +0\.000 > tcp/m],
  [/# any status from 200 to 599$/, /^status 503$/m],
  [/\/drip\?.*# a byte every half second$/, /^\*{5}\s/],
  [/\/unstable\?[^#]*$/, /^status [25]00$/m],
  [/\/zstd$/, /^status (?:200|501)$/m],
  [/\/early\?/, /^status 413$/m],
  [/\/journal\/a1 # how often the balancer tried/, /"attempts": 3,/],
  [/\/tls # the ClientHello.* JA3 and JA4$/, /"ja3": [^]*"ja4": [^]*"client_hello": \{/],
  [/\/http2 # SETTINGS, .*Akamai/, /"akamai_fingerprint": [^]*"WINDOW_UPDATE"[^]*"settings": \[/],
  [/\/http1 # the head .*byte for byte, in base64$/, /"raw_head": "R0VUIC9odHRwMSBIVFRQLzEuMQ0K/],
  [/dialect=go-httpbin' # one response/, /"Accept": \[/],
  [/dialect=httpbin' # one response/, /"Accept": "/],
  [/dialect=gateway-api' # one response/, /"namespace": "/],
  [/for=192\.0\.2\.7' localhost:8080\/ip # 192\.0\.2\.7$/, /"192\.0\.2\.7"/],
  [/\.conn\.worker # which of them/, /^[12]$/m],
  [/-d sent .*content=echo' # the first line$/, /\bsent\b/],
  [/Want-Repr-Digest: sha-256=10'/, /^Repr-Digest: sha-256=/m],
  [/'localhost:8080\/journal\/a1\?wait=3/, /^(?:"sent"\n){3}/],
  [/\/metrics\?format=json' # since the start, and/, /"all_time": [^]*"last_hour": /],
  [/\/metrics\/history # each of/, /"minutes": \[/],
  // curl ends with 18 for partial content, 55 and 56 if it cannot send or receive, 92 for a stream.
  [/\/fault\/reset\?after.*# RST in the middle/, /reset by peer/, 55, 56],
  [/\/fault\/close # FIN after half/, /\b5120 bytes /, 18],
  [/\/fault\/reset\?at=start' # RST in place/, /reset by peer[^]*^status 000$/m, 55, 56],
  [/\/fault\/stall\?after=90%&for=2' # 90 % of/, /\b1024 bytes /, 18],
  [/\/fault\/content-length\?declared=26&sent=10'$/, /^abcdefghijcurl: .* 16 bytes/, 18],
  [/fault=reset@50%' # the same in a response/, /^ncurl: [^]*^status 503$/m, 55, 56],
  [/fault=garbage@body' # a good head/, /chunked-encoding[^]*^status 200$/m, 56],
  [/fault=slow-head,rate=20' # the header section/, /^hello/, 0],
  [/\/fault\/slow-head\?rate=200'$/, /^status 200$/m, 0],
  [/"damage": "checksum"/, /incorrect data check/, 61],
  [/\/fault\/goaway\?last=max'$/, /^status 200$/m, 0],
  [/\/fault\/(?:chunk\?how=http-1\.0|request-trailers)/, /^status 200$/m, 0],
  [/\/fault\/no-read/, /^\d+\.\d+ s\n$/m, 0],
  [/hi' \| curl --data-binary @- localhost:8080\/raw$/, /^hicurl: .* 3 bytes/, 18],
  [/with=reset' *# RST (?:before the first byte$|once)/, /^status 000$/m, 55, 56],
  [/with=rst-stream&at=headers' # after HEADERS$/, /^status 200$/m, 92],
  // Of gRPC: 64 and the status.
  // The report is that of a tunnel, so that it has lost what is recorded of the proxy.
  [/ check diff docs\/proxies\//, /not-applicable .*, lost$/m, 1],
  [/"code": 8\b[^]* wirebin\.v1\.Wirebin\/Respond$/, /Code: ResourceExhausted/, 72],
  [/"code": 14\b.* wirebin\.v1\.Wirebin\/Respond$/, /Code: Unavailable/, 78],
  [/"fault": "missing-trailers"/, /without sending trailers/, 77],
  [/'wirebin-fault: missing-trailers'/, /without sending trailers/, 77],
  [/'wirebin-fault: rst_after_header'/, /RST_STREAM/, 77],
  // 3: on a busy machine its results are invalid.
  [/^wirebin bench /, /^Load: /m, 0, 1, 3],
];
