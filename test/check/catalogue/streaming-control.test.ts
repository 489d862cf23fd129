import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { isHeldBack, jitterOf } from '../../../src/check/catalogue/timing-control.ts';
import { listening, type Proxy } from '../_gateway-server.ts';
import { bench } from '../_run.ts';

const started = bench();

const STREAM = /\bduration=1\.5\b/;
const CONTROL = /\bduration=0\b/;

/** A tunnel that forwards what a client sends after so many milliseconds. */
function delaying(delayOf: (text: string) => number): Promise<Proxy> {
  const server = createServer((client) => {
    const origin = connect(started().originPort, '127.0.0.1');
    client.on('data', (piece: Buffer) => {
      setTimeout(() => origin.write(piece), delayOf(piece.toString('latin1')));
    });
    client.on('error', () => undefined).on('close', () => origin.destroy());
    origin.on('error', () => client.destroy());
    origin.pipe(client);
  });
  return listening(server, 'http');
}

/** Outcome, and what was found or why there is no verdict, on HTTP/1.1. */
async function verdictOn(delayOf: (text: string) => number): Promise<unknown> {
  const chosen = checks.filter(({ id }) => id === 'streaming/response');
  const { results } = await started().run(await delaying(delayOf), chosen);
  const result = results.find(({ front }) => front === 'http/1.1');
  return [result?.outcome, result?.found ?? result?.reason];
}

test('a target that takes as long for other responses holds nothing back', async () => {
  expect(await verdictOn((text) => (/\bduration=/.test(text) ? 1000 : 0))).toEqual([
    'pass',
    undefined,
  ]);
});

test('a first piece that takes longer than other responses was held back', async () => {
  expect(await verdictOn((text) => (STREAM.test(text) ? 500 : 0))).toEqual([
    'differs',
    expect.stringMatching(
      /^the first byte of content after \d+ ms, .*; other responses took \d+ to \d+ ms$/,
    ),
  ]);
});

test('where other responses take now less and now more time, nothing is judged', async () => {
  let at = 0;
  const delayOf = (text: string): number => {
    if (CONTROL.test(text)) return at++ % 2 === 0 ? 0 : 700;
    return STREAM.test(text) ? 500 : 0;
  };
  expect(await verdictOn(delayOf)).toEqual([
    'blocked',
    expect.stringMatching(/^too busy to be timed: other responses took \d+ to \d+ ms$/),
  ]);
});

test('a time is beyond the bound, within it, or between', () => {
  const control = { least: 10, most: 200 };
  expect(isHeldBack(259, 250, control)).toBe(false);
  expect(isHeldBack(260, 250, control)).toBeUndefined();
  expect(isHeldBack(449, 250, control)).toBeUndefined();
  expect(isHeldBack(450, 250, control)).toBe(true);
  expect(isHeldBack(439, 250, jitterOf(control))).toBeUndefined();
  expect(isHeldBack(440, 250, jitterOf(control))).toBe(true);
  const none = { least: 0, most: Infinity };
  expect([isHeldBack(249, 250, none), isHeldBack(5000, 250, none)]).toEqual([false, undefined]);
});
