import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { startService } from '../_service.ts';
import { readSettings } from '../_settings.ts';
import { ask } from '../_walk.ts';

overOneProtocol(({ client }) => {
  test('shows the variables with the prefix', async () => {
    const received = await client().request('/env');
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({ env: {} });
  });
}, '--env-prefix=SHOWN_');

test('only variables with the prefix are shown', async () => {
  const environment = { SHOWN_A: '1', SHOWN_: '', SHOW: '2', shown_b: '3', X_SHOWN_C: '4' };
  const shown = readSettings([], { ...environment, WIREBIN_ENV_PREFIX: 'SHOWN_' }).environment;
  expect(shown).toEqual({ SHOWN_A: '1', SHOWN_: '' });
  expect(readSettings([], environment).environment).toBeUndefined();
  const { port } = await startService('--env-prefix', 'SHOWN_');
  const index = await ask('http/1.1', port, '/', { headers: { accept: 'application/json' } });
  expect(index.body.toString()).toContain('"/env"');
});
