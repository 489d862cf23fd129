import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import { int } from '../../../src/server/params.ts';
import { empty, reply } from '../../../src/server/reply.ts';
import { startAdapters, until, type Adapters } from '../../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../../_raw.ts';
import { HTTP1 } from '../../_shared.ts';

const COPIED = 16 * 1024;

const whole = endpoint({
  path: '/whole/{n}',
  group: 'content',
  summary: 'n bytes that are there already, every value in turn.',
  params: { n: int({ min: 0, max: 2 ** 20 }) },
  responses: {},
  handle: ({ params: { n } }) => reply('application/octet-stream', bytes(n)),
});

const careless = endpoint({
  path: '/careless/{n}',
  group: 'content',
  summary: 'Fields that no response may have.',
  params: { n: int({ min: 0, max: 4 }) },
  responses: {},
  handle: ({ params: { n } }) =>
    empty(
      200,
      [
        ['X-Split', 'a\r\nSet-Cookie: b=c'],
        ['X-Nul', 'a\0'],
        ['X-Wide', 'ä€'],
        ['Two Words', 'a'],
        ['', 'a'],
      ][n],
    ),
});

function bytes(n: number): Buffer {
  return Buffer.from(Array.from({ length: n }, (_, at) => at % 256));
}

function names(response: string): string[] {
  return [...response.matchAll(/^([\w-]+): /gm)].map(([, name]) => name ?? '');
}

describe.each(HTTP1)('%s', (_, alpn) => {
  let adapters: Adapters;
  beforeAll(async () => {
    adapters = await startAdapters({}, [whole, careless]);
  });
  afterAll(() => adapters.close());

  test.each([0, 1, 255, COPIED, COPIED + 1, 300_000])('%i bytes arrive as they are', async (n) => {
    const received = await exchange(adapters.port, GET(`/whole/${n}`, LAST), alpn);
    const kept = await converse(
      await openSocket(adapters.port, alpn),
      GET(`/whole/${n}`) + GET('/healthz', LAST),
    );
    const content = bytes(n).toString('latin1');
    expect(received.endsWith(`\r\n\r\n${content}`)).toBe(true);
    expect(kept).toContain(`\r\n\r\n${content}HTTP/1.1 200 OK\r\n`);
    expect(kept.endsWith('\r\n\r\nOK')).toBe(true);
  });

  test('small responses have the same fields on persistent and closing connections', async () => {
    const [kept, last] = (
      await exchange(adapters.port, GET('/healthz') + GET('/healthz', LAST), alpn)
    ).split(/(?=HTTP\/1\.1 200)/);
    expect(
      names(kept ?? '')
        .concat('Connection')
        .toSorted(),
    ).toEqual(names(last ?? '').toSorted());
    expect(kept).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/m);
    const [date = ''] = /(?<=^Date: ).*$/m.exec(kept ?? '') ?? [];
    expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(5000);
  });

  test('small responses wait for a slow one before them', async () => {
    const before = adapters.held.length;
    const socket = await openSocket(adapters.port, alpn);
    const all = converse(
      socket,
      GET('/hold') + GET('/whole/3') + GET('/healthz') + GET('/hold') + GET('/healthz', LAST),
    );
    await until(() => adapters.held.length === before + 2);
    adapters.held[before + 1]?.respond();
    adapters.held[before]?.respond();
    const received = await all;
    expect(statusesOf(received)).toEqual([200, 200, 200, 200, 200]);
    const contents = received
      .split(/HTTP\/1\.1 200 OK\r\n/)
      .map((part) => part.split('\r\n\r\n')[1]);
    expect(contents).toEqual([
      undefined,
      expect.stringMatching(/^held/),
      '\0\u0001\u0002',
      'OK',
      expect.stringMatching(/^held/),
      'OK',
    ]);
  });

  test.each([0, 1, 2, 3, 4])('no field splits a response (careless handler %i)', async (n) => {
    const defects = adapters.defects.length;
    const received = await exchange(
      adapters.port,
      GET(`/careless/${n}`) + GET('/healthz', LAST),
      alpn,
    );
    expect(statusesOf(received)).toEqual([500, 200]);
    expect(received).not.toMatch(/Set-Cookie|X-Split|X-Nul|X-Wide|Two Words/);
    expect(adapters.defects).toHaveLength(defects + 1);
  });
});
