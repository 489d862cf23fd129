import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exchange, GET, LAST, statusesOf } from '../_raw.ts';
import { replace, startCluster } from './_cluster.ts';
import { times } from './_workers.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('rules of a file, and new ones, are those of all workers, and of restarted ones', async () => {
  const path = join(folder, 'rules.txt');
  const write = (rules: string): void => writeFileSync(path, rules);
  write('GET /a: status=503');
  const cluster = await startCluster('--respond', `@${path}`);
  const { port, primary, workers } = cluster;
  const statuses = async (): Promise<Set<number>> =>
    new Set((await times(4, () => exchange(port, GET('/a', LAST)))).flatMap(statusesOf));
  expect(await statuses()).toEqual(new Set([503]));
  write('GET /a: status=201');
  await primary.renewRules();
  expect(await statuses()).toEqual(new Set([201]));
  write('GET /a: stauts=202');
  await expect(primary.renewRules()).rejects.toThrow(`${path}:1: stauts`);
  await replace(cluster, workers[0]);
  expect(await statuses()).toEqual(new Set([201]));
});

test('a sequence is counted for all workers together', async () => {
  const { port } = await startCluster();
  const target = '/respond/a?first=status=501&first=status=502&first=status=503&then=status=200';
  const answers = [];
  for (let at = 0; at < 5; at++) answers.push(await exchange(port, GET(target, LAST)));
  expect(answers.flatMap(statusesOf)).toEqual([501, 502, 503, 200, 200]);
});
