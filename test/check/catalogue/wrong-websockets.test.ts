import { describe, expect, test } from 'vitest';
import type { Check } from '../../../src/check/check.ts';
import { checks } from '../../../src/check/catalogue/all.ts';
import { WEBSOCKET } from '../../../src/check/catalogue/websocket.ts';
import { pinged } from '../../../src/check/catalogue/websocket-echo.ts';
import { encodeFrame, Opcode } from '../../../src/wire/websocket/frame.ts';
import { bench, testWrongProxies } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { HTTP2_UPGRADING, UPGRADING } from '../wrong/websocket.ts';

const started = bench();
const chosen = checks.filter(({ id, isSlow }) => id.startsWith('websocket/') && isSlow !== true);

const isForHttp2 = ({ needs = [] }: Check): boolean => needs.includes('h2-origin');
const isForHttp1 = ({ needs = [] }: Check): boolean => needs.includes('http1-origin');

test.each([
  ['HTTP/1.1', UPGRADING, chosen.filter((check) => !isForHttp2(check))],
  ['HTTP/2', HTTP2_UPGRADING, chosen.filter((check) => !isForHttp1(check))],
])('a correct gateway to an origin on %s has no finding', async (_, setup, those) => {
  const { results } = await started().run(await started().gateway(setup), those);
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(
    those.map(({ id }) => [id, 'pass']),
  );
});

describe('pings', () => {
  const isShort = { ...WEBSOCKET, ...pinged(0.3, 0.1) };

  test('keep a WebSocket open', async () => {
    const { results } = await started().run(await started().gateway(UPGRADING), [isShort]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['pass']);
  });

  test('are a finding if it is closed nevertheless', async () => {
    const gateway = await started().gateway(UPGRADING, {
      deviation: { upgrade: { closesAfter: 150 } },
    });
    const { results } = await started().run(gateway, [isShort]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['fail']);
  });
});

/** A frame of 1 MiB, without its end. */
const UNFINISHED = Buffer.concat([
  Buffer.of(0x82, 127, 0, 0, 0, 0, 0, 16, 0, 0),
  Buffer.alloc(1024 ** 2 - 1),
]);
const PONG = encodeFrame({ isFinal: true, opcode: Opcode.pong, content: Buffer.alloc(0) });
const PONGS = Buffer.alloc(10_000, PONG);

test.each([
  ['an endless frame', UNFINISHED, 'more than 262144 bytes'],
  ['many frames', PONGS, expect.stringMatching(/^(opcode 10: ; ){10}… \(\d+ frames\)$/)],
])('a target that sends %s is a finding', async (_, bytes, text) => {
  const deviation = { upgrade: { change: () => bytes } };
  const gateway = await started().gateway(UPGRADING, { deviation });
  const message = checks.filter(({ id }) => id === 'websocket/text');
  const { results } = await started().run(gateway, message);
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([['fail', text]]);
});

testWrongProxies(wrongProxies.websockets);
