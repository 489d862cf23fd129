import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { openClient } from '../_client.ts';
import { startService } from '../_service.ts';
import { readInvocation } from '../../src/cli/command-line.ts';

overOneProtocol(
  ({ client }) => {
    test('shows the variables with the prefix', async () => {
      const received = await client().request('/env');
      expect(received.status).toBe(200);
      expect(parsed(received)).toEqual({ env: {} });
    });
  },
  '--env-prefix',
  'SHOWN_',
);

/** What a service with these variables shows. */
function shownOf(variables: Record<string, string>): Readonly<Record<string, string>> | undefined {
  const invocation = readInvocation([], variables);
  return invocation.command === 'serve' ? invocation.settings.environment : undefined;
}

test('only variables with the prefix are shown', async () => {
  const environment = { SHOWN_A: '1', SHOWN_: '', SHOW: '2', shown_b: '3', X_SHOWN_C: '4' };
  expect(shownOf({ ...environment, WIREBIN_ENV_PREFIX: 'SHOWN_' })).toEqual({
    SHOWN_A: '1',
    SHOWN_: '',
  });
  expect(shownOf(environment)).toBeUndefined();
  const { port } = await startService('--env-prefix', 'SHOWN_');
  const own = openClient('http/1.1', port);
  const index = await own.request('/', { headers: { accept: 'application/json' } });
  expect(index.body.toString()).toContain('"/env"');
});
