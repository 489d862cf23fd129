import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { allowedMethods } from '../../src/server/endpoint.ts';
import { isHttp2, type Received, type Sent } from '../_client.ts';
import { randomContent } from '../../src/server/random-bytes.ts';
import { reply } from '../../src/server/reply.ts';
import { repeatable } from '../../src/server/payload.ts';
import { withDigests } from '../../src/server/digests.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { endpoints, quickTarget } from '../_walk.ts';
import { everyNth } from '../_whole.ts';

const EMPTY_SHA256 = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

function digestOf(algorithm: 'sha-256' | 'sha-512', content: Uint8Array): string {
  const hash = createHash(algorithm.replace('-', '')).update(content).digest('base64');
  return `${algorithm}=:${hash}:`;
}

/** The digest fields of a response, or those of its trailer section. */
function digestsOf({ headers, trailers }: Received) {
  const get = (name: string) => headers[name] ?? trailers[name];
  return { content: get('content-digest'), repr: get('repr-digest') };
}

/** Both fields, of this content and this representation. */
function digests(content: Uint8Array, repr = content) {
  return { content: digestOf('sha-256', content), repr: digestOf('sha-512', repr) };
}

const WANTED = { 'want-content-digest': 'sha-256=1', 'want-repr-digest': 'sha-512=3, sha-256=1' };

const SOUND = new Set(['/informational/{codes}', '/expect', '/early']);

const quick = endpoints
  // Some of these responses do not end.
  .filter(({ path, group }) => path !== '/tap' && (group !== 'faults' || SOUND.has(path)))
  .map((endpoint) => [endpoint.path, endpoint] as const);

overBothProtocols(
  ({ client, running, transport }) => {
    const ask = (target: string, sent: Sent = {}) =>
      client().request(target, { ...sent, headers: { ...WANTED, ...sent.headers } });

    const receive = async (bytes: string, until?: (text: string) => boolean) => {
      const socket = await openSocket(running().port);
      const received = await converse(socket, bytes, until);
      socket.destroy();
      return received;
    };

    test.each(everyNth(2, quick, isHttp2(transport) ? 1 : 0))(
      'RFC 9530 2, 3: %s',
      async (_, endpoint) => {
        for (const method of allowedMethods(endpoint.methods)) {
          if (method === 'HEAD' || method === 'OPTIONS') continue;
          // oxlint-disable-next-line no-await-in-loop
          const answer = await ask(quickTarget(endpoint), { method });
          const chosen = endpoint.path === '/response-headers' || answer.body.length === 0;
          if (chosen && answer.headers['trailer'] === undefined) continue;
          expect(digestsOf(answer)).toEqual(digests(answer.body));
        }
      },
    );

    test('an error has them too', async () => {
      const answer = await ask('/nowhere');
      expect(answer.status).toBe(404);
      expect(digestsOf(answer).content).toBe(digestOf('sha-256', answer.body));
    });

    test('only what is wanted is sent', async () => {
      const some = await client().request('/json', {
        headers: { 'want-repr-digest': 'sha-256=10' },
      });
      expect(some.headers['repr-digest']).toBe(digestOf('sha-256', some.body));
      expect(some.headers['content-digest']).toBeUndefined();
      for (const value of ['sha-256=0', 'crc32c=1', 'sha-256', '']) {
        // oxlint-disable-next-line no-await-in-loop
        const none = await client().request('/json', { headers: { 'want-repr-digest': value } });
        expect(digestsOf(none)).toEqual({ content: undefined, repr: undefined });
      }
      expect(digestsOf(await ask('/status/304'))).toEqual({});
    });

    test('2 MiB of random bytes, with Content-Length', async () => {
      const length = 2 * 1024 * 1024;
      const answer = await ask(`/bytes/${length}`);
      expect(answer.body).toHaveLength(length);
      expect(answer.headers['content-length']).toBe(String(length));
      expect(digestsOf(answer)).toEqual(digests(answer.body));
    });

    test('an echo of 300 KB', async () => {
      const answer = await ask('/post', { method: 'POST', body: 'x'.repeat(300_000) });
      expect(answer.body.length).toBeGreaterThan(600_000);
      expect(answer.headers['content-digest']).toBe(digestOf('sha-256', answer.body));
    });

    test.each(['bytes=10-19', 'bytes=0-4,95-'])(
      'RFC 9530 3: of %s Content-Digest is that of the part, Repr-Digest that of all',
      async (range) => {
        const whole = await client().request('/range/100');
        const answer = await ask('/range/100', { headers: { range } });
        expect(answer.status).toBe(206);
        expect(digestsOf(answer)).toEqual(digests(answer.body, whole.body));
      },
    );

    test('of a part that is sent over time', async () => {
      const whole = await client().request('/range/100');
      const target = '/range/100?duration=0.02&chunk_size=5';
      const answer = await ask(target, { headers: { range: 'bytes=10-19' } });
      expect(answer.status).toBe(206);
      expect(answer.headers['repr-digest']).toBe(digestOf('sha-512', whole.body));
      expect(answer.trailers['content-digest']).toBe(digestOf('sha-256', answer.body));
      expect(answer.headers['trailer']).toBe('Content-Digest');
    });

    test.each(['/json', '/range/100', '/bytes/100000?seed=1'])(
      'RFC 9530 B.2: HEAD %s has the Repr-Digest of GET, and empty content',
      async (target) => {
        const get = await ask(target);
        const head = await ask(target, { method: 'HEAD' });
        expect(head.headers['content-length']).toBe(get.headers['content-length']);
        expect(digestsOf(head)).toEqual({ content: EMPTY_SHA256, repr: digestsOf(get).repr });
        expect(digestsOf(get).repr).toBe(digestOf('sha-512', get.body));
      },
    );

    test('a content coding is part of the representation', async () => {
      const options = { headers: { ...WANTED, 'accept-encoding': 'gzip' } };
      const answer = await client().request('/gzip', options);
      expect(answer.headers['content-encoding']).toBe('gzip');
      expect(digestsOf(answer).repr).toBe(digestOf('sha-512', answer.body));
    });

    test('one that the client gives stands alone', async () => {
      const own = encodeURIComponent('sha-256=:YQ==:');
      const answer = await ask(`/trailers?Content-Digest=${own}`);
      expect(answer.headers['content-digest']).toBeUndefined();
      expect(answer.trailers['content-digest']).toBe('sha-256=:YQ==:');
      const described = await ask(`/respond?body=a&trailer=Content-Digest:${own}`);
      expect(described.headers['content-digest']).toBeUndefined();
      expect(described.trailers['content-digest']).toBe('sha-256=:YQ==:');
    });

    test('trailers that a response has already come first', async () => {
      const answer = await ask('/trailers?x=1');
      expect(answer.headers['trailer']).toBe('x');
      expect(answer.trailers['x']).toBe('1');
      expect(answer.headers['content-digest']).toBe(digestOf('sha-256', answer.body));
    });

    test('many at once on one connection', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => ask(at % 2 ? '/bytes/300000' : '/stream-bytes/9999')),
      );
      for (const answer of answers) {
        expect(digestsOf(answer).content).toBe(digestOf('sha-256', answer.body));
      }
    });

    if (!isHttp2(transport))
      describe('HTTP/1.x', () => {
        const lines = 'Want-Content-Digest: sha-256=1\r\nWant-Repr-Digest: sha-256=1\r\n';
        test.each(['', LAST])('RFC 9112 7.1.2: trailers after the last chunk %j', async (last) => {
          const received = await receive(
            GET('/drip?numbytes=3&duration=0.01', lines + last),
            (text) => text.endsWith(':\r\n\r\n'),
          );
          const digest = digestOf('sha-256', Buffer.from('***'));
          expect(received).toMatch(/\r\nTrailer: Content-Digest, Repr-Digest\r\n/);
          expect(
            received.endsWith(
              `\r\n0\r\nContent-Digest: ${digest}\r\nRepr-Digest: ${digest}\r\n\r\n`,
            ),
          ).toBe(true);
        });

        test('a fault has the digest of the content without it', async () => {
          const received = await receive(GET('/fault/close?length=10&after=5', lines));
          expect(received).toMatch(/\r\nContent-Length: 10\r\n/);
          const digest = /\r\nContent-Digest: ([^\r]*)/.exec(received)?.[1];
          expect(received).not.toMatch(/trailer/i);
          expect(digest).toMatch(/^sha-256=:/);
          expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toHaveLength(5);
        });

        test('HTTP/1.0 has fields, but no trailers', async () => {
          const known = await receive(`GET /robots.txt HTTP/1.0\r\n${lines}\r\n`);
          expect(known).toMatch(/\r\nRepr-Digest: sha-256=:/);
          const streamed = await receive(`GET /drip?duration=0 HTTP/1.0\r\n${lines}\r\n`);
          expect(streamed).not.toMatch(/digest|trailer/i);
          expect(streamed.endsWith('\r\n\r\n**********')).toBe(true);
        });

        test('pipelined responses keep their order', async () => {
          const received = await receive(
            GET('/bytes/100000', lines) +
              GET('/uuid') +
              GET('/drip?duration=0', lines) +
              GET('/robots.txt', LAST),
          );
          const types = [...received.matchAll(/\r\nContent-Type: ([^\r]*)/g)].map(
            ([, type]) => type,
          );
          expect(types).toEqual([
            'application/octet-stream',
            'application/json',
            'application/octet-stream',
            'text/plain; charset=utf-8',
          ]);
        });
      });
  },
  '--inspect',
  '--metrics-enabled',
  '--hostname-enabled',
  '--env-prefix=SHOWN_',
  '--tap',
);

describe('the cost of digests', () => {
  const wanted = { content: 'sha-512', repr: 'sha-256' } as const;

  test('10 MiB are hashed in pieces: the event loop comes round in between', async () => {
    const length = 10 * 1024 * 1024;
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const response = reply('a/b', randomContent(length));
    const digested = await withDigests(new FakeExchange('/'), response, wanted);
    isDone = true;
    expect(digested.payload).toMatchObject({ kind: 'pulled', length });
    // At 1 ms each, and no computer hashes 20 MiB in 8 ms.
    expect(turns).toBeGreaterThan(8);
  });

  test('a client that disconnects ends it', async () => {
    const exchange = new FakeExchange('/');
    const response = reply('a/b', randomContent(10 * 1024 * 1024));
    const digested = withDigests(exchange, response, wanted);
    exchange.leave();
    await expect(digested).rejects.toThrow('aborted');
  });

  test('an error while content is generated ends it', async () => {
    const error = new Error('no bytes');
    const next = (): never => {
      throw error;
    };
    const response = reply(
      'a/b',
      repeatable(() => ({ kind: 'pulled', length: 1, next })),
    );
    const digested = withDigests(new FakeExchange('/'), response, wanted);
    await expect(digested).rejects.toBe(error);
  });
});

overBothProtocols(
  ({ client }) => {
    test('content is not stored to be hashed', async () => {
      const headers = { 'want-repr-digest': 'sha-256=1' };
      const answer = await client().request('/bytes/10485760', { headers });
      expect([answer.status, answer.body.length]).toEqual([200, 10_485_760]);
      expect(answer.headers['repr-digest']).toBe(digestOf('sha-256', answer.body));
    });
  },
  '--max-content-memory',
  '8',
);
