import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import type { Result } from '../../../src/check/result.ts';
import { FrameType, SettingId } from '../../../src/wire/http2/frame.ts';
import { belowPrefix, removingPrefix } from '../_below-prefix.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { listening } from '../_gateway-server.ts';
import type { LegDeviation } from '../_http2-leg.ts';
import { bench } from '../_run.ts';
import type { Setup } from '../_wrong.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';

const started = bench();

interface Unusual {
  readonly deviation?: Deviation;
  readonly leg?: LegDeviation;
  readonly setup?: Setup;
}

/** Outcome and words of a check through a gateway that is unusual, and breaks no rule. */
async function verdictOn(id: string, gateway: Unusual): Promise<unknown[]> {
  const results = await resultsOn(id, gateway);
  return results.map(({ front, outcome, found, reason }) => [front, outcome, found ?? reason]);
}

async function resultsOn(
  id: string,
  { deviation, leg, setup = leg ? HTTP2_ORIGIN : { scheme: 'http' } }: Unusual,
): Promise<Result[]> {
  const gateway = await started().gateway(setup, {
    ...(deviation && { deviation }),
    ...(leg && { leg }),
  });
  const after = checks.find((check) => check.id === id)?.after ?? [];
  const chosen = checks.filter((check) => check.id === id || after.includes(check.id));
  const { results } = await started().run(gateway, chosen);
  return results.filter((result) => result.id === id && result.outcome !== 'not-applicable');
}

test('a chunk that is longer than integers of 64 bits is waited for, as by mitmproxy 11', async () => {
  const deviation: Deviation = {
    readChunkSize: (line) => (line.length > 16 ? 'ffffffffff' : line),
  };
  expect(await verdictOn('framing/chunk-size-overflow', { deviation })).toEqual([
    ['http/1.1', 'pass', 'waits for the rest'],
  ]);
});

test('a pass says what becomes of GET with content of known and of unknown length', async () => {
  const deviation: Deviation = {
    refuses: ({ method, framing }) => (method === 'GET' && framing === 'chunked' ? 400 : undefined),
  };
  expect(await verdictOn('content/get-whole', { deviation })).toContainEqual([
    'http/1.1',
    'pass',
    'forwarded with Content-Length; refused without Content-Length: 400',
  ]);
});

test('content that reaches the origin after its response is no content that is dropped', async () => {
  const server = createServer((client) => {
    const origin = connect(started().originPort, '127.0.0.1');
    client.on('data', (piece: Buffer) => {
      const end = piece.indexOf('\r\n\r\n');
      const head = end === -1 ? 0 : end + 4;
      if (head > 0) origin.write(piece.subarray(0, head));
      if (piece.length > head) setTimeout(() => origin.write(piece.subarray(head)), 100);
    });
    client.on('error', () => undefined).on('close', () => setTimeout(() => origin.destroy(), 200));
    origin.on('error', () => client.destroy());
    origin.pipe(client);
  });
  const late = await listening(server, 'http');
  const chosen = checks.filter(({ id }) => id === 'content/options');
  const { results } = await started().run(late, chosen);
  const found = results.filter(({ front }) => front === 'http/1.1').map((each) => each.found);
  expect(found).toEqual(['7 of 7 bytes arrive']);
  await late.close();
});

test('what is not below the prefix goes to the same origin as it is, as by nginx', async () => {
  const deviation = belowPrefix((target) => removingPrefix(target) ?? target);
  const setup: Setup = { scheme: 'http', isBelowPrefix: true };
  expect(await verdictOn('target/prefix-left', { deviation, setup })).toEqual([
    ['http/1.1', 'pass', expect.stringContaining('/api/../anything/TAG')],
  ]);
});

test('a finding says what came through of a malformed response', async () => {
  const nul: Deviation = {
    readResponseHead: (text) => text.replace('a\0b', 'a(nul)b'),
    response: (response, { version }) => {
      if (version === '2.0') return;
      response.fields = response.fields.map(([name, value]) => [
        name,
        value.replace('(nul)', '\0'),
      ]);
    },
  };
  expect(await verdictOn('origin/nul', { deviation: nul })).toContainEqual([
    'http/1.1',
    'fail',
    expect.stringMatching(/^a complete 200 with \d+ bytes, X-Fault: "a\\u0000b"$/),
  ]);
  const first: Deviation = {
    readResponseHead: (text) =>
      text.replace(/^(content-length.*\r\n[^]*)content-length.*\r\n/im, '$1'),
  };
  expect(await verdictOn('origin/two-lengths-first', { deviation: first })).toContainEqual([
    'http/1.1',
    'fail',
    'a complete 200 with 2 bytes, Content-Length: 2',
  ]);
});

const dropsChunked: Deviation = {
  waitsForRequest: ({ framing }) => framing === 'chunked',
  request: (request) => {
    if (request.framing !== 'chunked') return;
    request.framing = { length: 0 };
    request.content = Buffer.alloc(0);
  },
};

test('a gateway without content of unknown length is not said to complete it, as Jetty 12.1', async () => {
  const why = 'content/upload-unknown-length has the outcome fail';
  expect(await verdictOn('truncation/request', { deviation: dropsChunked })).toEqual([
    ['http/1.1', 'blocked', why],
    ['h2', 'blocked', why],
  ]);
});

test('a finding is the same however many incomplete requests have become complete', async () => {
  const deviation = { endsTruncatedRequests: true, ignoresGone: true };
  const finding = {
    outcome: 'fail',
    found: 'the origin received some as complete',
    reason: expect.stringMatching(/^seen in (?:[1-9]|10) of 10 requests$/),
  };
  const results = await resultsOn('truncation/request', { deviation });
  expect(results).toMatchObject([finding, finding]);
});

test('a window is not open for content on another connection, as of Pingora 0.9', async () => {
  expect(await verdictOn('flow/window-0', { leg: { hasConnectionPerStream: true } })).toEqual([]);
});

/** Uses a larger window as soon as SETTINGS have it, and acknowledges them later. */
function beforeAck(): LegDeviation {
  let answered = 0;
  return {
    frames: {
      frame: (received) => {
        if (received.type === FrameType.headers) answered = received.stream;
        const opens =
          received.type === FrameType.settings &&
          answered > 0 &&
          received.payload.length === 6 &&
          received.payload.readUInt16BE(0) === SettingId.initialWindowSize &&
          received.payload.readUInt32BE(2) > 0;
        if (!opens) return received;
        // Of the stream after the one that closed the window.
        return {
          type: FrameType.windowUpdate,
          flags: 0,
          stream: answered + 2,
          payload: received.payload.subarray(2),
        };
      },
    },
  };
}

test('content that comes before the acknowledgement of a larger window, as of Jetty 12.1', async () => {
  expect(await verdictOn('flow/window-0', { leg: beforeAck() })).toEqual([
    ['h2', 'differs', 'content before the acknowledgement of SETTINGS that open the window'],
  ]);
});

test('a refused path is not decoded twice, as of Jetty 12.1', async () => {
  const deviation: Deviation = {
    refuses: ({ target }) => (target.includes('%25') ? 400 : undefined),
  };
  expect(await verdictOn('target/encoded-percent', { deviation })).toEqual([
    ['http/1.1', 'differs', 'refused with 400'],
    ['h2', 'differs', 'refused with 400'],
  ]);
});

test('a second 100 is not judged where Expect is refused, as by @fastify/http-proxy 11', async () => {
  const deviation: Deviation = {
    refuses: ({ fields }) => (fields.some(([name]) => /^expect$/i.test(name)) ? 500 : undefined),
  };
  expect(await verdictOn('interim/second-continue', { deviation })).toEqual([]);
});

test('interim responses are not judged by 503 of the target after another fault, as of Undertow 2.4', async () => {
  const deviation: Deviation = {
    refuses: ({ target }) => (target.includes('/informational/103,103') ? 503 : undefined),
  };
  expect(await verdictOn('interim/several', { deviation })).toEqual([]);
});
