import { describe, expect, test } from 'vitest';
import { unchanged } from '../_adapters.ts';
import { parsed } from '../_echo.ts';
import { everywhere } from '../_everywhere.ts';
import { INSPECTED } from '../_inspected.ts';
import { converse, LAST, openSocket } from '../_raw.ts';
import { sharedService } from '../_shared.ts';

type View = Record<string, unknown>;

everywhere(({ client, transport }) => {
  if (transport.endsWith('1.1')) {
    test('the raw header section of each request of a connection', async () => {
      for (const value of ['1', '22', '333']) {
        const { http1 } = parsed(await client().request('/http1', { headers: { 'X-OdD': value } }));
        const { raw_head: head, field_names: names } = http1 as View & { raw_head: string };
        expect(names).toContain('X-OdD');
        expect(Buffer.from(head, 'base64').toString()).toMatch(
          new RegExp(`^GET /http1 HTTP/1\\.1\\r\\nX-OdD: ${value}\\r\\n(?:.+\\r\\n)*\\r\\n$`),
        );
      }
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
  ['over cleartext', undefined, INSPECTED],
  ['over TLS', ['http/1.1'], INSPECTED],
  ['over cleartext, inspected', undefined, true],
  ['over TLS, inspected', ['http/1.1'], true],
])('%s', (_, alpn, isInspected) => {
  const running = sharedService(...(isInspected ? ['--inspect'] : []));

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

  const FIRST = 'GET /http1 HTTP/1.1\r\nHost: x\r\n\r\n';
  const HEAD = `GET /http1 HTTP/1.1\r\nHost:  x\r\nX-Odd:\t1 \r\n${LAST}\r\n`;

  test('the first head of a connection in two pieces', async () => {
    expect(decoded(await detailsOf(HEAD.slice(0, 13), HEAD.slice(13)))).toBe(HEAD);
  });

  test('the head of a later request, with content and without', async () => {
    expect(decoded(await detailsOf(FIRST, HEAD))).toBe(HEAD);
    expect(decoded(await detailsOf(FIRST, FIRST, HEAD))).toBe(HEAD);
    const head = HEAD.replace('X-Odd', 'Content-Length: 2\r\nX-Odd');
    expect(decoded(await detailsOf(FIRST, `${head}ab`))).toBe(head);
  });

  test('a head in more pieces', async () => {
    expect(decoded(await detailsOf(HEAD.slice(0, 13), HEAD.slice(13, 25), HEAD.slice(25)))).toBe(
      HEAD,
    );
  });

  test('a later head in two pieces', async () => {
    expect(decoded(await detailsOf(FIRST, HEAD.slice(0, 13), HEAD.slice(13)))).toBe(HEAD);
  });

  test('a pipelined second request', async () => {
    expect(decoded(await detailsOf(FIRST + HEAD))).toBe(HEAD);
  });

  test('content of the previous request that looks like this head', async () => {
    const content = HEAD.replace(LAST, '');
    const post = `POST /anything HTTP/1.1\r\nHost: x\r\nContent-Length: ${content.length}\r\n\r\n`;
    expect(decoded(await detailsOf(post, content + HEAD))).toBe(HEAD);
  });

  test('a head of 8 KiB and more', async () => {
    const start = 'GET /http1 HTTP/1.1\r\nHost: x\r\n';
    for (const length of [8192, 8193, 16_000]) {
      const head = start + fill(length - start.length - fill(0).length);
      expect(decoded(await detailsOf(head))).toBe(head);
      expect(decoded(await detailsOf(FIRST, head))).toBe(head);
    }
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
