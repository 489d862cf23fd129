import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../../src/net/connection.ts';
import { ReadTurns } from '../../../src/protocols/http2/read-turns.ts';
import { openClient } from '../../_client.ts';
import { startService } from '../../_service.ts';

/** Connections of these names, and what is done to them. */
function connections(...names: string[]) {
  const done: string[] = [];
  const all = names.map((name) => ({
    pauseReading: () => void done.push(`pause ${name}`),
    resumeReading: () => void done.push(`resume ${name}`),
  }));
  return { done, all };
}

describe('the turns of reading', () => {
  test('a connection is paused by another request beyond the budget', () => {
    const turns = new ReadTurns();
    const { done, all } = connections('a');
    for (const now of [100, 105, 110]) for (const each of all) turns.received(each, now);
    expect(done).toEqual([]);
    for (const now of [110.1, 200]) for (const each of all) turns.received(each, now);
    expect(done).toEqual(['pause a']);
  });

  test('a connection is not paused by its first request', () => {
    const turns = new ReadTurns();
    const { done, all } = connections('a', 'b', 'c');
    for (const [at, each] of all.entries()) turns.received(each, at * 100);
    expect(done).toEqual([]);
  });

  test('each iteration resumes one, in order', async () => {
    const turns = new ReadTurns();
    const { done, all } = connections('a', 'b', 'c');
    for (const now of [0, 100]) for (const each of all) turns.received(each, now);
    expect(done.splice(0)).toEqual(['pause a', 'pause b', 'pause c']);
    for (const name of ['a', 'b', 'c']) {
      await iteration();
      expect(done.splice(0)).toEqual([`resume ${name}`]);
    }
    await iteration();
    // The budget is that of an iteration.
    for (const each of all) turns.received(each, 1000);
    expect(done).toEqual([]);
  });
});

test.each(['h2c', 'h2'] as const)(
  '%s: many requests at once are read in turn',
  async (transport) => {
    const { port, service } = await startService();
    onTestFinished(() => service.close());
    const pause = vi.spyOn(Connection.prototype, 'pauseReading');
    onTestFinished(() => pause.mockRestore());
    const client = openClient(transport, port);
    const headers = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'v']));
    const sent = Array.from({ length: 1000 }, () => client.request('/healthz', { headers }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    client.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(pause).toHaveBeenCalled();
  },
);
