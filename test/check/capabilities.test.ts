import { describe, expect, test } from 'vitest';
import { capabilitiesOf, checksFor, QUESTIONS } from '../../src/check/capabilities.ts';
import type { Said, Seen, SeenRun } from '../../src/check/capability.ts';
import { NOT_CODED } from '../../src/check/catalogue/coded-response.ts';
import { checks } from '../../src/check/catalogue/all.ts';
import { OUTCOMES } from '../../src/check/check.ts';
import { FRONTS, type FrontName } from '../../src/check/front.ts';
import type { Pooling } from '../../src/check/probe.ts';
import { SettingId } from '../../src/wire/http2/frame.ts';
import { FACTS } from './_results.ts';
import { received } from './report/_report.ts';

const ids = new Map<string, Seen['id']>(checks.map(({ id }) => [id, id]));

/** Results by id, each an outcome with what was found or the reason: `fail: 2 attempts`; on all fronts, or on one. */
type Outcomes = Readonly<Record<string, string | Partial<Readonly<Record<FrontName, string>>>>>;

function resultsOf(outcomes: Outcomes): Seen[] {
  return Object.entries(outcomes).flatMap(([name, words]) =>
    FRONTS.flatMap((front) => {
      const text = typeof words === 'string' ? words : words[front];
      if (text === undefined) return [];
      const outcome = OUTCOMES.find((each) => text.split(':')[0] === each);
      const id = ids.get(name);
      if (!outcome || !id) throw new Error(`${name}: ${text}`);
      const rest = text.slice(outcome.length + 2) || undefined;
      const isVerdict = outcome === 'pass' || outcome === 'fail' || outcome === 'differs';
      return [
        {
          id,
          front,
          outcome,
          found: isVerdict ? rest : undefined,
          reason: isVerdict ? undefined : rest,
        },
      ];
    }),
  );
}

const BOTH: SeenRun['facts'] = { ...FACTS, fronts: FRONTS };

function saidOf(id: string, outcomes: Outcomes, facts: Partial<SeenRun['facts']> = {}): Said {
  const run = { facts: { ...BOTH, ...facts }, results: resultsOf(outcomes), isInterrupted: false };
  const found = capabilitiesOf(run).find((each) => each.id === id);
  if (!found) throw new Error(id);
  const { answer, words } = found;
  return { answer, words };
}

test('each capability rests on checks of the catalogue, or on facts', () => {
  expect(new Set(QUESTIONS.map(({ id }) => id)).size).toBe(QUESTIONS.length);
  for (const question of QUESTIONS) {
    const named = checksFor(question);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    expect(named.length > 0 || question.byFacts !== undefined, question.id).toBe(true);
  }
});

const TLS = { tls: { version: 'TLSv1.3', alpn: 'h2' } };

type Row = readonly [outcomes: Outcomes, words: string];

/** For each capability: results that give an answer, and its words. */
const ANSWERED: Readonly<Record<string, Readonly<Record<'yes' | 'no' | 'partly', Row>>>> = {
  'post-retried': {
    yes: [
      {
        'retry/post-503': 'fail: 2 attempts',
        'retry/post-close': 'fail: 2 attempts',
        'retry/post-reset': 'blocked: no echo',
      },
      'after 503, after close: 2 attempts; not seen after reset: no echo; not seen after another status: not selected',
    ],
    no: [
      {
        'retry/post-503': 'pass: 1 attempt',
        'retry/post-close': 'pass: 1 attempt',
        'retry/post-reset': 'pass: 1 attempt',
        'retry/post-status': 'pass: 1 attempt',
      },
      'after 503, after close, after reset, after another status',
    ],
    partly: [
      {
        'retry/post-503': { 'http/1.1': 'pass', h2: 'fail: 2 attempts' },
        'retry/post-close': 'pass',
        'retry/post-reset': 'pass',
        'retry/post-status': 'pass',
      },
      'no after 503 on http/1.1, after close, after reset, after another status; yes after 503 on h2: 2 attempts',
    ],
  },
  'get-retried': {
    yes: [
      {
        'retry/get-503': 'differs: 2 attempts, 200',
        'retry/get-close': 'differs: 2 attempts, 200',
        'retry/get-reset': 'differs: 2 attempts, 200',
      },
      'after 503, after close, after reset: 2 attempts, 200',
    ],
    no: [
      { 'retry/get-503': 'pass', 'retry/get-close': 'pass', 'retry/get-reset': 'pass' },
      'after 503, after close, after reset',
    ],
    partly: [
      {
        'retry/get-503': 'pass: 1 attempt, 503',
        'retry/get-close': 'differs: 2 attempts, 200',
        'retry/get-reset': 'differs: 2 attempts, 200',
      },
      'no after 503; yes after close, after reset: 2 attempts, 200',
    ],
  },
  'request-trailers': {
    yes: [{ 'trailer/request': 'pass' }, ''],
    no: [
      { 'trailer/request': { 'http/1.1': 'differs: dropped', h2: 'fail: no response' } },
      'on http/1.1: dropped; on h2: no response',
    ],
    partly: [
      { 'trailer/request': { 'http/1.1': 'differs: dropped', h2: 'pass' } },
      'no on http/1.1: dropped; yes on h2',
    ],
  },
  'response-trailers': {
    yes: [{ 'trailer/response': 'pass' }, ''],
    no: [{ 'trailer/response': 'differs: dropped' }, 'dropped'],
    partly: [
      { 'trailer/response': { 'http/1.1': 'pass', h2: 'blocked: no answer' } },
      'yes on http/1.1; not seen on h2: no answer',
    ],
  },
  interim: {
    yes: [{ 'interim/103-forwarded': 'pass', 'interim/102-forwarded': 'pass' }, '103, 102'],
    no: [
      {
        'interim/103': 'fail: no response (timeout)',
        'interim/103-forwarded': 'blocked: interim/103 failed',
        'interim/102': 'pass',
        'interim/102-forwarded': 'fail: no interim response',
      },
      '103: no response (timeout); 102: no interim response',
    ],
    partly: [
      {
        'interim/103-forwarded': 'pass',
        'interim/102': 'pass',
        'interim/102-forwarded': 'fail: no interim response',
      },
      'yes 103; no 102: no interim response',
    ],
  },
  'grpc-unary': {
    yes: [{ 'grpc/fields': 'pass', 'grpc/trailers': 'pass' }, ''],
    no: [
      { 'grpc/fields': 'pass', 'grpc/trailers': 'fail: grpc-status: missing, a: b' },
      'grpc-status missing',
    ],
    partly: [
      { 'grpc/fields': 'fail: te: missing', 'grpc/trailers': 'pass' },
      'no fields: te: missing',
    ],
  },
  'grpc-streams': {
    yes: [
      { 'grpc/client-streaming': 'pass', 'grpc/bidirectional': 'pass' },
      'of the client, both ways',
    ],
    no: [
      { 'grpc/client-streaming': 'differs: held back', 'grpc/bidirectional': 'fail: held back' },
      'of the client, both ways: held back',
    ],
    partly: [
      { 'grpc/client-streaming': 'pass', 'grpc/bidirectional': 'fail: held back' },
      'yes of the client; no both ways: held back',
    ],
  },
  'grpc-status': {
    yes: [{ 'grpc/trailers': 'pass' }, 'in trailers'],
    no: [
      { 'grpc/trailers': 'fail: grpc-status: 13, grpc-status 13 in the header section' },
      'in trailers: grpc-status: 13, grpc-status 13 in the header section',
    ],
    partly: [
      { 'grpc/trailers': 'pass', 'grpc/trailers-only': 'fail: no grpc-status' },
      'yes in trailers; no without messages: no grpc-status',
    ],
  },
  'websocket-http1': {
    yes: [{ 'websocket/text': 'pass' }, ''],
    no: [
      {
        'websocket/text': 'not-applicable: the target does not forward Upgrade',
        'upgrade/websocket': 'differs: without Upgrade',
      },
      'without Upgrade',
    ],
    partly: [
      { 'websocket/text': 'pass', 'websocket/large': 'fail: closed' },
      'no 70,000 bytes: closed',
    ],
  },
  'websocket-h2': {
    yes: [{ 'websocket/extended-connect': 'pass' }, ''],
    no: [{ 'websocket/extended-connect': 'fail: 405' }, '405'],
    partly: [
      { 'websocket/extended-connect': 'pass', 'websocket/connect-ends': 'fail: it stays open' },
      'no end: it stays open',
    ],
  },
  ranges: {
    yes: [
      { 'response/range': 'pass', 'response/ranges': 'pass', 'response/if-range': 'pass' },
      'one, several, If-Range',
    ],
    no: [
      { 'response/range': 'differs: 200', 'response/ranges': 'differs: 200' },
      'one, several: 200; not seen If-Range: not selected',
    ],
    partly: [
      { 'response/range': 'pass', 'response/ranges': 'differs: 200', 'response/if-range': 'pass' },
      'yes one, If-Range; no several: 200',
    ],
  },
  compression: {
    yes: [{ 'coding/intact': 'pass: text/html: gzip' }, 'text/html: gzip'],
    no: [{ 'coding/intact': `not-applicable: ${NOT_CODED}` }, ''],
    partly: [
      { 'coding/intact': `not-applicable: ${NOT_CODED}`, 'coding/kept': 'differs: decoded' },
      'gzip of the origin: decoded',
    ],
  },
  'upload-streamed': {
    yes: [{ 'streaming/upload': 'pass' }, ''],
    no: [{ 'streaming/upload': 'differs: within 44 ms' }, 'within 44 ms'],
    partly: [
      { 'streaming/upload': { 'http/1.1': 'pass', h2: 'differs: within 44 ms' } },
      'yes on http/1.1; no on h2: within 44 ms',
    ],
  },
  'largest-upload': {
    yes: [
      {
        'limit/content': 'not-applicable: not run without --slow',
        'content/upload-lengths': 'pass',
      },
      'at least 1 MiB; more with --slow',
    ],
    no: [{ 'content/upload-lengths': 'fail: 413' }, '413'],
    partly: [{ 'content/upload-lengths': 'differs: 413: 65,537 bytes' }, '413: 65,537 bytes'],
  },
  'largest-field': {
    yes: [{ 'limit/field': 'pass: at least 32768 bytes' }, 'at least 32 KiB'],
    no: [{ 'limit/field': 'fail: a value of 4096 bytes: cut' }, 'a value of 4 KiB: cut'],
    partly: [{ 'limit/field': 'pass: about 8000 bytes, then 400' }, 'about 7.8 KiB, then 400'],
  },
  'client-address': {
    yes: [{ 'forwarding/client-address': 'pass: x-forwarded-for' }, 'x-forwarded-for'],
    no: [{ 'forwarding/client-address': 'differs: no field contains it' }, 'no field contains it'],
    partly: [
      { 'forwarding/client-address': 'differs: forwarded: for=a: the last is a' },
      'forwarded: for=a: the last is a',
    ],
  },
  tls: {
    yes: [
      {
        'tls/version-1.3': 'pass',
        'tls/version-1.2': 'pass',
        'tls/alpn-h2': 'pass',
        'tls/alpn-http1': 'pass',
        'tls/version-1.0': 'pass',
      },
      'TLS 1.3, TLS 1.2, ALPN h2, ALPN http/1.1',
    ],
    no: [
      { 'tls/version-1.3': 'differs: TLSv1.0', 'tls/version-1.2': 'differs: TLSv1.0' },
      'TLS 1.3, TLS 1.2: TLSv1.0; not seen ALPN h2, ALPN http/1.1: not selected',
    ],
    partly: [
      {
        'tls/version-1.3': 'differs: TLSv1.2',
        'tls/version-1.2': 'pass',
        'tls/alpn-h2': 'pass',
        'tls/alpn-http1': 'pass',
      },
      'no TLS 1.3: TLSv1.2; yes TLS 1.2, ALPN h2, ALPN http/1.1',
    ],
  },
};

describe.each(Object.entries(ANSWERED))('%s', (id, rows) => {
  test.each(Object.entries(rows))('is %s', (answer, [outcomes, words]) => {
    expect(saidOf(id, outcomes, TLS)).toEqual({ answer, words });
  });
});

const rested = QUESTIONS.filter(({ sources }) => sources.length > 0);

test('every capability that rests on checks is among those', () => {
  expect(rested.map(({ id }) => id)).toEqual(Object.keys(ANSWERED));
});

test.each(rested)('$id is not seen without results, and says why', ({ id, sources, front }) => {
  expect(saidOf(id, {}, TLS)).toMatchObject({ answer: 'not seen' });
  const [first] = sources;
  expect(saidOf(id, {}, TLS).words).toBe('not selected');
  const blocked = { [first?.id ?? '']: 'blocked: the origin was late' };
  expect(saidOf(id, blocked, TLS)).toEqual({ answer: 'not seen', words: 'the origin was late' });
  const flaky = { [first?.id ?? '']: 'flaky: 1 pass, 1 fail' };
  expect(saidOf(id, flaky, TLS)).toEqual({ answer: 'not seen', words: '1 pass, 1 fail' });
  if (front === undefined) return;
  const others = FRONTS.filter((each) => each !== front);
  expect(saidOf(id, {}, { ...TLS, fronts: others }).words).toBe(
    `the target does not offer ${front} to clients`,
  );
});

test('a call whose details are lost still has its status', () => {
  const lost = { 'grpc/trailers': 'fail: grpc-status: 13, grpc-status-details-bin: missing' };
  const words = 'grpc-status-details-bin missing';
  expect(saidOf('grpc-unary', lost)).toEqual({ answer: 'partly', words });
  expect(saidOf('grpc-status', lost)).toEqual({ answer: 'partly', words: `in trailers: ${words}` });
});

test('a run that ended early does not say that a check was not selected', () => {
  const run = { facts: BOTH, results: [], isInterrupted: true };
  const first = capabilitiesOf(run).find(({ id }) => id === 'request-trailers');
  expect(first).toMatchObject({ answer: 'not seen', words: 'the run ended before' });
});

test('POST is not said not to be retried where one of its checks has no verdict', () => {
  const some = { 'retry/post-503': 'pass', 'retry/post-close': 'pass', 'retry/post-reset': 'pass' };
  expect(saidOf('post-retried', { ...some, 'retry/post-status': 'blocked: no echo' })).toEqual({
    answer: 'not seen',
    words: 'no after 503, after close, after reset; after another status: no echo',
  });
  const known = { ...some, 'retry/post-status': 'pass' };
  expect(saidOf('post-retried', { ...known, 'idle/stale-post': 'fail: retried: 200' })).toEqual({
    answer: 'partly',
    words:
      'no after 503, after close, after reset, after another status; yes on an idle connection: retried: 200',
  });
});

test.each<readonly [Pooling, string, string]>([
  ['pooled', 'yes', 'shared by clients'],
  ['a connection for each client', 'partly', 'a connection for each client'],
  ['one connection for each request', 'no', 'one connection for each request'],
])('%s: connections are reused: %s', (pooling, answer, words) => {
  expect(saidOf('origin-reuse', {}, { pooling })).toEqual({ answer, words });
});

const over = (version: string, protocol: string) => ({ ...received, version, protocol });
const http1 = over('HTTP/1.1', 'http/1.1');
const http2 = over('HTTP/2.0', 'h2c');

const origins = (one: typeof received, two: typeof received) => ({
  origins: new Map([
    ['http/1.1' as const, one],
    ['h2' as const, two],
  ]),
});

test('the protocol to the origin is that of each protocol of clients', () => {
  expect(saidOf('origin-http2', {}, origins(http2, http2))).toEqual({
    answer: 'yes',
    words: 'h2c',
  });
  expect(saidOf('origin-http2', {}, origins(http1, http1))).toEqual({
    answer: 'no',
    words: 'http/1.1',
  });
  expect(saidOf('origin-http2', {}, origins(http1, http2))).toEqual({
    answer: 'partly',
    words: 'http/1.1 for clients on http/1.1, h2c for clients on h2',
  });
});

test('facts tell of TLS, a cache and extended CONNECT', () => {
  expect(saidOf('tls', {})).toEqual({ answer: 'not seen', words: 'the URL is not https' });
  expect(saidOf('caching', {}).answer).toBe('no');
  const met = { 'http/1.1': new Set(['cache'] as const), h2: new Set<never>() };
  expect(saidOf('caching', {}, { met }).answer).toBe('yes');
  const connect = { 'websocket/extended-connect': 'not-applicable: not offered' };
  const settings = new Map([[SettingId.maxConcurrentStreams, 100]]);
  expect(saidOf('websocket-h2', connect, { settings })).toEqual({
    answer: 'no',
    words: 'SETTINGS_ENABLE_CONNECT_PROTOCOL is not offered',
  });
});
