import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { parsed } from './_echo.ts';
import { overBothProtocols } from './_everywhere.ts';
import { converse, openSocket } from './_raw.ts';
import { startService } from './_service.ts';
import { openClient } from './_client.ts';

const ECHOES = ['/anything/a', '/get', '/cache', '/trailers'];

overBothProtocols(
  ({ client }) => {
    test('every response and every echo has the name', async () => {
      for (const target of ECHOES) {
        const received = await client().request(target);
        expect([target, parsed(received)['instance']]).toEqual([target, 'blue 1']);
      }
      for (const target of ['/get', '/nowhere', '/status/204', '/bytes/x']) {
        const { headers } = await client().request(target);
        expect([target, headers['x-instance']]).toEqual([target, 'blue 1']);
      }
      expect(parsed(await client().request('/version'))).toHaveProperty('instance', 'blue 1');
    });

    test('another dialect has it in X-Instance only', async () => {
      const { headers, body } = await client().request('/get?dialect=httpbin');
      expect(headers['x-instance']).toBe('blue 1');
      expect(body.toString()).not.toContain('blue 1');
    });
  },
  '--name',
  'blue 1',
  '--conn-headers',
);

overBothProtocols(
  ({ client }) => {
    test('without --conn-headers there is no X-Instance', async () => {
      const { headers, body } = await client().request('/get');
      expect(headers).not.toHaveProperty('x-instance');
      expect(body.toString()).toContain('"instance": "a"');
    });
  },
  '--name',
  'a',
);

overBothProtocols(({ client }) => {
  test('without a name there is none', async () => {
    const { headers, body } = await client().request('/get');
    expect(headers).not.toHaveProperty('x-instance');
    expect(body.toString()).not.toContain('instance');
    expect(parsed(await client().request('/version'))).not.toHaveProperty('instance');
  });
}, '--conn-headers');

test('the response to an invalid message has it', async () => {
  const { port } = await startService('--conn-headers', '--name', 'a');
  const socket = await openSocket(port);
  expect(await converse(socket, 'no message\r\n\r\n')).toContain('\r\nX-Instance: a\r\n');
  socket.destroy();
});

describe('the name by default', () => {
  test.each([
    [['--hostname-enabled'], hostname()],
    [['--hostname-enabled', '--name', 'a'], 'a'],
    [['--dialect', 'gateway-api', '--pod-name', 'pod-1'], 'pod-1'],
    [['--dialect', 'gateway-api', '--pod-name', 'pod-1', '--name', 'a'], 'a'],
    [['--dialect', 'gateway-api', '--pod-name', 'a\nb'], undefined],
    [['--dialect', 'gateway-api', '--pod-name', 'a\nb', '--hostname-enabled'], hostname()],
    [['--pod-name', 'pod-1'], undefined],
  ])('with %j', async (args, name) => {
    const { port } = await startService('--conn-headers', ...args);
    const client = openClient('http/1.1', port);
    const { status, headers } = await client.request('/get');
    expect([status, headers['x-instance']]).toEqual([200, name]);
  });
});

test.each(['', ' a', 'a ', 'a\r\nb', 'ä', 'a'.repeat(256)])('%j cannot be a name', async (name) => {
  await expect(startService('--name', name)).rejects.toThrow('--name (WIREBIN_NAME) cannot be');
});
