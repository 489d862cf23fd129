import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { exchange, LAST } from '../_raw.ts';

overBothProtocols(({ client, running, transport }) => {
  const origin = () => {
    const scheme = transport === 'h2' || transport === 'https/1.1' ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${running().port}`;
  };

  const STARTS = ['/absolute-redirect/3', '/redirect/3?absolute=true', '/redirect/3?absolute=True'];
  test.each(STARTS)('every hop of %s is an absolute URL', async (start) => {
    let target = start;
    for (const next of ['/absolute-redirect/2', '/absolute-redirect/1', '/get']) {
      const { status, headers, body } = await client().request(target);
      expect([status, headers.location, body.length]).toEqual([302, `${origin()}${next}`, 0]);
      target = next;
    }
  });

  test.each(['false', 'False', '0'])('?absolute=%s is relative', async (word) => {
    const { headers } = await client().request(`/redirect/3?absolute=${word}`);
    expect(headers.location).toBe('/redirect/2');
  });

  test('0 ends the chain', async () => {
    const { status, body } = await client().request('/absolute-redirect/0');
    expect([status, body.toString()]).toEqual([200, 'Redirect complete']);
  });
});

overOneProtocol(({ running }) => {
  test.each([
    ['/absolute-redirect/2', 'example.org', 'http://example.org'],
    ['https://example.org:81/absolute-redirect/2', 'other', 'https://example.org:81'],
  ])('%s with Host: %s redirects to the requested host', async (target, host, expected) => {
    const answer = await exchange(
      running().port,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${LAST}\r\n`,
    );
    expect(answer).toContain(`\r\nLocation: ${expected}/absolute-redirect/1\r\n`);
  });
});
