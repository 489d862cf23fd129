import { describe, expect, test } from 'vitest';
import { unchanged } from '../_adapters.ts';
import { parsed } from '../_echo.ts';
import { everywhere, sharedPlace } from '../_everywhere.ts';
import { converse, LAST, openSocket } from '../_raw.ts';

type View = Record<string, unknown>;

everywhere(({ client, transport }) => {
  if (transport.endsWith('1.1')) {
    test('the raw header section of the first request, but of no later one', async () => {
      const { http1 } = parsed(await client().request('/http1', { headers: { 'X-OdD': '1' } }));
      const { raw_head: head, field_names: names } = http1 as { raw_head: string; field_names: [] };
      expect(names).toContain('X-OdD');
      expect(Buffer.from(head, 'base64').toString()).toMatch(
        /^GET \/http1 HTTP\/1\.1\r\nX-OdD: 1\r\n(?:.+\r\n)*\r\n$/,
      );
      expect(parsed(await client().request('/http1'))).toMatchObject({
        http1: {
          version: 'HTTP/1.1',
          raw_head: null,
          reason: 'the raw bytes are only kept for the first request of a connection',
        },
      });
    });
    return;
  }

  test('has a reason if there are no details', async () => {
    expect(parsed(await client().request('/http1'))).toEqual({
      http1: null,
      reason: 'the request uses HTTP/2.0',
    });
  });
});

describe.each([
  ['over cleartext', undefined],
  ['over TLS', ['http/1.1']],
])('%s', (_, alpn) => {
  const { running } = sharedPlace('http/1.1');

  /** The details of the last request in these chunks, written a moment apart. */
  async function detailsOf(...pieces: readonly string[]): Promise<View> {
    const socket = await openSocket(running().port, alpn);
    const [first = '', ...more] = pieces;
    const answer = converse(socket, first);
    for (const piece of more) {
      // The first is read by then.
      await unchanged(() => socket.bytesWritten);
      socket.write(piece, 'latin1');
    }
    const text = await answer;
    socket.destroy();
    return (JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))) as { http1: View }).http1;
  }

  test('preceding empty lines, whitespace and obs-text are preserved (RFC 9112 2.2, 5)', async () => {
    const head = `\r\nGET /http1 HTTP/1.1\r\nHOST:x\r\nb: \t1 \r\na:\xe9\r\n${LAST}\r\n`;
    const details = await detailsOf(head);
    expect(decoded(details)).toBe(head);
    expect(details['field_names']).toEqual(['HOST', 'b', 'a', 'Connection']);
  });

  test('the content is not part of raw_head', async () => {
    const head = `GET /http1 HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n${LAST}\r\n`;
    expect(decoded(await detailsOf(`${head}\r\n\r\nab`))).toBe(head);
  });

  test('HTTP/1.0', async () => {
    const head = 'GET /http1 HTTP/1.0\r\n\r\n';
    const details = await detailsOf(head);
    expect(details).toMatchObject({ version: 'HTTP/1.0', field_names: [] });
    expect(decoded(details)).toBe(head);
  });

  test('a header section in several chunks is not available', async () => {
    expect(await detailsOf('GET /http1 HT', `TP/1.1\r\nHost: x\r\n${LAST}\r\n`)).toEqual({
      version: 'HTTP/1.1',
      field_names: ['Host', 'Connection'],
      raw_head: null,
      reason: 'the head arrived in several pieces, or is larger than 8 KiB',
    });
  });

  test('nor is one of more than 8 KiB', async () => {
    const start = 'GET /http1 HTTP/1.1\r\nHost: x\r\n';
    const fits = start + fill(8192 - start.length - fill(0).length);
    expect(decoded(await detailsOf(fits))).toBe(fits);
    expect((await detailsOf(fits.replace('xx', 'xxx')))['raw_head']).toBeNull();
  });

  test('a pipelined second request has no raw_head', async () => {
    const first = 'GET /http1 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(
      (await detailsOf(first + first.replace('\r\n\r\n', `\r\n${LAST}\r\n`)))['raw_head'],
    ).toBe(null);
  });

  test('a client that half-closes after the request gets its response', async () => {
    const socket = await openSocket(running().port, alpn);
    const answer = converse(socket, `GET /http1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

function decoded({ raw_head: head }: View): string {
  return Buffer.from(String(head), 'base64').toString('latin1');
}

/** The end of a header section, with a field of that many bytes. */
function fill(length: number): string {
  return `X: ${'x'.repeat(length)}\r\n${LAST}\r\n`;
}
