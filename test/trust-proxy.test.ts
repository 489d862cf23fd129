import { describe, expect, test } from 'vitest';
import type { Client } from './_client.ts';
import { parsed } from './_echo.ts';
import { everywhere } from './_everywhere.ts';
import { V1 } from './_proxy.ts';
import { exchange, GET, LAST } from './_raw.ts';
import { startService } from './_service.ts';

type Headers = Record<string, string | string[]>;

async function told(client: Client, headers: Headers): Promise<unknown[]> {
  const echo = parsed(await client.request('/get?a=1', { headers }));
  const { origin } = parsed(await client.request('/ip', { headers }));
  expect(origin).toBe(echo['origin']);
  for (const [name, value] of Object.entries(headers)) {
    const lines = [value].flat();
    const sent = (echo['raw_headers'] as [string, string][]).filter(
      ([field]) => field.toLowerCase() === name,
    );
    expect(sent.map(([, text]) => text)).toEqual(lines);
  }
  return [origin, echo['url']];
}

const FORWARDED = { forwarded: 'for=192.0.2.9, for="[2001:db8::7]:1";proto=https;host=a.example' };
const OLDER = {
  'x-forwarded-for': '192.0.2.9, 2001:db8::7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'a.example',
};

everywhere(
  ({ client, transport }) => {
    const scheme = transport === 'h2' || transport === 'https/1.1' ? 'https' : 'http';

    test('Forwarded of a trusted peer', async () => {
      const expected = ['2001:db8::7', 'https://a.example/get?a=1'];
      expect(await told(client(), FORWARDED)).toEqual(expected);
    });

    test('X-Forwarded-* of a trusted peer', async () => {
      const expected = ['2001:db8::7', 'https://a.example/get?a=1'];
      expect(await told(client(), OLDER)).toEqual(expected);
    });

    test('in a record of a stream', async () => {
      const record = parsed(await client().request('/stream/1', { headers: FORWARDED }));
      expect(record).toMatchObject({ origin: '2001:db8::7', url: 'https://a.example/stream/1' });
    });

    test('several lines', async () => {
      const lines = { 'x-forwarded-for': ['192.0.2.9', '192.0.2.1, 10.0.0.1'] };
      const [origin, url] = await told(client(), lines);
      expect(origin).toBe('192.0.2.1');
      expect(url).toMatch(new RegExp(`^${scheme}://127\\.0\\.0\\.1:\\d+/get`));
    });

    test('none', async () => {
      expect((await told(client(), {}))[0]).toBe('127.0.0.1');
    });
  },
  '--trust-proxy',
  '127.0.0.1,10.0.0.0/8',
);

describe('other addresses are not trusted', () => {
  everywhere(
    ({ client }) => {
      test.each([FORWARDED, OLDER])('with %j', async (headers) => {
        const [origin, url] = await told(client(), headers);
        expect(origin).toBe('127.0.0.1');
        expect(url).toMatch(/127\.0\.0\.1/);
      });
    },
    '--trust-proxy',
    '192.0.2.0/24,::1',
  );
});

describe('behind a PROXY header its source is the peer', () => {
  test.each([
    ['192.0.2.0/24', '2001:db8::7'],
    ['127.0.0.0/8', '192.0.2.1'],
  ])('--trust-proxy %s: %s', async (ranges, origin) => {
    const running = await startService('--proxy-protocol', 'require', '--trust-proxy', ranges);
    const request = GET('/ip', `Forwarded: ${FORWARDED.forwarded}\r\n${LAST}`);
    const bytes = Buffer.concat([V1, Buffer.from(request, 'latin1')]);
    expect(await exchange(running.port, bytes)).toContain(`"origin": "${origin}"`);
    running.service.close();
  });
});

test('an absolute target stays as it was sent, a redirect follows the proxy', async () => {
  const running = await startService('--trust-proxy', '127.0.0.1');
  const fields = `Forwarded: ${FORWARDED.forwarded}\r\n${LAST}`;
  const absolute = await exchange(running.port, GET('http://x/get', fields));
  expect(absolute).toContain('"url": "http://x/get"');
  const redirect = await exchange(running.port, GET('/absolute-redirect/1', fields));
  expect(redirect).toContain('Location: https://a.example/get\r\n');
  running.service.close();
});
