import { describe, expect, test } from 'vitest';
import { text, type Reply } from '../../src/server/reply.ts';
import { Problem } from '../../src/http/problem.ts';
import { respondingWith, run } from '../_dispatch.ts';
import { FakeExchange } from '../_exchange.ts';

function failing(error: Error): never {
  throw error;
}

test('what was added before, by and after dispatch is called at the end of a request, in order', async () => {
  const ends: string[] = [];
  const exchange = new FakeExchange('/given');
  exchange.whenFinished(() => ends.push('earlier'));
  await run(exchange, [
    respondingWith(() => {
      exchange.whenFinished(() => ends.push('handler'));
      return text('x');
    }),
  ]);
  exchange.whenFinished(() => ends.push('later'));
  expect([exchange.isFinished, ends]).toEqual([false, []]);
  exchange.finish();
  expect([exchange.isFinished, ends]).toEqual([true, ['earlier', 'handler', 'later']]);
});

describe('what handlers throw', () => {
  test.each<[string, () => Reply | Promise<Reply>]>([
    ['a handler', () => failing(new TypeError('secret'))],
    ['a promise', () => Promise.reject(new TypeError('secret'))],
  ])('an error of %s is 500, is reported, and reveals nothing to the client', async (_, handle) => {
    const { sent, observed, internalErrors } = await run(new FakeExchange('/given'), [
      respondingWith(handle),
    ]);
    expect(sent?.status).toBe(500);
    expect(sent?.payload).not.toContain('secret');
    expect(observed).toEqual([['given', 500]]);
    expect(internalErrors).toEqual([new TypeError('secret')]);
  });

  test.each<[string, () => Reply | Promise<Reply>]>([
    ['thrown', () => failing(new Problem('draining', 'soon', ['Retry-After', '1']))],
    ['rejected', () => Promise.reject(new Problem('draining', 'soon', ['Retry-After', '1']))],
  ])('a problem that is %s becomes a response with its fields', async (_, handle) => {
    const { sent, internalErrors } = await run(new FakeExchange('/given'), [
      respondingWith(handle),
    ]);
    expect([sent?.status, sent?.fields['Retry-After']]).toEqual([503, '1']);
    expect(internalErrors).toEqual([]);
  });

  test.each([16_000, 20_000])('a problem of %d bytes without memory for it', async (length) => {
    const long = respondingWith(() =>
      failing(new Problem('invalid-parameter', 'x'.repeat(length))),
    );
    const none = { maxContentMemory: 0 };
    const { sent, observed, internalErrors } = await run(new FakeExchange('/given'), [long], none);
    const status = length < 16_384 ? 400 : 503;
    expect([sent?.status, observed, internalErrors]).toEqual([status, [['given', status]], []]);
  });

  test.each<[string, () => Reply | Promise<Reply>]>([
    ['at once', () => text('x')],
    ['later', () => Promise.resolve(text('x'))],
  ])('a response created %s that cannot be sent becomes 500', async (_, handle) => {
    const exchange = new FakeExchange('/given');
    exchange.sendError = new Error('invalid field');
    const { sent, observed, internalErrors } = await run(exchange, [respondingWith(handle)]);
    expect(sent?.status).toBe(500);
    expect(observed).toEqual([['given', 500]]);
    expect(internalErrors).toEqual([exchange.sendError ?? new Error('invalid field')]);
  });
});

test.each<[string, () => Reply | Promise<Reply>]>([
  ['at once', () => text('x')],
  ['later', () => Promise.resolve(text('x'))],
])(
  'if no response created %s can be sent, not even 500, the process continues',
  async (_, handle) => {
    const exchange = new FakeExchange('/given');
    exchange.respond = () => failing(new Error('broken'));
    const { observed, internalErrors } = await run(exchange, [respondingWith(handle)]);
    expect(observed).toEqual([['given', undefined]]);
    expect(internalErrors).toEqual([new Error('broken'), new Error('broken')]);
  },
);

describe('a client that has disconnected', () => {
  test.each<[string, () => Reply | Promise<Reply>]>([
    ['a response', () => text('late')],
    ['a problem', () => failing(new Problem('draining', 'late'))],
    ['an error caused by it', () => failing(new DOMException('late', 'AbortError'))],
  ])('gets no response, whether there is %s', async (_, late) => {
    const exchange = new FakeExchange('/given');
    const handle = async (): Promise<Reply> => {
      await new Promise(setImmediate);
      exchange.leave();
      return late();
    };
    const { sent, observed, internalErrors } = await run(exchange, [respondingWith(handle)]);
    expect(sent).toBeUndefined();
    expect(observed).toEqual([['given', undefined]]);
    expect(internalErrors).toEqual([]);
  });

  test('an error that it has not caused is reported', async () => {
    const exchange = new FakeExchange('/given');
    const handle = async (): Promise<Reply> => {
      exchange.leave();
      return failing(new TypeError('late'));
    };
    const { sent, observed, internalErrors } = await run(exchange, [respondingWith(handle)]);
    expect(sent).toBeUndefined();
    expect(observed).toEqual([['given', undefined]]);
    expect(internalErrors).toEqual([new TypeError('late')]);
  });
});
