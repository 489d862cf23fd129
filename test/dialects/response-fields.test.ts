import { constants } from 'node:http2';
import { afterAll, describe, expect, test } from 'vitest';
import { openClient, transports } from '../_client.ts';
import { sharedPlace } from '../_everywhere.ts';
import { everyNth } from '../_whole.ts';

/** Every field that node:http2 knows; some of them it refuses to send twice. */
const NAMES = Object.entries(constants)
  .filter(([constant]) => constant.startsWith('HTTP2_HEADER_'))
  .map(([, name]) => String(name));

describe.each(['wirebin', 'httpbin', 'go-httpbin', 'postman-echo'] as const)('%s', (dialect) => {
  const { running } = sharedPlace('http/1.1', '--dialect', dialect);
  afterAll(() => expect(running().logged).toEqual([]));

  test.each(transports)('any field can be set over %s', async (transport) => {
    const client = openClient(transport, running().port);
    for (const name of everyNth(5, NAMES)) {
      const { status } = await client.request(`/response-headers?${encodeURIComponent(name)}=1`);
      expect([name, status]).toEqual([name, status === 400 ? 400 : 200]);
    }
  });

  test.each(transports)('a single-valued field is the requested one over %s', async (transport) => {
    const client = openClient(transport, running().port);
    const query = 'X-Content-Type-Options=mine&Content-Type=text/plain&X-Request-Id=x';
    const { status, headers } = await client.request(`/response-headers?${query}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-content-type-options': 'mine',
      'content-type': 'text/plain',
      'x-request-id': 'x',
    });
  });
});
