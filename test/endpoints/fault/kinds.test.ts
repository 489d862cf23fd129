import { describe, expect, test } from 'vitest';
import { faultReplies } from '../../../src/endpoints/fault.ts';
import { faultKinds } from '../../../src/endpoints/fault/kinds.ts';
import type { QueryPairs } from '../../../src/http/query.ts';
import { FAULT_NAMES } from '../../../src/server/fault.ts';
import { payloadLength } from '../../../src/server/payload.ts';
import { FakeExchange } from '../../_exchange.ts';

const replies = faultReplies(300);
const POSTED = new FakeExchange('/', { incoming: process.stdin });

const replyTo = (name: (typeof FAULT_NAMES)[number], query?: QueryPairs, request = POSTED) =>
  Promise.resolve(replies(name, request, query));

test.each(FAULT_NAMES)('%s has defaults for all parameters', async (name) => {
  const { fault, status } = await replyTo(name);
  expect(fault?.kind).toBe(name);
  expect(status).toBe(200);
});

test.each(FAULT_NAMES)('%s has a curl command with its example', (name) => {
  const { curl, exampleQuery } = faultKinds(300)[name].endpoint;
  const query = exampleQuery === undefined ? '' : `?${exampleQuery}`;
  expect(curl).toMatch(/\bcurl -sS/);
  expect(curl).toContain(`localhost:8080/fault/${name}${query}'`);
});

describe('the parameters', () => {
  test.each<[name: (typeof FAULT_NAMES)[number], query: string, fault: object]>([
    ['close', 'at=end', { kind: 'close', at: 'end', after: 5120 }],
    ['reset', 'after=10%', { kind: 'reset', at: 'body', after: 1024 }],
    ['reset', 'for=0.5', { kind: 'reset', at: 'body', after: 5120, seconds: 0.5 }],
    ['stall', 'at=headers', { kind: 'stall', at: 'headers', after: 5120, seconds: 300 }],
    ['stall', 'for=250ms&after=1', { kind: 'stall', at: 'body', after: 1, seconds: 0.25 }],
    [
      'rst-stream',
      'code=cancel&at=start',
      { kind: 'rst-stream', at: 'start', after: 5120, code: 8 },
    ],
    [
      'rst-stream',
      'code=4294967295',
      { kind: 'rst-stream', at: 'body', after: 5120, code: 2 ** 32 - 1 },
    ],
    ['content-length', 'declared=1&sent=2', { kind: 'content-length', declared: 1, sent: 2 }],
    ['chunk', 'how=no-last', { kind: 'chunk', how: 'no-last' }],
    ['head', 'how=size&bytes=9', { kind: 'head', how: 'size', bytes: 9 }],
    ['head', 'how=count&fields=9', { kind: 'head', how: 'count', fields: 9 }],
    ['head', 'how=late-pseudo', { kind: 'head', how: 'late-pseudo' }],
    ['slow-head', '', { kind: 'slow-head', rate: 100, max: 300 }],
    ['slow-head', 'rate=1', { kind: 'slow-head', rate: 1, max: 300 }],
    ['garbage', 'length=7', { kind: 'garbage', length: 7, at: 'start', after: 0 }],
    ['garbage', 'seed=0', { kind: 'garbage', length: 10_240, seed: 0, at: 'start', after: 0 }],
    ['garbage', 'at=body', { kind: 'garbage', length: 10_240, at: 'body', after: 0 }],
    ['garbage', 'after=50%&content=8', { kind: 'garbage', length: 10_240, at: 'body', after: 4 }],
    ['garbage', 'frame=rst-idle', { kind: 'frame', how: 'rst-idle' }],
    ['garbage', 'frame=rst-idle&for=1', { kind: 'frame', how: 'rst-idle', seconds: 1 }],
    [
      'no-read',
      'after=3&for=1&scope=connection',
      { kind: 'no-read', after: 3, seconds: 1, scope: 'connection' },
    ],
  ])('%s?%s', async (name, query, fault) => {
    const reply = await replyTo(name, [...new URLSearchParams(query.replace('%', '%25'))]);
    expect(reply.fault).toEqual(fault);
  });

  test('goaway has debug data', async () => {
    const { fault } = await replyTo('goaway', [
      ['debug', 'why'],
      ['then', 'close'],
      ['last', 'max'],
    ]);
    expect(fault).toEqual({
      kind: 'goaway',
      at: 'body',
      after: 5120,
      code: 0,
      last: 'max',
      then: 'close',
      debug: Buffer.from('why'),
    });
  });

  test.each([
    ['', 10_240],
    ['length=7', 7],
    ['framing=chunked', undefined],
    ['status=204', undefined],
  ])('close?%s: length of the payload', async (query, length) => {
    const { payload } = await replyTo('close', [...new URLSearchParams(query)]);
    expect(payload && payloadLength(payload)).toBe(length);
  });
});

test.each(['HTTP/2.0', 'HTTP/1.0'])('close?framing=chunked: %s has no such coding', (version) => {
  const request = new FakeExchange('/', { version });
  const reply = () => replies('close', request, [['framing', 'chunked']]);
  expect(reply).toThrow(`${version} has no chunked coding`);
});
