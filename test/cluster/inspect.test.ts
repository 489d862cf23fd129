import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { get, storyOf } from '../inspect/_story.ts';
import { connOf, contentOf, installed, served, times } from './_workers.ts';

installed();
const captures = mkdtempSync(join(tmpdir(), 'wirebin-'));
afterAll(() => rmSync(captures, { recursive: true }));
const two = served('--workers', '2', '--inspect', '--inspect-file', captures);

test('any worker tells the story of a connection of any other', async () => {
  const { port } = two();
  const conns = await times(6, () => connOf(port));
  expect(new Set(conns.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  const stories = await Promise.all(
    conns.flatMap(({ id }) => [storyOf(port, id), storyOf(port, id), storyOf(port, id)]),
  );
  expect(stories.map(({ id, requests }) => [id, requests])).toEqual(
    conns.flatMap(({ id }) => [
      [id, 1],
      [id, 1],
      [id, 1],
    ]),
  );
  expect((await get(port, '/connections/3-1')).status).toBe(404);
  const { wire } = await contentOf<{ wire: object }>(port, '/get');
  expect(wire).toMatchObject({ line: { target: '/get' } });
});

test('each worker writes its own capture', () => {
  const files = readdirSync(captures);
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(captures, file)).mode & 0o777).toBe(0o600);
});
