import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { exchange, GET, LAST } from '../_raw.ts';

overBothProtocols(({ client, running, transport }) => {
  test.each([0, 1, 10, 100])('%d lines', async (n) => {
    const target = `/stream/${n}?a=1&a=2&b=caf%C3%A9`;
    const { status, headers, body } = await client().request(target, { headers: { 'x-b': 'c' } });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-length']).toBeUndefined();
    expect(headers['transfer-encoding']).toBe(transport.endsWith('1.1') ? 'chunked' : undefined);
    const lines = body.toString().split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(n);
    const scheme = transport === 'h2' || transport === 'https/1.1' ? 'https' : 'http';
    for (const [id, line] of lines.entries()) {
      expect(JSON.parse(line)).toEqual({
        id,
        url: `${scheme}://127.0.0.1:${running().port}${target}`,
        args: { a: ['1', '2'], b: 'caf\u00e9' },
        headers: expect.objectContaining({ 'x-b': 'c' }) as unknown,
        origin: '127.0.0.1',
      });
    }
  });
});

overOneProtocol(({ running }) => {
  test('RFC 9112 7.1: each line is a chunk', async () => {
    const answer = await exchange(running().port, GET('/stream/2', LAST));
    expect(answer).toMatch(
      /\r\n\r\n[\da-f]+\r\n\{"id":0,.*\}\n\r\n[\da-f]+\r\n\{"id":1,.*\}\n\r\n0\r\n\r\n$/,
    );
  });

  test('RFC 9112 6.3: on HTTP/1.0 it ends with the connection', async () => {
    const answer = await exchange(running().port, 'GET /stream/2 HTTP/1.0\r\n\r\n');
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer).toMatch(/\r\n\r\n\{"id":0,.*\}\n\{"id":1,.*\}\n$/);
  });
});
