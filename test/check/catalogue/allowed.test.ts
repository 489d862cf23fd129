import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/http2/frame.ts';
import { ContentType } from '../../../src/wire/tls/record.ts';
import { checksOf } from '../../../src/check/catalogue/all.ts';
import { valuesOf } from '../../../src/check/message.ts';
import { bench } from '../_run.ts';
import { plaintextOf, wrongTls } from '../wrong/tls.ts';
import {
  changingPaths,
  changingResponseFields,
  differs,
  mapped,
  readingHeads,
  without,
  wrong as choice,
  type WrongProxy,
} from '../_wrong.ts';

/** GOAWAY with ENHANCE_YOUR_CALM. */
const CALM = {
  type: FrameType.goaway,
  flags: 0,
  stream: 0,
  payload: Buffer.of(0, 0, 0, 0, 0, 0, 0, 11),
} as const;

const OTHER_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses.map(({ address }) => address))
    .find((address) => address !== '127.0.0.1') ?? '127.0.0.1';

/** Gateways that choose otherwise than the correct one of these tests, as the rules allow. */
const choices: readonly WrongProxy[] = [
  choice(
    'replaces the folds of a response by spaces',
    { 'origin/obs-fold': 'pass' },
    { readResponseHead: (text) => text.replaceAll(/\r\n[ \t]+/g, ' ') },
  ),
  choice(
    'says in Vary that it might encode content',
    { 'response/field-vary': 'pass' },
    changingResponseFields((lines) => [
      ['Vary', 'Accept-Encoding'],
      ...mapped(lines, (value, name) => (name === 'vary' ? `${value},accept-encoding` : value)),
    ]),
  ),
  choice(
    'adds a cookie of its own, as for sticky sessions',
    { 'cookie/attributes': 'pass', 'cookie/set-cookie': 'pass' },
    changingResponseFields((lines) => [['Set-Cookie', 'server=a; Path=/'], ...lines]),
  ),
  choice(
    'writes hexadecimal digits in upper case',
    differs('target/encoded-slash-case'),
    changingPaths((path) => path.replaceAll(/%[\da-f]{2}/g, (text) => text.toUpperCase())),
  ),
  // The origin refuses it without an echo: what the path has become is not known.
  choice(
    'replaces paths with a brace by one that the origin does not know',
    { 'target/braces': 'not-applicable' },
    changingPaths((path) => (path.includes('{') ? '/other' : path)),
  ),
  choice(
    'requires a length',
    differs(
      'content/upload-unknown-length',
      'content/upload-empty-unknown-length',
      'trailer/request',
    ),
    { refuses: ({ framing }) => (framing === 'chunked' ? 411 : undefined) },
  ),
  choice(
    'sends the origin HTTP/1.0, which gets no interim responses',
    {
      'interim/103': 'not-applicable',
      'interim/103-forwarded': 'not-applicable',
      'interim/103-link': 'not-applicable',
      'interim/several': 'not-applicable',
      'interim/second-continue': 'not-applicable',
      'interim/http10': 'not-applicable',
    },
    { request: (request) => void (request.version = 'HTTP/1.0') },
  ),
  choice(
    'forwards HTTP/1.0 as HTTP/1.0',
    { 'interim/103': 'pass', 'interim/http10': 'not-applicable' },
    {
      request: (request, { version }) => {
        if (version === '1.0') request.version = 'HTTP/1.0';
      },
    },
  ),
  choice(
    'names a client on loopback by another address of the machine, as Envoy does',
    { 'forwarding/client-address': 'pass', 'forwarding/spoofed-for': 'pass' },
    {
      request: (request) => {
        const sent = valuesOf(request.fields, 'x-forwarded-for').join(', ');
        const named = sent.replace(/[^ ,]+$/, OTHER_ADDRESS);
        request.fields = [
          ...without(request.fields, 'x-forwarded-for'),
          ['X-Forwarded-For', named],
        ];
      },
    },
  ),
  choice('allows eight streams', differs('h2/concurrent'), {
    settings: { maxConcurrentStreams: 8 },
  }),
  choice(
    'drops parameters with a semicolon, as Go does',
    { 'cookie/set-cookie': 'pass' },
    {
      request: (request) => {
        request.target = request.target.replaceAll(/(?<=[?&])[^&]*;[^&]*&/g, '');
      },
    },
  ),
  choice(
    'allows header sections of 4 MiB',
    { 'h2/continuation-flood': 'not-applicable' },
    { settings: { maxHeaderListSize: 2 ** 22 } },
  ),
  choice(
    'allows frames of any size',
    { 'h2/frame-too-large': 'not-applicable', 'h2/headers-too-large': 'not-applicable' },
    { settings: { maxFrameSize: 2 ** 24 - 1 } },
  ),
  choice(
    'encodes spaces of a path',
    { 'h2/path-space': 'pass' },
    {
      frames: {
        fields: (fields) =>
          fields.map(([name, value]) => [
            name,
            name === ':path' ? value.replaceAll(' ', '%20') : value,
          ]),
      },
    },
  ),
  choice(
    'refuses a Connection option that the message needs',
    { 'hop/connection-content-length': 'pass' },
    {
      refuses: ({ fields }) =>
        fields.some((line) => /^connection: content-length$/i.test(line.join(': ')))
          ? 400
          : undefined,
    },
  ),
  choice(
    'drops a field without a name',
    { 'framing/name-empty': 'pass' },
    { readHead: (text) => text.replace(/^: .*\r\n/m, '') },
  ),
  choice('upgrades to h2c itself', differs('upgrade/h2c'), {
    refuses: ({ fields }) =>
      fields.some(([name, value]) => /^upgrade$/i.test(name) && value === 'h2c') ? 101 : undefined,
  }),
  choice(
    'has a limit of content',
    differs('content/upload-16k', 'content/upload-1m', 'content/upload-lengths'),
    {
      refuses: ({ framing }) =>
        typeof framing === 'object' && framing.length > 10_000 ? 413 : undefined,
    },
  ),
  choice(
    'takes repeated lengths for one, and forwards content in chunks',
    { 'framing/same-length-twice': 'pass', 'framing/length-list': 'pass' },
    {
      readHead: (text) =>
        text.replace(/Content-Length: 2(?:\r\nContent-Length: |, )2/, 'Content-Length: 2'),
      request: (request) => {
        request.fields = without(request.fields, 'content-length');
        if (request.framing !== 'none') request.framing = 'chunked';
      },
    },
  ),
  choice(
    'redirects from a malformed target to the one that is meant',
    { 'target/space': 'pass', 'target/control': 'pass', 'target/fragment': 'pass' },
    readingHeads(/^GET \/anything\/check-[\da-f]{12}(?: a|[^ ]).*/, 'GET /status/301 HTTP/1.1'),
  ),
  choice(
    'refuses a request that expects 100 before its content',
    { 'expect/continue': 'pass' },
    {
      refuses: ({ fields }) => (fields.some(([name]) => /^expect$/i.test(name)) ? 401 : undefined),
    },
  ),
  choice(
    'refuses what is not on its list of paths',
    {
      'retry/post-503': 'not-applicable',
      'retry/post-status': 'not-applicable',
      'retry/post-close': 'not-applicable',
      'retry/post-reset': 'not-applicable',
      'cancel/close': 'not-applicable',
      'cancel/reset': 'not-applicable',
    },
    { refuses: ({ target }) => (/^\/(?:retry|drip)/.test(target) ? 403 : undefined) },
  ),
  choice('takes part in a trace', differs('field/traceparent'), {
    request: (request) => {
      request.fields = request.fields.map(([name, value]) => [
        name,
        name.toLowerCase() === 'traceparent'
          ? value.replace(/-[\da-f]{16}-/, '-00f067aa0ba902b7-')
          : value,
      ]);
    },
  }),
  // Apache Traffic Server does, and Jetty if there are many.
  choice(
    'ends connections with WINDOW_UPDATE of few bytes',
    { 'content/download-10m': 'pass', 'h2/concurrent': 'pass' },
    {
      frames: {
        answer: ({ type, payload }) =>
          type === FrameType.windowUpdate && payload.readUInt32BE() < 2560 ? CALM : undefined,
      },
    },
  ),
  // Java does.
  wrongTls(
    'pads alerts of TLS 1.3 by 16 bytes',
    { 'tls/close-notify': 'pass' },
    { inner: (inner) => plaintextOf(inner, inner.type === ContentType.alert ? 16 : 0) },
  ),
  wrongTls(
    'pads records of TLS 1.3 to 16 KiB',
    { 'tls/close-notify': 'pass' },
    { inner: (inner) => plaintextOf(inner, 2 ** 14 - inner.content.length) },
  ),
];

const started = bench();

test.each(choices)('no finding: $name', async ({ deviation, turns: outcomes, setup }) => {
  const gateway = await started().gateway(setup ?? { scheme: 'http' }, { deviation });
  const chosen = checksOf('gateway').filter(({ id }) => id in outcomes);
  const { results } = await started().run(gateway, chosen);
  const found = results.map(({ front, id, outcome }) => [`${front} ${id}`, outcome]);
  const expected = results.map(({ front, id }) => [`${front} ${id}`, outcomes[id]]);
  expect(found).toEqual(expected);
  expect(new Set(results.map(({ id }) => id))).toEqual(new Set(Object.keys(outcomes)));
});

test('no finding: one response is late, as on a busy machine', async () => {
  let held = 0;
  const gateway = await started().gateway(
    { scheme: 'http' },
    {
      deviation: {
        // Those of the control have no duration.
        waitsForResponse: (_, { target }) => !target.includes('duration=0') && held++ === 0,
      },
    },
  );
  const { facts } = await started().reference({ scheme: 'http' }, []);
  const chosen = checksOf('gateway').filter(({ id }) => id === 'streaming/response-length');
  const { results } = await started().run(gateway, chosen, { ...facts, fronts: ['http/1.1'] });
  expect(results.map(({ outcome }) => outcome)).toEqual(['pass']);
  expect(held).toBe(2);
});
