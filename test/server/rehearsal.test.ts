import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Rehearsal, type Drainable } from '../../src/server/rehearsal.ts';

/** A rehearsal during which a stop begins, in that call. @returns what was called and logged, in order */
async function stoppedDuring(name: keyof Drainable): Promise<string[]> {
  const calls: string[] = [];
  const call = (called: keyof Drainable): void => {
    calls.push(called);
    if (called === name) rehearsal.cancel();
  };
  const log = {
    info: (_fields: object, message: string) => void calls.push(message),
    error: (_fields: object, message: string) => void calls.push(message),
  };
  const service: Drainable = {
    markNotReady: async () => call('markNotReady'),
    closePort: () => call('closePort'),
    drainConnections: async () => {
      call('drainConnections');
      return 0;
    },
    openPort: async () => call('openPort'),
    resume: async () => call('resume'),
  };
  const rehearsal = new Rehearsal(service, log, () => calls.push('failure'));
  await rehearsal.start({ lag: 0, timeout: 0, down: 0 });
  const deadline = performance.now() + 5000;
  while (!calls.includes(name) && performance.now() < deadline) await turn();
  await turn();
  return calls;
}

const BEGUN = ['markNotReady', 'rehearsing a stop', 'closePort', 'drainConnections', 'openPort'];

test('a stop while the port is opened again closes it', async () => {
  expect(await stoppedDuring('openPort')).toEqual([...BEGUN, 'closePort']);
});

test('a stop while it serves again is not followed by another rehearsal', async () => {
  expect(await stoppedDuring('resume')).toEqual([...BEGUN, 'resume']);
});
