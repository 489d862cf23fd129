import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { measureDuring } from '../../../src/bench/during/during.ts';
import { duringView } from '../../../src/bench/during/view.ts';
import { Side } from '../../../src/bench/measure.ts';
import type { Protocol } from '../../../src/bench/protocol.ts';
import { scenarios, type Scenario } from '../../../src/bench/scenarios.ts';
import { Target } from '../../../src/check/target.ts';
import { createService, type Service } from '../../../src/index.ts';
import { sleepFor } from '../../_shell.ts';

const SHORT = sleepFor(100);

let origin: Service;
beforeAll(async () => {
  origin = await createService();
});
afterAll(() => origin.close());

const SETTINGS = {
  rounds: 1,
  seconds: 0.2,
  connections: 4,
  h2Connections: 2,
  streams: 4,
  rate: undefined,
};

/** Loads a target with 500 requests/s for half a second or so. */
async function loaded(
  url: string,
  {
    protocol = 'http/1.1',
    command = SHORT,
    journal: journalUrl = origin.httpOrigin,
    part = {},
    timeout = 5000,
  }: {
    protocol?: Protocol;
    command?: string;
    journal?: string;
    part?: Partial<Scenario>;
    timeout?: number;
  } = {},
) {
  const [first] = scenarios;
  if (!first) throw new Error('there is no scenario');
  const scenario = { ...first, ...part };
  const target = new Target({ url: new URL(url), insecure: true });
  const journal = new Target({ url: new URL(journalUrl), insecure: true });
  const settings = { ...SETTINGS, timeout };
  const side = new Side({ target, protocol, origin: undefined }, scenario, settings, 2);
  const { signal } = new AbortController();
  const load = {
    side,
    scenario,
    target,
    journal,
    command,
    rate: 500,
    seconds: 0.2,
    timeout,
    signal,
  };
  return duringView(await measureDuring(load));
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
const NONE = { lost: 0, responses_lost: 0, answered_elsewhere: 0, repeated: 0, unknown: 0 };

test.each(['http/1.1', 'h2c'] as const)('on %s, each request arrives once', async (protocol) => {
  const view = await loaded(origin.httpOrigin, { protocol });
  expect(view).toMatchObject({
    scenario: 'healthz',
    protocol,
    command: { text: SHORT, exit_code: 0 },
    rate: 500,
    errors: {},
    journal: NONE,
    bucket_ms: 100,
    note: '',
  });
  expect(view.requests).toBeGreaterThan(0);
  const parts = [view.before, view.during, view.after].map(({ requests }) => requests);
  expect(sum(parts)).toBe(view.requests);
  expect(sum(view.buckets.map(({ requests }) => requests))).toBe(view.requests);
});

test.each(['http/1.1', 'h2c'] as const)('on %s, fields may be long', async (protocol) => {
  const fields = [['x-long', 'a'.repeat(4100)]] as const;
  const view = await loaded(origin.httpOrigin, { protocol, part: { fields } });
  expect(view).toMatchObject({ errors: {}, journal: NONE, note: '' });
});

test('of several requests, each is sent', async () => {
  const paths: (string | undefined)[] = [];
  const url = await startRelay((_, path) => {
    paths.push(path);
    return 'forward';
  });
  const others = [{ method: 'GET', path: '/', weight: 3, isContent: () => true }];
  const view = await loaded(url, { part: { others, isFixedLength: false } });
  expect(view).toMatchObject({ errors: {}, journal: NONE });
  const share = paths.filter((path) => path === '/').length / paths.length;
  expect(share).toBeGreaterThan(0.6);
});

/** What a relay does with a request. */
type Way = 'forward' | 'drop' | 'cut' | 'answer' | 'repeat' | 'hang';

const MARKS = ['x-wirebin-journal', 'x-wirebin-bench'];

/**
 * Starts a relay for requests of loads.
 *
 * @param wayOf what it does with a request, by its number from 0
 * @param names of the fields that it forwards
 */
async function startRelay(
  wayOf: (number: number, path: string | undefined) => Way,
  names = MARKS,
): Promise<string> {
  const fieldsOf = (headers: IncomingHttpHeaders) =>
    Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  let requests = 0;
  const relay = createServer(({ url: path, headers, socket }, response) => {
    const isLoad = !String(headers['x-wirebin-journal']).endsWith('probe');
    const way = isLoad ? wayOf(requests++, path) : 'forward';
    const forward = async () =>
      (await fetch(`${origin.httpOrigin}${path}`, { headers: fieldsOf(headers) })).text();
    if (way === 'hang') return;
    if (way === 'drop') socket.destroy();
    else if (way === 'cut') void forward().then(() => socket.destroy());
    else if (way === 'answer') response.end('OK');
    else {
      const all = way === 'repeat' ? [forward(), forward()] : [forward()];
      void Promise.all(all).then(([text]) => response.end(text));
    }
  });
  await new Promise<void>((resolve) => void relay.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void relay.close());
  return `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}

test('each request that something happens to is counted', async () => {
  const ways: readonly (readonly [place: number, way: Way])[] = [
    [1, 'drop'],
    [3, 'cut'],
    [5, 'answer'],
    [7, 'repeat'],
  ];
  const done: Way[] = [];
  const url = await startRelay((number) => {
    const [, way = 'forward'] = ways.find(([at]) => number % 8 === at) ?? [];
    done.push(way);
    return way;
  });
  const view = await loaded(url);
  const count = (way: Way): number => done.filter((each) => each === way).length;
  expect(count('repeat')).toBeGreaterThan(0);
  expect(view.requests).toBe(done.length);
  expect(view.journal).toEqual({
    lost: count('drop'),
    responses_lost: count('cut'),
    answered_elsewhere: count('answer'),
    repeated: count('repeat'),
    unknown: 0,
  });
  expect(Object.values(view.errors)).toEqual([count('drop') + count('cut')]);
});

test('requests that no connection was free for were not sent', async () => {
  const url = await startRelay(() => 'hang');
  const { requests, errors, not_sent: notSent, journal } = await loaded(url, { timeout: 200 });
  expect(errors).toEqual({ timeout: requests });
  expect(notSent).toBeGreaterThan(0);
  expect(journal).toEqual({ ...NONE, lost: requests - notSent });
});

test('without a journal, requests that failed are not known to be lost', async () => {
  const service = await createService({ journalEntries: 0 });
  onTestFinished(() => service.close());
  const view = await loaded(service.httpOrigin, { journal: service.httpOrigin });
  expect(view).toMatchObject({ errors: {}, journal: null });
  expect(view.note).toBe(
    'Requests that failed are not known to be lost: the origin keeps no journal of them (--journal-entries), or it is that of another origin.',
  );
});

test('without the number of requests in the journal, neither', async () => {
  const url = await startRelay(() => 'forward', ['x-wirebin-journal']);
  const view = await loaded(url);
  expect(view).toMatchObject({ errors: {}, journal: null });
  expect(view.note).toContain('known to be lost: what is between removes X-Wirebin-Bench,');
});

test('the exit code of the command is kept', async () => {
  const { command } = await loaded(origin.httpOrigin, { command: 'exit 3' });
  expect(command).toMatchObject({ text: 'exit 3', exit_code: 3 });
});
