import { versions } from 'node:process';
import { TERMINATION_REASONS } from '../net/close-reason.ts';
import { PROTOCOLS } from '../net/connection.ts';
import { PROXY_HEADER_ERRORS } from '../wire/proxy-protocol/header.ts';
import { VERSION } from '../version.ts';
import { BOUNDS, MICROSECONDS, type Durations } from './durations.ts';
import type { Sample } from './sample.ts';
import type { MetricsView, Statistics } from './statistics.ts';

/** Labels of a sample, by name. */
export type Labels = Readonly<Record<string, string>>;

/** A metric family. */
export interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Metric name without the `_total` suffix of counters. */
  readonly name: string;
  readonly help: string;
  /** Sample name: that of the family, then `suffix`. */
  readonly samples: readonly {
    readonly suffix: '' | '_total' | '_bucket' | '_sum' | '_count';
    readonly labels: Labels;
    readonly value: number;
  }[];
}

type Counts = Readonly<Record<string, number>>;
type Values = readonly (readonly [labels: Labels, value: number])[];

/** A record with the same value for each name. */
function sameForEach<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

// Label values that exist from the start: Prometheus sees an increase only from the second value of a series.
const TRANSPORTS = [...PROTOCOLS, 'none'];
const NO_STATUSES = sameForEach(['2xx', '3xx', '4xx', '5xx', 'none'], 0);
const NO_CONNECTIONS = sameForEach(TRANSPORTS, 0);
const NO_HANDSHAKES = sameForEach(['full', 'resumed', 'failed'], 0);
// Those that clients prefer. OpenSSL has some 30 others, which appear with their first handshake.
const NO_GROUPS = sameForEach(['X25519MLKEM768', 'x25519', 'secp256r1', 'secp384r1', 'none'], 0);
const NO_PROXY_FAULTS = sameForEach(PROXY_HEADER_ERRORS, 0);
const NO_TERMINATIONS = sameForEach(TERMINATION_REASONS, 0);
const NONE_OPEN = sameForEach(TRANSPORTS, { connections: 0, requests: 0 });

/** Names of metrics that `wirebin bench` reads. */
export const LOOP_SECONDS = 'wirebin_event_loop_seconds';
export const LOOP_WAIT_SECONDS = 'wirebin_event_loop_wait_seconds';
export const REQUESTS = 'wirebin_http_requests';
export const CONNECTIONS = 'wirebin_connections';
export const OPEN_CONNECTIONS = 'wirebin_open_connections';

/** All metric families. Names follow Prometheus's conventions: base units, and `_total` for counters. */
export function familiesOf({ all_time: counted, sample }: MetricsView): Family[] {
  return [
    gauge('wirebin_build_info', 'Version of wirebin and of Node; always 1.', [
      [{ version: VERSION, node: versions.node }, 1],
    ]),
    ...requestFamilies(counted),
    ...connectionFamilies(counted),
    ...openFamilies(sample),
    counter('wirebin_faults', 'Faults that requests asked for.', labelled('kind', counted.faults)),
    counter('wirebin_chaos', 'Requests disturbed by --chaos.', labelled('kind', counted.chaos)),
    counter('wirebin_grpc_calls', 'Calls of gRPC by status.', labelled('status', counted.grpc)),
    counter(
      'wirebin_proxy_protocol_faults',
      'Connections closed because of their PROXY header.',
      labelled('reason', { ...NO_PROXY_FAULTS, ...counted.proxy_faults }),
    ),
    counter(
      'wirebin_terminations',
      'Connections, streams and requests that wirebin terminated or refused.',
      labelled('reason', { ...NO_TERMINATIONS, ...counted.terminations }),
    ),
    counter(
      'wirebin_unhandled_rejections',
      'Promises rejected without a handler, each because of a defect in wirebin.',
      [[{}, counted.unhandled_rejections]],
    ),
    ...processFamilies(sample),
  ];
}

function requestFamilies({ transports, endpoint_hits }: Statistics): Family[] {
  const all = sorted(transports);
  return [
    counter(
      REQUESTS,
      'Requests by transport and class of status; `none` without a response.',
      sorted({ ...sameForEach(PROTOCOLS, undefined), ...transports }).flatMap(
        ([transport, tally]) =>
          sorted({ ...NO_STATUSES, ...tally?.statuses }).map(([status_class, count]) => [
            { transport, status_class },
            count,
          ]),
      ),
    ),
    counter(
      'wirebin_http_endpoint_requests',
      'Requests by path pattern; `/other` without an endpoint.',
      labelled('endpoint', endpoint_hits),
    ),
    histogram(
      'wirebin_http_request_duration_seconds',
      'Time from the end of the header section of a request to the end of its response.',
      all.map(([transport, { durations }]) => [{ transport }, durations]),
    ),
  ];
}

function connectionFamilies({ connections, handshakes, groups }: Statistics): Family[] {
  return [
    counter(
      CONNECTIONS,
      'Accepted connections; `none` if they closed before their transport was known.',
      labelled('transport', { ...NO_CONNECTIONS, ...connections }),
    ),
    counter(
      'wirebin_tls_handshakes',
      'TLS handshakes; those that clients abort have failed.',
      labelled('result', { ...NO_HANDSHAKES, ...handshakes }),
    ),
    counter(
      'wirebin_tls_groups',
      'Complete TLS handshakes by the group of the key exchange; `none` without one.',
      labelled('group', { ...NO_GROUPS, ...groups }),
    ),
  ];
}

function openFamilies({ open }: Sample): Family[] {
  // Values of 0 are included: if the series just ended, its last value would remain visible.
  const all = sorted({ ...NONE_OPEN, ...open });
  return [
    gauge(
      OPEN_CONNECTIONS,
      'Connections that are open; `none` until their transport is known.',
      all.map(([transport, { connections }]) => [{ transport }, connections]),
    ),
    gauge(
      'wirebin_open_requests',
      'Requests in flight.',
      all.map(([transport, { requests }]) => [{ transport }, requests]),
    ),
  ];
}

function processFamilies({ loop, process }: Sample): Family[] {
  return [
    counter(LOOP_SECONDS, 'Time that event loops were active and idle.', [
      [{ state: 'active' }, loop.active_seconds],
      [{ state: 'idle' }, loop.idle_seconds],
    ]),
    histogram(
      'wirebin_event_loop_delay_seconds',
      'Time that a timer, ten times per second, waited for its event loop.',
      [[{}, loop.delays]],
    ),
    counter(LOOP_WAIT_SECONDS, 'Time that other processes kept event loops from running.', [
      [{}, loop.waiting_seconds],
    ]),
    counter('process_cpu_seconds', 'User and system CPU time.', [[{}, process.cpu_seconds]]),
    gauge('process_resident_memory_bytes', 'Resident memory.', [[{}, process.resident_bytes]]),
    gauge(
      'process_open_fds',
      'Open file descriptors.',
      process.open_fds === null ? [] : [[{}, process.open_fds]],
    ),
    gauge('process_start_time_seconds', 'Start of the process, since the epoch.', [
      [{}, process.start_seconds],
    ]),
  ];
}

function labelled(label: string, counts: Counts): Values {
  return sorted(counts).map(([value, count]) => [{ [label]: value }, count]);
}

/** Sorted by name, so that the order does not depend on which name came first. */
function sorted<T>(values: Readonly<Record<string, T>>): [name: string, value: T][] {
  return Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function counter(name: string, help: string, values: Values): Family {
  const samples = values.map(([labels, value]) => ({ suffix: '_total', labels, value }) as const);
  return { type: 'counter', name, help, samples };
}

function gauge(name: string, help: string, values: Values): Family {
  const samples = values.map(([labels, value]) => ({ suffix: '', labels, value }) as const);
  return { type: 'gauge', name, help, samples };
}

type Histogram = Pick<Durations, 'sum_us'> & { readonly counts: readonly number[] };

/** The bounds as text with a decimal point, as OpenMetrics requires: `1.0`. */
const BOUND_TEXTS = BOUNDS.map((bound) =>
  Number.isInteger(bound) ? bound.toFixed(1) : String(bound),
);

/** A histogram family. Its buckets are cumulative, up to `+Inf`. */
function histogram(
  name: string,
  help: string,
  all: readonly (readonly [labels: Labels, durations: Histogram])[],
): Family {
  const samples = all.flatMap(([labels, { counts, sum_us }]): Family['samples'] => {
    let value = 0;
    const buckets = counts.map((count, at) => {
      value += count;
      return {
        suffix: '_bucket',
        labels: { ...labels, le: BOUND_TEXTS[at] ?? '+Inf' },
        value,
      } as const;
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: sum_us / MICROSECONDS },
      { suffix: '_count', labels, value },
    ];
  });
  return { type: 'histogram', name, help, samples };
}
