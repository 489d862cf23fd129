import { expect, test } from 'vitest';
import { openMetricsText, prometheusText } from '../../src/telemetry/prometheus.ts';

const view = {
  all_time: {
    total_requests: 12,
    successes: 8,
    failures: 3,
    endpoint_hits: { '/bytes/:n': 11, '/a"b\\c\nd': 1 },
    proxy_faults: { 'v1-port': 3 },
    faults: { reset: 3 },
    chaos: { status: 4 },
    terminations: { stalled: 2 },
  },
  last_hour: {
    total_requests: 2,
    successes: 2,
    failures: 0,
    endpoint_hits: {},
    proxy_faults: {},
    faults: {},
    chaos: {},
    terminations: {},
  },
};

test('the text format 0.0.4', () => {
  expect(prometheusText(view)).toBe(`\
# HELP wirebin_requests_total Requests since the start.
# TYPE wirebin_requests_total counter
wirebin_requests_total 12
# HELP wirebin_successes_total Responses with status 2xx since the start.
# TYPE wirebin_successes_total counter
wirebin_successes_total 8
# HELP wirebin_failures_total Responses with status 400 and above since the start.
# TYPE wirebin_failures_total counter
wirebin_failures_total 3
# HELP wirebin_endpoint_hits_total Requests by path pattern since the start.
# TYPE wirebin_endpoint_hits_total counter
wirebin_endpoint_hits_total{endpoint="/bytes/:n"} 11
wirebin_endpoint_hits_total{endpoint="/a\\"b\\\\c\\nd"} 1
# HELP wirebin_faults_total Faults that requests asked for since the start.
# TYPE wirebin_faults_total counter
wirebin_faults_total{kind="reset"} 3
# HELP wirebin_chaos_total Requests disturbed by --chaos since the start.
# TYPE wirebin_chaos_total counter
wirebin_chaos_total{kind="status"} 4
# HELP wirebin_proxy_protocol_faults_total Connections closed because of their PROXY header since the start.
# TYPE wirebin_proxy_protocol_faults_total counter
wirebin_proxy_protocol_faults_total{reason="v1-port"} 3
# HELP wirebin_cuts_total Connections and streams terminated since the start.
# TYPE wirebin_cuts_total counter
wirebin_cuts_total{reason="stalled"} 2
# HELP wirebin_last_hour_requests Requests in the last 60 minutes.
# TYPE wirebin_last_hour_requests gauge
wirebin_last_hour_requests 2
# HELP wirebin_last_hour_successes Responses with status 2xx in the last 60 minutes.
# TYPE wirebin_last_hour_successes gauge
wirebin_last_hour_successes 2
# HELP wirebin_last_hour_failures Responses with status 400 and above in the last 60 minutes.
# TYPE wirebin_last_hour_failures gauge
wirebin_last_hour_failures 0
# HELP wirebin_last_hour_endpoint_hits Requests by path pattern in the last 60 minutes.
# TYPE wirebin_last_hour_endpoint_hits gauge
# HELP wirebin_last_hour_faults Faults that requests asked for in the last 60 minutes.
# TYPE wirebin_last_hour_faults gauge
# HELP wirebin_last_hour_chaos Requests disturbed by --chaos in the last 60 minutes.
# TYPE wirebin_last_hour_chaos gauge
# HELP wirebin_last_hour_proxy_protocol_faults Connections closed because of their PROXY header in the last 60 minutes.
# TYPE wirebin_last_hour_proxy_protocol_faults gauge
# HELP wirebin_last_hour_cuts Connections and streams terminated in the last 60 minutes.
# TYPE wirebin_last_hour_cuts gauge
`);
});

test('OpenMetrics 1.0: family names have no _total, and the text ends with EOF', () => {
  const text = openMetricsText(view);
  expect(text).toContain(`\
# HELP wirebin_requests Requests since the start.
# TYPE wirebin_requests counter
wirebin_requests_total 12
`);
  expect(text.endsWith('# TYPE wirebin_last_hour_cuts gauge\n# EOF\n')).toBe(true);
  const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  expect(new Set(families).size).toBe(families.length);
  for (const [, sample] of text.matchAll(/^(wirebin\w+)/gm)) {
    expect(families.some((name) => sample === name || sample === `${name}_total`)).toBe(true);
  }
});

function samples(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('#'));
}

test('both formats have the same samples', () => {
  expect(samples(openMetricsText(view))).toEqual(samples(prometheusText(view)));
});
