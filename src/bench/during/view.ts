import { toMicrosecond } from '../../server/timing.ts';
import type { Scenario } from '../scenarios.ts';
import { requestText } from '../scenarios.ts';
import type { Protocol } from '../protocol.ts';
import type { Account } from './ledger.ts';
import type { DuringView, PhaseView } from './schema.ts';
import type { Ran } from './shell.ts';
import type { Bucket, Phase, Timeline } from './timeline.ts';

/** What was measured while a command ran. */
export interface Measured {
  readonly scenario: Scenario;
  readonly protocol: Protocol;
  readonly command: string;
  readonly ran: Ran;
  /** How late requests were sent, in milliseconds: the 99th percentile. */
  readonly lagP99: number;
  /** In requests per second. */
  readonly rate: number;
  readonly timeline: Timeline;
  /** How many requests failed without having been sent. */
  readonly notSent: number;
  /** Undefined if the journal of the origin cannot be read. */
  readonly account: Account | undefined;
  readonly notes: readonly string[];
}

export function duringView(measured: Measured): DuringView {
  const { scenario, protocol, command, ran, lagP99, rate, timeline, account } = measured;
  const { before, during, after } = timeline.phases();
  const { width, buckets } = timeline.buckets();
  const all = timeline.all;
  return {
    scenario: scenario.id,
    protocol,
    request: requestText(scenario),
    command: {
      text: command,
      exit_code: ran.exitCode,
      duration_ms: toMicrosecond(ran.end - ran.begin),
    },
    rate,
    load_lag_ms: toMicrosecond(lagP99),
    requests: all.requests,
    errors: all.errors,
    not_sent: measured.notSent,
    journal: account ? journalView(account) : null,
    before: phaseView(before),
    during: phaseView(during),
    after: phaseView(after),
    bucket_ms: width,
    buckets: buckets.map(bucketView),
    note: measured.notes.join(' '),
  };
}

const journalView = (account: Account): DuringView['journal'] => ({
  lost: account.lost,
  responses_lost: account.responsesLost,
  answered_elsewhere: account.answeredElsewhere,
  repeated: account.repeated,
  unknown: account.unknown,
});

function phaseView({ requests, errors, percentiles }: Phase): PhaseView {
  return {
    requests,
    errors,
    latency_ms: percentiles
      ? {
          p50: toMicrosecond(percentiles.p50),
          p90: toMicrosecond(percentiles.p90),
          p99: toMicrosecond(percentiles.p99),
          p99_9: toMicrosecond(percentiles.p99_9),
          max: toMicrosecond(percentiles.max),
        }
      : null,
  };
}

function bucketView({ at, requests, errors, latency }: Bucket): DuringView['buckets'][number] {
  return {
    at_ms: Math.round(at),
    requests,
    errors,
    p50_ms: latency ? toMicrosecond(latency.p50) : null,
    p99_ms: latency ? toMicrosecond(latency.p99) : null,
    max_ms: latency ? toMicrosecond(latency.max) : null,
  };
}
