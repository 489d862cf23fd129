import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { Rehearsal, type Drainable } from '../../src/server/rehearsal.ts';
import { until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { parsed } from '../_echo.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { FrameClient, get, GOAWAY } from '../_frames.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { ask } from '../_walk.ts';
import { createService } from '../../src/index.ts';

const TOKEN = 'dGhpcy1pcw.~+/-_==';
const CONTROL = `--control=${TOKEN}`;
const AUTHORIZED = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } };

async function start(...args: string[]) {
  const running = await startService(CONTROL, ...args);
  return { ...running, client: openClient('http/1.1', running.port) };
}

async function readiness(port: number): Promise<number | undefined> {
  const response = await exchange(port, GET('/readyz', LAST));
  return statusesOf(response)[0];
}

/** Asks for a rehearsed stop, on a connection that is closed before. */
async function drain(port: number, query = ''): Promise<void> {
  const { status } = await ask('http/1.1', port, `/control/drain${query}`, AUTHORIZED);
  expect(status).toBe(202);
}

/** The readiness once it serves again, for so many times. */
async function readyAgain({ port, logged }: Running, times = 1): Promise<number | undefined> {
  await until(() => logged.filter(({ msg }) => msg === 'serving again').length === times);
  return readiness(port);
}

async function untilClosed(port: number): Promise<void> {
  await expect.poll(async () => openSocket(port).then(() => 'open', String)).toContain('REFUSED');
}

overBothProtocols(({ client }) => {
  test('readiness is set by hand, in both directions, and all else is served', async () => {
    for (const [query, ready] of [
      ['?ready=false', false],
      ['?ready=false', false],
      ['?ready=true', true],
      ['?ready=false', false],
      ['', true],
    ] as const) {
      const response = await client().request(`/control/ready${query}`, AUTHORIZED);
      expect([response.status, parsed(response)]).toEqual([200, { ready }]);
      const probe = await client().request('/readyz');
      expect(probe.status).toBe(ready ? 200 : 503);
      if (!ready) expect(parsed(probe)).toHaveProperty('type', '/problems/not-ready');
      expect((await client().request('/get')).status).toBe(200);
    }
  });

  const PATHS = ['/control/ready', '/control/drain', '/control/exit'];
  test.each(PATHS)('%s: 401 without the token', async (path) => {
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN}=`,
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN}, Bearer ${TOKEN}`,
      `Bearer ${TOKEN.toUpperCase()}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await client().request(path, { method: 'POST', headers });
      expect([authorization, response.status]).toEqual([authorization, 401]);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="wirebin control"');
      expect(response.body.toString()).not.toContain(TOKEN);
    }
    expect((await client().request('/readyz')).status).toBe(200);
  });

  test.each([
    ['/control/ready?ready=no', 400],
    ['/control/drain?lag=-1', 400],
    ['/control/drain?timeout=3601', 400],
    ['/control/drain?down=1e9', 400],
    ['/control/exit?code=256', 400],
    ['/control/exit?code=-1', 400],
    ['/control/exit?code=1.5', 400],
    ['/control', 404],
    ['/control/', 404],
  ])('%s: %d', async (target, status) => {
    expect((await client().request(target, AUTHORIZED)).status).toBe(status);
  });
}, CONTROL);

describe.each(['httpbin', 'go-httpbin', 'gateway-api', 'postman-echo'])(
  'the dialect %s',
  (dialect) => {
    test('has it with the setting', async () => {
      const { client } = await start('--dialect', dialect);
      const { status, body } = await client.request('/control/ready?ready=false', AUTHORIZED);
      expect([status, body.toString()]).toEqual([200, '{\n  "ready": false\n}\n']);
      expect((await client.request('/control/exit', { method: 'POST' })).status).toBe(401);
    });

    test('does not have it without', async () => {
      const { port } = await startService('--dialect', dialect);
      const { status, body } = await ask('http/1.1', port, '/control/exit', AUTHORIZED);
      expect(status).toBe(dialect === 'gateway-api' ? 200 : 404);
      expect(body.toString()).not.toContain('realm');
    });
  },
);

describe('the token', () => {
  test('is in no log, tap, metric, page or /env', async () => {
    vi.stubEnv('WIREBIN_CONTROL', TOKEN);
    vi.stubEnv('WIREBIN_OTHER', 'shown');
    const service = await createService({
      control: TOKEN,
      envPrefix: 'WIREBIN_',
      tap: true,
      inspect: true,
      metricsEnabled: true,
      logRequests: true,
    });
    vi.unstubAllEnvs();
    const client = openClient('http/1.1', service.port);
    await client.request('/control/ready', AUTHORIZED);
    await client.request('/control/ready', { method: 'POST' });
    const { body } = await client.request('/env');
    const { env } = JSON.parse(body.toString()) as { readonly env: object };
    expect(env).toMatchObject({ WIREBIN_OTHER: 'shown' });
    expect(env).not.toHaveProperty('WIREBIN_CONTROL');
    const { conn } = parsed(await client.request('/get'));
    const { id } = conn as { readonly id: string };
    const pages = [
      '/tap?duration=0',
      '/connections',
      `/connections/${id}`,
      '/metrics',
      '/openapi.json',
      '/',
    ];
    for (const page of pages) {
      const response = await client.request(page, { headers: { 'last-event-id': 'x-0' } });
      expect([page, response.status]).toEqual([page, 200]);
      expect(response.body.toString()).not.toContain(TOKEN);
    }
    client.close();
    await service.close();
  });

  test('is not in the log', async () => {
    const { client, logged } = await start('--log-level', 'trace', '--log-requests');
    await client.request('/control/ready', AUTHORIZED);
    await client.request('/control/ready', {
      method: 'POST',
      headers: { authorization: 'Bearer a' },
    });
    expect(logged.length).toBeGreaterThan(3);
    expect(JSON.stringify(logged)).not.toContain(TOKEN);
  });

  const NO_TOKENS = ['', 'a b', 'ä', '=', 'a=b', 'a\n'];
  test.each(NO_TOKENS)('%j cannot be one, and is not shown', async (token) => {
    const message = '--control (WIREBIN_CONTROL) cannot be this; allowed: letters';
    await expect(startService('--control', token)).rejects.toThrow(message);
  });
});

describe('a rehearsed stop', () => {
  test('first fails /readyz, while new connections are served as before', async () => {
    const { port, client } = await start();
    const plan = { lag: 60, timeout: 5, down: 0.2 };
    const target = '/control/drain?lag=60&timeout=5&down=0.2';
    const { status, body } = await client.request(target, AUTHORIZED);
    expect([status, JSON.parse(body.toString())]).toEqual([202, plan]);
    const probe = await client.request('/readyz');
    expect([probe.status, parsed(probe)['type']]).toEqual([503, '/problems/draining']);
    expect((await client.request('/control/drain', AUTHORIZED)).status).toBe(503);
    expect(await readiness(port)).toBe(503);
  });

  test('then closes the port, completes open requests, and serves again', async () => {
    const running = await start('--log-level', 'trace');
    const { port, logged } = running;
    const clients = transports.map((transport) => openClient(transport, port));
    const open = clients.map(async (each) => each.request('/delay/0.5'));
    await until(() => logged.filter(({ msg }) => msg === 'request received').length === 4);
    await drain(port, '?timeout=60&down=0.1');
    await untilClosed(port);
    expect((await Promise.all(open)).map((each) => each.status)).toEqual([200, 200, 200, 200]);
    expect(await readyAgain(running)).toBe(200);
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'serving again', cut: 0 }));
    for (const transport of transports) {
      const again = openClient(transport, port);
      const response = await again.request('/get');
      expect(response.status).toBe(200);
      expect(response.headers).not.toHaveProperty('connection', 'close');
      expect((await again.request('/get')).status).toBe(200);
    }
  });

  test('announces the close: Connection: close, and GOAWAY', async () => {
    const running = await start();
    const { port } = running;
    const socket = await openSocket(port);
    const frames = new FrameClient(await openSocket(port));
    frames.send(get(1, '/get'));
    await until(() => frames.isDone(1));
    await converse(socket, GET('/get'), (received) => received.endsWith('}\n'));
    await drain(port, '?timeout=60');
    await until(() => frames.got(GOAWAY).length > 0);
    const rest = await converse(socket, GET('/get'));
    expect(rest).toContain('\r\nConnection: close\r\n');
    socket.destroy();
    await until(() => frames.ended);
    expect(await readyAgain(running)).toBe(200);
  });

  test('aborts what takes longer', async () => {
    const { port, logged } = await start();
    const other = openClient('h2', port);
    const stuck = other.request('/delay/60').then(
      () => 'responded',
      () => 'aborted',
    );
    await other.request('/get');
    await drain(port, '?timeout=0');
    expect(await stuck).toBe('aborted');
    await until(() => logged.some(({ msg, cut }) => msg === 'serving again' && cut === 1));
    expect(await readiness(port)).toBe(200);
  });

  test('ends streams of /tap, which can be read again', async () => {
    const running = await start('--tap');
    const { port, client } = running;
    const events = openClient('http/1.1', port).request('/tap');
    await expect
      .poll(async () => (await client.request('/connections')).body.toString())
      .toContain('"open_requests": 1');
    client.close();
    await drain(port, '?timeout=60');
    expect((await events).body.toString()).toContain('draining');
    expect(await readyAgain(running)).toBe(200);
    expect((await ask('http/1.1', port, '/tap?duration=0')).status).toBe(200);
  });

  test('keeps readiness by hand, and can be repeated', async () => {
    const running = await start();
    const { port } = running;
    await ask('http/1.1', port, '/control/ready?ready=false', AUTHORIZED);
    for (let nth = 1; nth <= 3; nth++) {
      await drain(port);
      expect(await readyAgain(running, nth)).toBe(503);
    }
    await ask('http/1.1', port, '/control/ready', AUTHORIZED);
    expect(await readiness(port)).toBe(200);
  });

  const STOPS = ['lag=60', 'timeout=60', 'timeout=0&down=60'];
  test.each(STOPS)('a stop during %s takes over', async (query) => {
    const { port, service, logged } = await start('--log-level', 'trace');
    const other = openClient('http/1.1', port);
    const open = query.includes('down') ? undefined : other.request('/delay/0.3');
    const arrived = (): number => logged.filter(({ msg }) => msg === 'request received').length;
    await until(() => arrived() === (open ? 1 : 0));
    await drain(port, `?${query}`);
    if (!query.startsWith('lag')) await untilClosed(port);
    expect(await service.drain()).toBe(0);
    expect((await open)?.status).toBe(open && 200);
    await expect(openSocket(port)).rejects.toThrow('REFUSED');
    expect(logged.some(({ msg }) => msg === 'serving again')).toBe(false);
  });
});

describe('/control/exit in an embedded service', () => {
  test('closes the service and leaves the process as it is', async () => {
    const service = await createService({ control: TOKEN });
    const client = openClient('http/1.1', service.port);
    const stuck = openClient('h2', service.port);
    const open = stuck.request('/delay/60').then(
      () => 'responded',
      () => 'aborted',
    );
    await stuck.request('/get');
    const { status, body } = await client.request('/control/exit?code=255', AUTHORIZED);
    expect([status, JSON.parse(body.toString())]).toEqual([202, { code: 255 }]);
    expect(await service.exited).toBe(255);
    expect(await open).toBe('aborted');
    await expect(openSocket(service.port)).rejects.toThrow('REFUSED');
    client.close();
    stuck.close();
    await service.close();
  });

  test('even if the client does not wait for the response', async () => {
    const service = await createService({ control: TOKEN });
    const socket = await openSocket(service.port);
    socket.write(
      `POST /control/exit?code=3 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
      () => socket.resetAndDestroy(),
    );
    expect(await service.exited).toBe(3);
    await service.close();
  });
});

test('a port that cannot be opened again ends the service', async () => {
  const calls: string[] = [];
  const service: Drainable = {
    markNotReady: async () => void calls.push('not ready'),
    closePort: () => void calls.push('close'),
    drainConnections: async () => 0,
    openPort: async () => Promise.reject(new Error('port 1 is in use')),
    resume: async () => void calls.push('resume'),
  };
  const logged: object[] = [];
  const log = { info: () => undefined, error: (fields: object) => void logged.push(fields) };
  const failed = new EventTarget();
  const rehearsal = new Rehearsal(service, log, () => failed.dispatchEvent(new Event('failed')));
  const failure = once(failed, 'failed');
  expect(await rehearsal.start({ lag: 0, timeout: 0, down: 0 })).toBe(true);
  await failure;
  expect(calls).toEqual(['not ready', 'close']);
  expect(logged).toEqual([{ detail: 'port 1 is in use' }]);
});
