import { beforeAll, describe, expect, test } from 'vitest';
import { DIALECT_NAMES } from '../../src/server/dialect.ts';
import type { Sent } from '../_client.ts';
import { sharedPlace } from '../_everywhere.ts';
import { pipelined, type Answer } from '../_pipeline.ts';
import { everyNth } from '../_whole.ts';
import { filled, targetsOf, type Target } from './_targets.ts';

// No response lets a browser run markup that a client has put into the request.

const MARKUP = '<script>alert(1)</script>';
const ENCODED = encodeURIComponent(MARKUP);
/** Types whose markup browsers execute, and types that they sniff. */
const TYPES = [
  'text/html',
  'TEXT/HTML;charset=utf-16',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'multipart/x-mixed-replace;boundary=x',
  'text/plain,text/html',
  'x/y',
  'x',
  '',
];

/** Types that browsers show as text or JSON or download, and those that need no nosniff. */
const SHOWN =
  /^(?:text\/plain|text\/event-stream|application\/(?:x-ndjson|octet-stream|(?:problem\+)?json))(?:;|$)/;
const NEVER_SNIFFED = /^application\/(?:problem\+)?json(?:;|$)/;

function expectHarmless(asked: unknown, { headers, body }: Answer): void {
  if (!body.includes('<script>alert')) return;
  const { 'content-type': type = '', 'x-content-type-options': sniffing } = headers;
  const isNotSniffed = sniffing === 'nosniff' || NEVER_SNIFFED.test(type);
  expect({ asked, type, isShown: SHOWN.test(type), isNotSniffed }).toMatchObject({
    isShown: true,
    isNotSniffed: true,
  });
}

describe.each(DIALECT_NAMES)('%s', (dialect) => {
  const settings = ['--dialect', dialect, '--max-duration', '0'];
  const { client, running } = sharedPlace('http/1.1', ...settings);
  let targets: readonly Target[];
  beforeAll(async () => {
    const all = await targetsOf(client());
    // One method of each path. Faults end the connection before a response is complete.
    const complete = all.filter(({ path }) => !path.startsWith('/fault/'));
    targets = [...new Map(complete.map((target) => [target.path, target])).values()];
  });

  const before = new Set<string>();

  /** Requests every endpoint with its path parameters filled in, each request only once. */
  const askAll = async (
    fill: (example: string) => string,
    query: string,
    sent: Sent = {},
  ): Promise<number> => {
    const requests = targets
      .map((target) => {
        const method = sent.body === undefined ? target.method : 'POST';
        return { ...sent, method, target: `${filled(target, fill)}${query}` };
      })
      .filter((request) => !before.has(JSON.stringify(request)));
    for (const request of requests) before.add(JSON.stringify(request));
    const answers = await pipelined(running().port, requests);
    for (const [at, answer] of answers.entries()) expectHarmless(requests[at], answer);
    return targets.length;
  };

  test.each(everyNth(3, TYPES))('in the query, and content-type=%s', async (type) => {
    const asked = `content-type=${encodeURIComponent(type)}`;
    for (const query of [
      `${ENCODED}=${ENCODED}&${asked}`,
      `${asked}&X-Content-Type-Options=none`,
    ]) {
      expect(await askAll(encodeURIComponent, `?${query}&x=${ENCODED}`)).toBeGreaterThan(0);
    }
  });

  test.each(everyNth(3, TYPES))('in the path, and content-type=%s', async (type) => {
    const query = `?content-type=${encodeURIComponent(type)}`;
    const base64 = Buffer.from(MARKUP).toString('base64url');
    await askAll(() => ENCODED, query);
    await askAll(() => base64, query);
    await askAll((example) => (example === 'encode' ? 'decode' : base64), query);
  });

  test.each(everyNth(4, ['text/html', 'image/svg+xml,*/*', '*/*', MARKUP]))(
    'in request headers, with Accept: %s',
    async (accept) => {
      const fields = ['user-agent', 'cookie', 'referer', 'origin', 'x-a', 'authorization', 'via'];
      const headers = Object.fromEntries(fields.map((name) => [name, MARKUP]));
      await askAll(encodeURIComponent, '', {
        headers: { ...headers, accept, 'x-request-id': MARKUP },
      });
      const forwarded = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for', 'host'];
      const more = Object.fromEntries(forwarded.map((name) => [name, `a"${MARKUP}`]));
      await askAll(encodeURIComponent, '', { headers: { accept, ...more } });
    },
  );

  test.each(
    everyNth(3, ['text/html', 'application/x-www-form-urlencoded', 'application/json', 'x/y']),
  )('in content of type %s', async (type) => {
    const headers = { 'content-type': type, accept: 'text/html' };
    for (const body of [MARKUP, JSON.stringify({ [MARKUP]: MARKUP }), `${MARKUP}=${MARKUP}`]) {
      await askAll(encodeURIComponent, '', { headers, body });
    }
  });
});
