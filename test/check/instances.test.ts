import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import { Instances, JournalGap } from '../../src/check/instances.ts';
import { startOrigin, type RunningOrigin } from '../../src/check/own-origin.ts';
import { probe } from '../../src/check/probe.ts';
import { Target } from '../../src/check/target.ts';
import { watchOf } from '../../src/check/watched.ts';
import { until } from '../_adapters.ts';
import { streams } from '../_streams.ts';
import { startBalancer } from './_balancer.ts';
import { startGateway } from './_gateway-server.ts';

const TIME = 5000;

const directory = mkdtempSync(join(tmpdir(), 'wirebin-instances-'));
let origins: readonly RunningOrigin[];
beforeAll(async () => {
  origins = await Promise.all([startOrigin(0), startOrigin(0)]);
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all(origins.map((origin) => origin.close()));
});

test('one that was restarted does not count again by what it has answered before', () => {
  const instances = new Instances();
  instances.saw('first');
  instances.counted();
  const { generation } = instances;
  instances.saw('second');
  instances.forget();
  instances.saw('second');
  instances.sawDuring(generation, ['first', 'second']);
  instances.counted();
  expect(instances).toMatchObject({ count: 1, gap: undefined });
  instances.sawDuring(instances.generation, ['third', undefined]);
  expect(instances).toMatchObject({ count: 2, isCounted: false });
});

const portOf = (at: number): number => Number(origins[at]?.url.port);
const urlOf = (at: number): URL => new URL(`http://127.0.0.1:${portOf(at)}`);

/** A correct gateway in front of a balancer. @param pick an origin, by the number of the connection */
async function gatewayTo(pick: (connection: number) => number): Promise<URL> {
  const balancer = await startBalancer((connection) => portOf(pick(connection)));
  const gateway = await startGateway({ originPort: Number(balancer.url.port) });
  onTestFinished(async () => void (await Promise.all([gateway.close(), balancer.close()])));
  return new URL(`http://127.0.0.1:${gateway.url.port}`);
}

const inTurn = (connection: number): number => connection % 2;

/** Whether the run that is going on has written something: with --trace, it is after the probe. */
let hasTraced = false;

/** The outcomes of a run, by check. */
async function outcomesOf(url: URL, ...args: readonly string[]) {
  let out = '';
  hasTraced = false;
  const json = join(directory, 'report.json');
  const given = ['--only', 'retry/*-*', '--rate', '1000', '--report', `json=${json}`];
  const code = await runCheck(
    [url.href, ...given, ...args],
    streams({
      out: (text) => {
        out += text;
        hasTraced = true;
      },
    }),
  );
  const { checks } = JSON.parse(readFileSync(json, 'utf8')) as CheckReport;
  const outcomes = checks.map(({ id, front, outcome }) => `${front} ${id} ${outcome}`);
  return { code, out, outcomes, reasons: new Set(checks.map(({ reason }) => reason)) };
}

const isVerdict = (outcome: string): boolean => !/ (?:not-applicable|blocked)$/.test(outcome);

test('with the journals of both instances, verdicts are those with one', async () => {
  const one = await outcomesOf(await gatewayTo(() => 0), '--origin', urlOf(0).href);
  const both = ['--origin', urlOf(0).href, '--origin', urlOf(1).href];
  const two = await outcomesOf(await gatewayTo(inTurn), ...both);
  expect(one.out).toContain('Backend: wirebin ');
  expect(two.out).toContain('Backend: 2 instances of wirebin ');
  expect(two.outcomes).toEqual(one.outcomes);
  expect(two.outcomes.filter(isVerdict).length).toBeGreaterThan(10);
});

test.each([
  [[], '2 instances of wirebin answer behind the target, and the journal of 2'],
  [[0], '2 instances of wirebin answer behind the target, and the journal of one'],
])('what needs the journal is blocked if only those of %j can be read', async (known, reason) => {
  const named = known.flatMap((at) => ['--origin', urlOf(at).href]);
  const { code, outcomes, reasons } = await outcomesOf(await gatewayTo(inTurn), ...named);
  expect(outcomes.filter(isVerdict)).toEqual([]);
  expect([...reasons].join('\n')).toContain(`${reason} cannot be reached: name each by --origin`);
  expect(code).toBe(3);
});

test('an instance that is seen late blocks what was judged before', async () => {
  const url = await gatewayTo(() => (hasTraced ? 1 : 0));
  const { outcomes, out } = await outcomesOf(url, '--origin', urlOf(0).href, '--trace');
  expect(out).toContain('Backend: 2 instances of wirebin ');
  expect(outcomes.filter(isVerdict)).toEqual([]);
});

test('the entries of all journals are in order of time, and their connections are told apart', async () => {
  const url = await gatewayTo(inTurn);
  const target = new Target({ url, origins: [urlOf(0), urlOf(1)], insecure: false });
  const { instances, pooling } = await probe(target, TIME);
  expect({ instances, pooling }).toEqual({
    instances: 2,
    pooling: 'one connection for each request',
  });
  const tag = 'check-in-turn';
  for (let number = 0; number < 4; number++) await target.get('http/1.1', '/get', tag, TIME);
  const entries = await target.journal(tag, TIME);
  const times = entries.map(({ time }) => time);
  expect(times).toEqual(times.toSorted());
  const processes = entries.map(({ conn }) => conn.split('/')[0]);
  expect(new Set(processes.slice(0, 2))).toEqual(new Set(processes.slice(2)));
  expect(new Set(processes).size).toBe(2);
});

test('a wait for an entry ends when one instance has it', async () => {
  const target = new Target({ url: urlOf(0), origins: [urlOf(0), urlOf(1)], insecure: false });
  const waiting = target.journal('check-wait?wait=1&timeout=60', TIME);
  await target.get('http/1.1', '/get', 'check-wait', TIME);
  expect(await waiting).toHaveLength(1);
});

test('a watch that ends while it opens a connection leaves none', async () => {
  const sockets: Socket[] = [];
  // It never closes a connection itself.
  const origin = createServer({ keepAliveTimeout: 0 }, (_, response) => void response.end('{}'));
  origin.on('connection', (socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    origin.close();
    origin.closeAllConnections();
  });
  await once(origin, 'listening');
  const url = new URL(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`);
  const facts = await probe(new Target({ url: urlOf(0), insecure: false }), TIME);
  const target = new Target({ url: urlOf(0), origins: [url], insecure: false });
  const watch = watchOf(target, facts, TIME, new AbortController().signal);
  watch.start();
  watch.stop();
  await until(() => sockets.length === 1 && sockets[0]?.destroyed === true, undefined, TIME);
});

test('an origin at the URL of the target is an origin, too', () => {
  const url = urlOf(0);
  const target = new Target({ url, origins: [url], control: 'a', insecure: false });
  expect(target).toMatchObject({ hasOrigins: true, isDrainable: true });
});

test('an instance that was restarted is no other one', () => {
  const instances = new Instances();
  const url = new URL('http://127.0.0.1:1');
  instances.reached(url, 'a');
  instances.saw('a');
  expect(instances).toMatchObject({ count: 1, gap: undefined });
  instances.saw('b');
  expect(instances.gap).toMatch(/^2 instances .* the journal of one cannot be reached/);
  instances.reached(url, 'b');
  // A cache still has a response of the first.
  instances.saw('a');
  expect(instances).toMatchObject({ count: 1, gap: undefined });
});

test('an instance that no --origin leads to has no journal', async () => {
  const target = new Target({ url: urlOf(0), origins: [urlOf(1)], insecure: false });
  await target.journal('check-gap', TIME);
  target.instances.saw('a');
  await expect(target.journal('check-gap', TIME)).rejects.toThrow(JournalGap);
  expect(target.instances.hasReached).toBe(false);
  expect(target.instances.gap).toMatch(/^1 instance of wirebin answers .* name it by --origin$/);
});
