import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { exchange, LAST, openSocket } from '../_raw.ts';
import { sharedService } from '../_shared.ts';

type Line = readonly [name: string, value: string];

const running = sharedService('--max-header-size=300000');

const letters = (length: number): string => 'a'.repeat(length);
const PREFLIGHT: readonly Line[] = [
  ['origin', 'https://a'],
  ['access-control-request-method', 'PUT'],
];

/** Request fields, and the lengths of the response fields that repeat them. */
const cases: [string, readonly Line[], origin: number, allowed: number][] = [
  ['an Origin of 60,000 bytes', [['origin', letters(60_000)]], 60_000, 0],
  ['the longest that is repeated', [['origin', letters(65_535)]], 65_535, 0],
  ['a longer one', [['origin', letters(65_536)]], 0, 0],
  ['two of them', Array.from({ length: 2 }, () => ['origin', letters(40_000)] as const), 0, 0],
  [
    'a long Access-Control-Request-Headers',
    [...PREFLIGHT, ['access-control-request-headers', letters(65_535)]],
    9,
    65_535,
  ],
  [
    'one that is too long, in two lines',
    [
      ...PREFLIGHT,
      ['access-control-request-headers', letters(40_000)],
      ['access-control-request-headers', letters(40_000)],
    ],
    9,
    0,
  ],
  [
    'both',
    [
      ['origin', letters(60_000)],
      ['access-control-request-method', 'PUT'],
      ['access-control-request-headers', letters(60_000)],
    ],
    60_000,
    60_000,
  ],
];

/** HEADERS, and CONTINUATION for the rest. */
function inFrames(block: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < block.length; at += 16_384) {
    const isFirst = at === 0;
    const flags =
      (isFirst ? h2.END_STREAM : 0) | (at + 16_384 >= block.length ? h2.END_HEADERS : 0);
    const part = block.subarray(at, at + 16_384);
    frames.push(h2.frame(isFirst ? h2.HEADERS : h2.CONTINUATION, flags, 1, part));
  }
  return frames;
}

describe.each(['', '?dialect=httpbin'])('long fields that the response repeats%s', (query) => {
  test.each(cases)('HTTP/1.1: %s', async (_, lines, origin, allowed) => {
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const request = `OPTIONS /get${query} HTTP/1.1\r\nHost: x\r\n${LAST}${head}\r\n`;
    const response = await exchange(running().port, request);
    expect(response).toMatch(/^HTTP\/1\.1 20[04] /);
    const lengthOf = (name: string): number =>
      new RegExp(`^${name}: (.*)\r$`, 'im').exec(response)?.[1]?.length ?? 0;
    const any = query === '' ? 0 : 1;
    expect(lengthOf('access-control-allow-origin')).toBe(origin || any);
    expect(lengthOf('access-control-allow-headers')).toBe(allowed);
  });

  test.each(cases)('HTTP/2: %s', async (_, lines, origin, allowed) => {
    const client = new h2.FrameClient(await openSocket(running().port));
    const block = h2.fieldBlock([
      [':method', 'OPTIONS'],
      [':scheme', 'http'],
      [':authority', 'x'],
      [':path', `/get${query}`],
      ...lines,
    ]);
    client.send(...inFrames(block));
    await until(() => client.isDone(1));
    const parts = [...client.got(h2.HEADERS, 1), ...client.got(h2.CONTINUATION, 1)];
    const length = parts.reduce((sum, { payload }) => sum + payload.length, 0);
    // Huffman coding takes five bits for the letter.
    const repeated = ((origin + allowed) * 5) / 8;
    expect(length).toBeGreaterThan(repeated);
    expect(length).toBeLessThan(repeated + 400);
    expect(client.goaway()).toBeUndefined();
  });
});
