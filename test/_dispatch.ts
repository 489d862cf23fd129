import { expect } from 'vitest';
import { Dispatch, type DispatchOptions } from '../src/server/dispatch.ts';
import { endpoint, type Endpoint } from '../src/server/endpoint.ts';
import { int } from '../src/server/params.ts';
import { text, type Reply } from '../src/server/reply.ts';
import { plainDialects } from './_dialects.ts';
import type { FakeExchange, Sent } from './_exchange.ts';

const rest = { group: 'content', summary: '', responses: {} } as const;
const any = { ...rest, methods: 'any', params: {} } as const;

/** An endpoint with a handler of the test. */
export function respondingWith(handle: () => Reply | Promise<Reply>): Endpoint {
  return endpoint({ ...any, id: 'given', path: '/given', handle });
}

const endpoints = [
  endpoint({
    ...rest,
    id: 'number',
    methods: ['GET', 'DELETE'],
    path: '/number/{n}',
    params: { n: int({ min: 0, max: 9 }) },
    handle: ({ params: { n } }) => text(`it is ${n}`),
  }),
  endpoint({
    ...any,
    id: 'content',
    path: '/content',
    content: true,
    handle: ({ content }) => text(`got ${content.toString()}`),
  }),
];

interface Ended {
  readonly sent: Sent | undefined;
  readonly observed: [endpoint: string | undefined, status: number | undefined][];
  readonly internalErrors: unknown[];
}

/** Options with endpoints of the test and small limits. */
export function dispatchOptions(more: readonly Endpoint[]): DispatchOptions {
  return {
    dialects: plainDialects([...endpoints, ...more]),
    maxBodySize: 10,
    maxOpenRequests: 10,
    maxContentMemory: 1024,
    maxTargetSize: 100,
    maxHeaderSize: 1000,
    maxFields: 10,
    connFields: false,
    lean: false,
    allowOrigin: [],
    allowedHosts: [],
    serverTiming: false,
    drainState: { isDraining: false },
    observer: {},
  };
}

/** Runs a request to its end. Expects at most one response and exactly one observation. */
export async function run(
  exchange: FakeExchange,
  more: readonly Endpoint[] = [],
  limits: Partial<Pick<DispatchOptions, 'maxBodySize' | 'maxContentMemory' | 'chaos'>> = {},
): Promise<Ended> {
  const observed: Ended['observed'] = [];
  const internalErrors: unknown[] = [];
  await new Promise<void>((resolve) => {
    new Dispatch({
      ...dispatchOptions(more),
      ...limits,
      observer: {
        responded({ endpoint: found }, status) {
          observed.push([found?.id, status]);
          resolve();
        },
        internalError: (error) => internalErrors.push(error),
      },
    }).run(exchange);
  });
  await new Promise(setImmediate);
  expect(observed).toHaveLength(1);
  expect(exchange.sent.length).toBeLessThanOrEqual(1);
  return { sent: exchange.sent[0], observed, internalErrors };
}
