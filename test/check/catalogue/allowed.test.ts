import { expect, test } from 'vitest';
import { checksOf } from '../../../src/check/catalogue/all.ts';
import { bench } from '../_run.ts';
import {
  changingPaths,
  onRequest,
  readingHeads,
  without,
  wrong as choice,
  type WrongProxy,
} from '../_wrong.ts';

/** Gateways that choose otherwise than the correct one of these tests, as the rules allow. */
const choices: readonly WrongProxy[] = [
  choice(
    'replaces the folds of a response by spaces',
    { readResponseHead: (text) => text.replaceAll(/\r\n[ \t]+/g, ' ') },
    { 'origin/obs-fold': 'pass' },
  ),
  choice(
    'writes hexadecimal digits in upper case',
    changingPaths((path) => path.replaceAll(/%[\da-f]{2}/g, (text) => text.toUpperCase())),
    { 'target/encoded-slash-case': 'differs' },
  ),
  // The origin refuses it without an echo: what the path has become is not known.
  choice(
    'replaces paths with a brace by one that the origin does not know',
    changingPaths((path) => (path.includes('{') ? '/other' : path)),
    { 'target/braces': 'not-applicable' },
  ),
  choice(
    'requires a length',
    { refuses: ({ framing }) => (framing === 'chunked' ? 411 : undefined) },
    {
      'content/upload-unknown-length': 'differs',
      'content/upload-empty-unknown-length': 'differs',
      'trailer/request': 'differs',
    },
  ),
  choice(
    'allows eight streams',
    { settings: { maxConcurrentStreams: 8 } },
    { 'h2/concurrent': 'differs' },
  ),
  choice(
    'drops parameters with a semicolon, as Go does',
    onRequest((request) => {
      request.target = request.target.replaceAll(/(?<=[?&])[^&]*;[^&]*&/g, '');
    }),
    { 'cookie/set-cookie': 'pass' },
  ),
  choice(
    'allows header sections of 4 MiB',
    { settings: { maxHeaderListSize: 2 ** 22 } },
    { 'h2/continuation-flood': 'not-applicable' },
  ),
  choice(
    'allows frames of any size',
    { settings: { maxFrameSize: 2 ** 24 - 1 } },
    { 'h2/frame-too-large': 'not-applicable' },
  ),
  choice(
    'encodes spaces of a path',
    {
      frames: {
        fields: (fields) =>
          fields.map(([name, value]) => [
            name,
            name === ':path' ? value.replaceAll(' ', '%20') : value,
          ]),
      },
    },
    { 'h2/path-space': 'pass' },
  ),
  choice(
    'refuses a Connection option that the message needs',
    {
      refuses: ({ fields }) =>
        fields.some((line) => /^connection: content-length$/i.test(line.join(': ')))
          ? 400
          : undefined,
    },
    { 'hop/connection-content-length': 'pass' },
  ),
  choice(
    'drops a field without a name',
    { readHead: (text) => text.replace(/^: .*\r\n/m, '') },
    { 'framing/name-empty': 'pass' },
  ),
  choice(
    'upgrades to h2c itself',
    {
      refuses: ({ fields }) =>
        fields.some(([name, value]) => /^upgrade$/i.test(name) && value === 'h2c')
          ? 101
          : undefined,
    },
    { 'upgrade/h2c': 'differs' },
  ),
  choice(
    'has a limit of content',
    {
      refuses: ({ framing }) =>
        typeof framing === 'object' && framing.length > 10_000 ? 413 : undefined,
    },
    { 'content/upload-16k': 'differs', 'content/upload-1m': 'differs' },
  ),
  choice(
    'takes repeated lengths for one, and forwards content in chunks',
    {
      readHead: (text) =>
        text.replace(/Content-Length: 2(?:\r\nContent-Length: |, )2/, 'Content-Length: 2'),
      request: (request) => {
        request.fields = without(request.fields, 'content-length');
        if (request.framing !== 'none') request.framing = 'chunked';
      },
    },
    { 'framing/same-length-twice': 'pass', 'framing/length-list': 'pass' },
  ),
  choice(
    'redirects from a malformed target to the one that is meant',
    readingHeads(/^GET \/anything\/check-[\da-f]{12}(?: a|[^ ]).*/, 'GET /status/301 HTTP/1.1'),
    { 'target/space': 'pass', 'target/control': 'pass', 'target/fragment': 'pass' },
  ),
  choice(
    'refuses a request that expects 100 before its content',
    {
      refuses: ({ fields }) => (fields.some(([name]) => /^expect$/i.test(name)) ? 401 : undefined),
    },
    { 'expect/continue': 'pass' },
  ),
  choice(
    'refuses what is not on its list of paths',
    { refuses: ({ target }) => (/^\/(?:retry|drip)/.test(target) ? 403 : undefined) },
    {
      'retry/post-503': 'not-applicable',
      'retry/post-close': 'not-applicable',
      'retry/post-reset': 'not-applicable',
      'cancel/close': 'not-applicable',
      'cancel/reset': 'not-applicable',
    },
  ),
  choice(
    'takes part in a trace',
    {
      request: (request) => {
        request.fields = request.fields.map(([name, value]) => [
          name,
          name.toLowerCase() === 'traceparent'
            ? value.replace(/-[\da-f]{16}-/, '-00f067aa0ba902b7-')
            : value,
        ]);
      },
    },
    { 'field/traceparent': 'differs' },
  ),
];

const started = bench();

test.each(choices)('no finding: $name', async ({ deviation, turns: outcomes }) => {
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const chosen = checksOf('gateway').filter(({ id }) => id in outcomes);
  const { results } = await started().run(gateway, chosen);
  const found = results.map(({ front, id, outcome }) => [`${front} ${id}`, outcome]);
  const expected = results.map(({ front, id }) => [`${front} ${id}`, outcomes[id]]);
  expect(found).toEqual(expected);
  expect(new Set(results.map(({ id }) => id))).toEqual(new Set(Object.keys(outcomes)));
});
