import { expect, test } from 'vitest';
import { listeningHere } from '../../../src/bench/cost/listening.ts';

test.each(['127.0.0.1', '127.1.2.3', 'localhost'])('%s is here', async (host) => {
  expect(await listeningHere({ host, port: 8080 })).toMatchObject({ port: 8080 });
});

test.each(['192.0.2.1', 'nowhere.invalid'])('%s is elsewhere', async (host) => {
  expect(await listeningHere({ host, port: 80 })).toBeUndefined();
});
