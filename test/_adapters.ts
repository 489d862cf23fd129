import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { anything } from '../src/endpoints/anything.ts';
import { healthz } from '../src/endpoints/healthz.ts';
import { Dispatch, type DispatchOptions } from '../src/server/dispatch.ts';
import { endpoint, type Endpoint } from '../src/server/endpoint.ts';
import type { Exchange } from '../src/server/exchange.ts';
import type { Limits } from '../src/server/limits.ts';
import type { DrainState } from '../src/server/rehearsal.ts';
import { limitsOf } from '../src/service/limits.ts';
import { readOptions } from '../src/settings/read-options.ts';
import { Inspection } from '../src/inspect/inspection.ts';
import { combineObservers, type ExchangeObserver } from '../src/server/observer.ts';
import type { Request } from '../src/server/request.ts';
import { int } from '../src/server/params.ts';
import { pullSource, repeatable } from '../src/server/payload.ts';
import { reply, text, type Reply } from '../src/server/reply.ts';
import type { H2Engine } from '../src/settings/settings.ts';
import { Problem } from '../src/http/problem.ts';
import { Http1Adapter } from '../src/protocols/http1/server.ts';
import { EngineAdapter } from '../src/protocols/http2-engine/server.ts';
import { Http2Adapter } from '../src/protocols/http2/server.ts';
import { makeCredentials } from '../src/net/certificates.ts';
import { Listener, type ListenerOptions } from '../src/net/listener.ts';
import type { RejectedMessage } from '../src/net/rejected-message.ts';
import { TlsServer, type Credentials, type TlsOptions } from '../src/net/tls-server.ts';
import { plainDialects } from './_dialects.ts';
import { closedAfterFile } from './_opened.ts';
import { H2_ENGINE } from './_engine.ts';
import { INSPECTED } from './_inspected.ts';

/** A request to /hold that waits for its response. */
export interface Held {
  readonly request: Request;
  respond(): void;
}

/** Listener, TLS and both protocols, connected as in the service but accessible to the test. */
export interface Adapters {
  readonly port: number;
  readonly listener: Listener;
  readonly tls: TlsServer;
  readonly http1: Http1Adapter;
  readonly http2: Http2Adapter | EngineAdapter;
  readonly drainState: DrainState;
  /** Requests to /hold, in order of arrival. */
  readonly held: Held[];
  /** The status of each request, in the order of the responses; undefined without a response. */
  readonly outcomes: (number | undefined)[];
  readonly defects: unknown[];
  readonly refused: Problem[];
  /** The messages that they were responses to. */
  readonly messages: RejectedMessage[];
  close(): void;
}

/** The limits of the adapters, the listener and dispatch that a test sets. */
export type GivenLimits = Partial<
  Limits &
    Pick<ListenerOptions, 'maxConnections'> &
    Pick<TlsOptions, 'maxHandshakes'> &
    Pick<DispatchOptions, 'maxBodySize' | 'maxContentMemory' | 'maxOpenRequests'>
>;

/** Made once for all adapters of a process: nothing else of them takes as long. */
let credentials: Promise<Credentials> | undefined;

/**
 * They are closed after the tests of the file.
 *
 * @param limits in milliseconds and bytes
 * @param more further endpoints
 * @param observers further observers
 * @param engine what serves HTTP/2
 */
export async function startAdapters(
  limits: GivenLimits = {},
  more: readonly Endpoint[] = [],
  observers: readonly ExchangeObserver[] = [],
  engine: H2Engine = H2_ENGINE,
): Promise<Adapters> {
  const held: Held[] = [];
  const outcomes: (number | undefined)[] = [];
  const defects: unknown[] = [];
  const refused: Problem[] = [];
  const messages: RejectedMessage[] = [];
  const recorder: ExchangeObserver = {
    responded: (_, status) => outcomes.push(status),
    internalError: (error) => defects.push(error),
    acceptFailed: (error) => defects.push(error),
    rejected(_, error, message = {}) {
      if (!(error instanceof Problem)) return;
      refused.push(error);
      messages.push(message);
    },
  };
  const inspection = INSPECTED
    ? new Inspection({
        memory: 64e6,
        connectionMemory: 1e6,
        limits: { headerSize: 32 * 1024, fields: 2000 },
        onNotInspected: () => undefined,
        onError: (error) => defects.push(error),
        capture: undefined,
      })
    : undefined;
  const drainState = { isDraining: false };
  const observer = combineObservers([inspection, recorder, ...observers]);
  const settings = readOptions({}, {});
  const common = { connFields: false, lean: false, observer, drainState };
  const handling = new Dispatch({
    ...settings,
    ...common,
    maxBodySize: 1024,
    maxContentMemory: 1024,
    ...limits,
    chaos: undefined,
    dialects: plainDialects([...anything, healthz, hold(held), zeros, ...more]),
  });
  const options = {
    ...limitsOf(settings),
    ...common,
    requestTimeout: 10_000,
    idleTimeout: 10_000,
    stallTimeout: 10_000,
    answerTimeout: 60_000,
    silence: 2000,
    sweepInterval: 20,
    maxConnections: Infinity,
    ...limits,
    dispatch: (exchange: Exchange) => handling.run(exchange),
  };
  credentials ??= makeCredentials(Date.now());
  const http1 = new Http1Adapter(options);
  const http2 = engine === 'wirebin' ? new EngineAdapter(options) : new Http2Adapter(options);
  const tls = new TlsServer(
    { h2: http2, h1: http1 },
    {
      ...(await credentials),
      headerTimeout: options.headerTimeout,
      ...(limits.maxHandshakes !== undefined && { maxHandshakes: limits.maxHandshakes }),
      onSecret: inspection && ((line, connection) => inspection.secret(line, connection)),
      observer,
    },
  );
  const listener = new Listener({ tls, h2: http2, h1: http1 }, options);
  const { port }: AddressInfo = await listener.listen(0, '127.0.0.1');
  const close = (): void => {
    http1.close();
    http2.close();
    listener.destroy();
  };
  return closedAfterFile({
    port,
    listener,
    tls,
    http1,
    http2,
    drainState,
    held,
    outcomes,
    defects,
    refused,
    messages,
    close,
  });
}

function hold(held: Held[]): Endpoint {
  return endpoint({
    id: 'hold',
    methods: 'any',
    path: '/hold',
    group: 'timing',
    summary: 'Responds when the test says so; does not read content.',
    params: {},
    responses: {},
    handle: ({ request }) =>
      new Promise<Reply>((resolve) => {
        held.push({ request, respond: () => resolve(text(`held ${held.length}`)) });
      }),
  });
}

const zeros = endpoint({
  id: 'zeros',
  methods: ['GET', 'POST'],
  path: '/zeros/{n}',
  group: 'content',
  summary: 'n bytes, made as the client takes them.',
  params: { n: int({ min: 0, max: 2 ** 31 }) },
  responses: {},
  handle: ({ params }) =>
    reply(
      'application/octet-stream',
      repeatable(() => pullSource(params.n, (size) => new Uint8Array(size))),
    ),
});

/** Milliseconds for what takes none on a machine that does nothing else. */
export const PATIENCE = 50_000;

/** Waits until the condition holds. @throws after `limit` milliseconds */
export async function until(
  condition: () => boolean,
  what = condition.toString(),
  limit = PATIENCE,
): Promise<void> {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/**
 * Waits until a number of this process no longer changes: client and service share its event loop, so what
 * they can do without another they have done after some turns.
 */
export async function unchanged(value: () => number): Promise<number> {
  let last = value();
  for (let turns = 0; turns < 30; turns++) {
    // The system may take a moment from one socket to the other.
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    if (value() === last) continue;
    last = value();
    turns = 0;
  }
  return last;
}

/** Starts adapters for a group of tests, and checks at the end that there was no internal error. */
export function sharedAdapters(
  limits: GivenLimits = {},
  more: readonly Endpoint[] = [],
): () => Adapters {
  let adapters: Adapters;
  beforeAll(async () => {
    adapters = await startAdapters(limits, more);
  });
  afterAll(() => {
    adapters.close();
    expect(adapters.defects).toEqual([]);
  });
  return () => adapters;
}

/** Waits until no connection has an open request. */
export async function settled({ listener }: Adapters): Promise<void> {
  await until(() => [...listener.connections].every(({ requests }) => requests.open === 0));
}
