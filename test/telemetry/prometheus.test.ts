import { expect, test } from 'vitest';
import { TERMINATION_REASONS } from '../../src/net/close-reason.ts';
import { PROXY_HEADER_ERRORS } from '../../src/wire/proxy-protocol/header.ts';
import { addDuration, noDurations } from '../../src/telemetry/durations.ts';
import { openMetricsText, prometheusText } from '../../src/telemetry/prometheus.ts';
import { emptyMetrics, emptyStatistics } from '../../src/telemetry/statistics.ts';
import { VERSION } from '../../src/version.ts';

function durationsOf(...seconds: number[]) {
  const durations = noDurations();
  for (const each of seconds) addDuration(durations, each);
  return durations;
}

const view = {
  all_time: {
    ...emptyStatistics(),
    endpoint_hits: { '/bytes/:n': 11, '/a"b\\c\nd': 1 },
    proxy_faults: { 'v1-port': 3 },
    faults: { reset: 3 },
    chaos: { status: 4 },
    terminations: { stalled: 2 },
    connections: { h2: 7, none: 1 },
    handshakes: { failed: 2, resumed: 3 },
    groups: { x448: 1, x25519: 2 },
    transports: {
      h2: { statuses: { '2xx': 8, none: 1 }, durations: durationsOf(0.0004, 0.4, 70) },
      'http/1.1': { statuses: { '4xx': 3 }, durations: durationsOf() },
    },
  },
  last_hour: emptyStatistics(),
  sample: {
    open: { h2: { connections: 2, requests: 5 }, none: { connections: 1, requests: 0 } },
    loop: {
      active_seconds: 1.5,
      idle_seconds: 98.5,
      waiting_seconds: 0.25,
      delays: durationsOf(0.001, 0.002),
    },
    process: { cpu_seconds: 1.25, resident_bytes: 4096, open_fds: 20, start_seconds: 1700000000.5 },
  },
};

/** The lines of a family, without HELP. */
function family(text: string, name: string): string[] {
  const [, after = ''] = text.split(`# TYPE ${name} `);
  return `# TYPE ${name} ${after.split('\n# ')[0] ?? ''}`.trimEnd().split('\n');
}

test.each([
  [
    'wirebin_http_endpoint_requests_total',
    'counter',
    [String.raw`{endpoint="/a\"b\\c\nd"} 1`, '{endpoint="/bytes/:n"} 11'],
  ],
  [
    'wirebin_connections_total',
    'counter',
    [
      '{transport="h2"} 7',
      '{transport="h2c"} 0',
      '{transport="http/1.1"} 0',
      '{transport="https/1.1"} 0',
      '{transport="none"} 1',
    ],
  ],
  [
    'wirebin_tls_handshakes_total',
    'counter',
    ['{result="failed"} 2', '{result="full"} 0', '{result="resumed"} 3'],
  ],
  [
    'wirebin_tls_groups_total',
    'counter',
    [
      '{group="X25519MLKEM768"} 0',
      '{group="none"} 0',
      '{group="secp256r1"} 0',
      '{group="secp384r1"} 0',
      '{group="x25519"} 2',
      '{group="x448"} 1',
    ],
  ],
  [
    'wirebin_open_connections',
    'gauge',
    [
      '{transport="h2"} 2',
      '{transport="h2c"} 0',
      '{transport="http/1.1"} 0',
      '{transport="https/1.1"} 0',
      '{transport="none"} 1',
    ],
  ],
  [
    'wirebin_open_requests',
    'gauge',
    [
      '{transport="h2"} 5',
      '{transport="h2c"} 0',
      '{transport="http/1.1"} 0',
      '{transport="https/1.1"} 0',
      '{transport="none"} 0',
    ],
  ],
  ['wirebin_faults_total', 'counter', ['{kind="reset"} 3']],
  ['wirebin_chaos_total', 'counter', ['{kind="status"} 4']],
  ['wirebin_event_loop_seconds_total', 'counter', ['{state="active"} 1.5', '{state="idle"} 98.5']],
  ['process_cpu_seconds_total', 'counter', [' 1.25']],
  ['process_resident_memory_bytes', 'gauge', [' 4096']],
  ['wirebin_event_loop_wait_seconds_total', 'counter', [' 0.25']],
  ['process_open_fds', 'gauge', [' 20']],
  ['process_start_time_seconds', 'gauge', [' 1700000000.5']],
  ['wirebin_build_info', 'gauge', [`{version="${VERSION}",node="${process.versions.node}"} 1`]],
])('%s is a %s', (name, type, values) => {
  expect(family(prometheusText(view), name)).toEqual([
    `# TYPE ${name} ${type}`,
    ...values.map((value) => `${name}${value}`),
  ]);
});

test.each([
  [
    'wirebin_http_requests_total',
    ['h2', 'h2c', 'http/1.1', 'https/1.1'].flatMap((transport) =>
      ['2xx', '3xx', '4xx', '5xx', 'none'].map(
        (name) => `{transport="${transport}",status_class="${name}"}`,
      ),
    ),
    ['{transport="h2",status_class="2xx"} 8', '{transport="http/1.1",status_class="4xx"} 3'],
  ],
  [
    'wirebin_terminations_total',
    TERMINATION_REASONS.map((reason) => `{reason="${reason}"}`),
    ['{reason="stalled"} 2'],
  ],
  [
    'wirebin_proxy_protocol_faults_total',
    PROXY_HEADER_ERRORS.map((reason) => `{reason="${reason}"}`),
    ['{reason="v1-port"} 3'],
  ],
])('%s has all its label values from the start', (name, labels, counted) => {
  const [type, ...none] = family(prometheusText(emptyMetrics()), name);
  expect(type).toBe(`# TYPE ${name} counter`);
  expect(none.toSorted()).toEqual(labels.map((label) => `${name}${label} 0`).toSorted());
  const [, ...some] = family(prometheusText(view), name);
  expect(some).toHaveLength(labels.length);
  expect(some).toEqual(expect.arrayContaining(counted.map((sample) => `${name}${sample}`)));
});

test('a histogram has cumulative buckets, their sum and count', () => {
  const name = 'wirebin_http_request_duration_seconds';
  const lines = family(prometheusText(view), name);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="0.0005"} 1`);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="0.25"} 1`);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="0.5"} 2`);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="1.0"} 2`);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="60.0"} 2`);
  expect(lines).toContain(`${name}_bucket{transport="h2",le="+Inf"} 3`);
  expect(lines).toContain(`${name}_sum{transport="h2"} 70.4004`);
  expect(lines).toContain(`${name}_count{transport="h2"} 3`);
  expect(lines).toContain(`${name}_count{transport="http/1.1"} 0`);
});

test('OpenMetrics 1.0: names of counter families have no _total, and the text ends with EOF', () => {
  const text = openMetricsText(view);
  expect(text).toContain(`\
# TYPE wirebin_faults counter
wirebin_faults_total{kind="reset"} 3
`);
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  expect(new Set(families).size).toBe(families.length);
  for (const [, sample = ''] of text.matchAll(/^(\w+)/gm)) {
    expect(families).toContain(sample.replace(/_(?:total|bucket|sum|count)$/, ''));
  }
});

function samples(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('#'));
}

test('both formats have the same samples', () => {
  expect(samples(openMetricsText(view))).toEqual(samples(prometheusText(view)));
});

test('no file descriptors where the system does not list them', () => {
  const { sample, ...rest } = emptyMetrics();
  const process = { ...sample.process, open_fds: null };
  const text = prometheusText({ ...rest, sample: { ...sample, process } });
  expect(family(text, 'process_open_fds')).toEqual(['# TYPE process_open_fds gauge']);
});
