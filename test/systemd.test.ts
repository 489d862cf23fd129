import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings, variableOf } from '../src/settings/settings.ts';

const unit = readFileSync(new URL('../deploy/systemd/wirebin.service', import.meta.url), 'utf8');

/** The last value of a directive; it may be of several words. */
function valueOf(name: string): string | undefined {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1];
}

test('the unit waits longer for a stop than a drain takes by default', () => {
  const { drainDelay, drainTimeout } = settings;
  const seconds = Number(/^(\d+)s$/.exec(valueOf('TimeoutStopSec') ?? '')?.[1]);
  expect(seconds).toBeGreaterThan(drainDelay.default + drainTimeout.default);
});

test('each connection of a worker can have a descriptor', () => {
  expect(Number(valueOf('LimitNOFILE'))).toBeGreaterThan(settings.maxConnections.default);
});

test('the certificate is kept in the folder that systemd makes', () => {
  const state = `${variableOf('certs')}=%S/${valueOf('StateDirectory')}`;
  expect(valueOf('Environment')?.split(' ')).toContain(state);
});

test('usage errors, whose exit code test/main.test.ts knows, are not tried again', () => {
  expect([valueOf('Restart'), valueOf('RestartPreventExitStatus')]).toEqual(['on-failure', '2']);
});
