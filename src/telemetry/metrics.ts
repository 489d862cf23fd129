import { Problem } from '../http/problem.ts';
import { transportOf, type Connection } from '../net/connection.ts';
import { negotiatedGroupName } from '../net/tls-key-exchange.ts';
import type { Chaos } from '../server/chaos.ts';
import type { Endpoint } from '../server/endpoint.ts';
import type { Exchange } from '../server/exchange.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import { nameOf } from '../wire/grpc/status.ts';
import { InvalidProxyHeader } from '../wire/proxy-protocol/header.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import { addDuration, addNumbers } from './durations.ts';
import type { History } from './history-schema.ts';
import { minuteView } from './history.ts';
import {
  emptyStatistics,
  transportTally,
  type Periods,
  type Statistics,
  type Tally,
} from './statistics.ts';

/** Key of all requests without an endpoint, so that clients cannot create arbitrary keys. */
const OTHER = '/other';
const SECOND = 1000;
const MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
/** Status classes by first digit. Requests without a response are counted under index 0. */
const CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'] as const;

/** Converts a path pattern to its metrics key: `/bytes/{n}` becomes `/bytes/:n`. */
export function metricsKey(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * Metrics since the start, and for the last 60 minutes. There is a bucket for each minute of a monotonic clock (the
 * wall clock can jump). A request is counted in the current bucket only; expired buckets are added to `#past`.
 */
export class Metrics implements ExchangeObserver {
  readonly #now: () => number;
  readonly #chaos: Chaos | undefined;
  readonly #past = emptyStatistics();
  /** Buckets of the last hour, at most 60, oldest first. `minute` counts from the start of the clock. */
  #hour: { readonly minute: number; readonly tally: Tally }[] = [];
  #current = emptyStatistics();
  /** When the current minute ends, by the monotonic clock. */
  #minuteEnd = -Infinity;
  readonly #keys = new Map<Endpoint | undefined, string>();
  /** Open connections whose transport is not known yet, so that they are not counted. */
  readonly #undetected = new Set<Connection>();

  /**
   * @param chaos undefined without --chaos
   * @param now a monotonic clock, in milliseconds
   */
  constructor(chaos?: Chaos, now: () => number = () => performance.now()) {
    this.#chaos = chaos;
    this.#now = now;
  }

  opened(connection: Connection): void {
    this.#undetected.add(connection);
  }

  detected(connection: Connection): void {
    if (!this.#undetected.delete(connection)) return;
    addNumbers(this.#minute().connections, { [transportOf(connection)]: 1 });
  }

  closed(connection: Connection): void {
    this.detected(connection);
  }

  secured({ tls, keyExchange }: Connection): void {
    const minute = this.#minute();
    addNumbers(minute.handshakes, { [tls?.isResumed ? 'resumed' : 'full']: 1 });
    addNumbers(minute.groups, { [negotiatedGroupName(keyExchange) ?? 'none']: 1 });
  }

  handshakeFailed(): void {
    addNumbers(this.#minute().handshakes, { failed: 1 });
  }

  responded(exchange: Exchange, status: number | undefined): void {
    const { connection, endpoint, call } = exchange;
    this.count(transportOf(connection), endpoint, status, call !== undefined);
    const share = this.#chaos?.shareOf(exchange);
    if (share) {
      const { disturbance } = share;
      const kind = disturbance.kind === 'fault' ? disturbance.name : disturbance.kind;
      addNumbers(this.#minute().chaos, { [kind]: 1 });
    } else if (exchange.fault) addNumbers(this.#minute().faults, { [exchange.fault.kind]: 1 });
  }

  finished({ connection, receivedAt, call }: Exchange): void {
    const now = this.#now();
    const tally = this.#minuteAt(now);
    const { durations } = transportTally(tally, transportOf(connection));
    addDuration(durations, (now - receivedAt) / SECOND);
    if (!call) return;
    if (call.status === 0) tally.successes++;
    else tally.failures++;
    // Without a status, a fault has cut the response off.
    if (call.status === undefined) return;
    addNumbers(tally.grpc, { [nameOf(call.status) ?? 'UNKNOWN']: 1 });
  }

  /** Counts a rejected message that has a response, or a connection closed for its PROXY header. */
  rejected(connection: Connection, error: Error): void {
    if (error instanceof Problem) this.count(transportOf(connection), undefined, error.status);
    else if (error instanceof InvalidProxyHeader) {
      addNumbers(this.#minute().proxy_faults, { [error.fault]: 1 });
    }
  }

  terminated(reason: TerminationReason): void {
    addNumbers(this.#minute().terminations, { [reason]: 1 });
  }

  /** Counts a rejected promise without a handler. */
  unhandledRejection(): void {
    this.#minute().unhandled_rejections++;
  }

  /**
   * Counts a request.
   *
   * @param transport from `transportOf`
   * @param endpoint undefined if no endpoint matches, or the parser rejected the message
   * @param status undefined if the client disconnected before the response
   * @param isCall whether it succeeds or fails later, by a status of its own
   */
  count(
    transport: string,
    endpoint: Endpoint | undefined,
    status: number | undefined,
    isCall = false,
  ): void {
    const tally = this.#minute();
    const { endpoint_hits: hits } = tally;
    const key = this.#keys.get(endpoint) ?? this.#addKey(endpoint);
    tally.total_requests++;
    hits[key] = (hits[key] ?? 0) + 1;
    const { statuses } = transportTally(tally, transport);
    const name = CLASSES[Math.trunc((status ?? 0) / 100)] ?? 'none';
    statuses[name] = (statuses[name] ?? 0) + 1;
    if (status === undefined || isCall) return;
    if (status >= 400) tally.failures++;
    else if (status >= 200 && status < 300) tally.successes++;
  }

  /** Adds statistics of another process to the current minute. */
  add(statistics: Statistics): void {
    addNumbers(this.#minute(), statistics);
  }

  view(): Periods {
    this.#minute();
    const hour = emptyStatistics();
    for (const { tally } of this.#hour) addNumbers(hour, tally);
    const all = emptyStatistics();
    addNumbers(all, this.#past);
    addNumbers(all, hour);
    return { all_time: all, last_hour: hour };
  }

  /** The metrics of the last 60 minutes, including the current one. */
  history(): History {
    this.#minute();
    const timeOrigin = Date.now() - this.#now();
    return {
      minutes: this.#hour.map(({ minute, tally }) =>
        minuteView(timeOrigin + minute * MINUTE, tally),
      ),
    };
  }

  /** The bucket of the current minute. */
  #minute(): Tally {
    return this.#minuteAt(this.#now());
  }

  #minuteAt(now: number): Tally {
    if (now >= this.#minuteEnd) this.#advance(now);
    return this.#current;
  }

  /** Starts the bucket for `now`, and moves buckets older than an hour to `#past`. */
  #advance(now: number): void {
    const minute = Math.floor(now / MINUTE);
    const kept = this.#hour.findIndex((bucket) => bucket.minute > minute - MINUTES_PER_HOUR);
    const expired = this.#hour.splice(0, kept < 0 ? this.#hour.length : kept);
    for (const { tally } of expired) addNumbers(this.#past, tally);
    this.#current = emptyStatistics();
    this.#hour.push({ minute, tally: this.#current });
    this.#minuteEnd = (minute + 1) * MINUTE;
  }

  #addKey(endpoint: Endpoint | undefined): string {
    const key = endpoint ? metricsKey(endpoint.path) : OTHER;
    this.#keys.set(endpoint, key);
    return key;
  }
}
