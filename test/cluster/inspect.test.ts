import { expect, test } from 'vitest';
import { get, storyOf } from '../inspect/_story.ts';
import { startCluster } from './_cluster.ts';
import { connOf, times } from './_workers.ts';
import { contentOf } from '../_walk.ts';

test('any worker tells the story of a connection of any other', async () => {
  const { port } = await startCluster('--inspect');
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
