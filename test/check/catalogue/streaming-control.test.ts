import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { isHeldBack, jitterOf } from '../../../src/check/catalogue/timing-control.ts';
import { listening, type Proxy } from '../_gateway-server.ts';
import { bench } from '../_run.ts';

const started = bench();

const STREAM = /\bduration=1\.5\b/;
const CONTROL = /\bduration=0\b/;

/** What a tunnel does with what a client sends: forwards it after so many milliseconds, or responds by itself. */
type Handling = (text: string) => number | string;

function tunnel(handlingOf: Handling, port = started().originPort): Promise<Proxy> {
  const server = createServer((client) => {
    const origin = connect(port, '127.0.0.1');
    client.on('data', (piece: Buffer) => {
      const handling = handlingOf(piece.toString('latin1'));
      if (typeof handling === 'string') client.write(handling);
      else setTimeout(() => origin.write(piece), handling);
    });
    client.on('error', () => undefined).on('close', () => origin.destroy());
    origin.on('error', () => client.destroy());
    origin.pipe(client);
  });
  return listening(server, 'http');
}

/** Outcome, and what was found or why there is no verdict, on HTTP/1.1. */
async function verdictOn(
  handlingOf: Handling,
  id = 'streaming/response',
  port?: number,
): Promise<unknown> {
  const chosen = checks.filter((check) => check.id === id);
  const { results } = await started().run(await tunnel(handlingOf, port), chosen);
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

test('a target that responds to one request at a time does not pass because others wait for it', async () => {
  const deviation = { waitsForResponse: () => true };
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  onTestFinished(() => gateway.close());
  let busyUntil = 0;
  const handlingOf = (text: string): number => {
    const now = performance.now();
    if (STREAM.test(text)) busyUntil = now + 1600;
    return CONTROL.test(text) ? Math.max(0, busyUntil - now) : 0;
  };
  expect(await verdictOn(handlingOf, 'streaming/head', Number(gateway.url.port))).toEqual([
    'blocked',
    expect.stringMatching(/^too busy to be timed: /),
  ]);
});

test('refusals, which come at once, do not say how long other responses take', async () => {
  const refusal = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n';
  const handlingOf = (text: string): number | string => {
    if (text.startsWith('GET ') && CONTROL.test(text)) return refusal;
    return STREAM.test(text) ? 500 : 0;
  };
  expect(await verdictOn(handlingOf)).toEqual([
    'blocked',
    'too busy to be timed: no other response came',
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
