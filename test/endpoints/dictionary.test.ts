import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { zstdWithDictionary } from '../../src/http/codings.ts';
import type { Client, Received } from '../_client.ts';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { decodeWithDictionary } from '../wire/brotli/_decode.ts';

const TEXT = '/dictionary/a/compressed';
const VARY = 'Accept-Encoding, Available-Dictionary';
const hasZstdDictionaries = zstdWithDictionary(Buffer.from('a')) !== undefined;

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Available-Dictionary for the content of a dictionary. */
function availability({ body }: Received): Record<string, string> {
  return { 'available-dictionary': `:${sha256(body).toString('base64')}:` };
}

/** The text of the dictionary `a` as a client asks that has it. */
async function askWith(
  client: Client,
  accepted: string,
  headers: Record<string, string> = {},
): Promise<Received> {
  const available = availability(await client.request('/dictionary/a'));
  return client.request(TEXT, {
    headers: { ...available, 'accept-encoding': accepted, ...headers },
  });
}

describe('the dictionary', () => {
  overBothProtocols(({ client }) => {
    test('names what it is for, and for how long', async () => {
      const { status, headers, body } = await client().request('/dictionary/a');
      expect(status).toBe(200);
      expect(headers['use-as-dictionary']).toBe('match="a/*", id="a"');
      expect(headers['cache-control']).toBe('max-age=86400');
      expect(body.length).toBe(8320);
    });
  });

  overOneProtocol(({ client }) => {
    test('is another one for each name, and always the same for one', async () => {
      const [one, again, other] = await Promise.all(
        ['a', 'a', 'b'].map(async (name) => client().request(`/dictionary/${name}`)),
      );
      expect(again?.body).toEqual(one?.body);
      expect(other?.body).not.toEqual(one?.body);
      expect(again?.headers.etag).toBe(one?.headers.etag);
    });

    test('is for the pattern, the destinations and the time that the query names', async () => {
      const query = 'match=/*%3Fa="b\\&match-dest=document,script&max_age=5';
      const { headers } = await client().request(`/dictionary/a-B_9?${query}`);
      expect(headers['use-as-dictionary']).toBe(
        String.raw`match="/*?a=\"b\\", match-dest=("document" "script"), id="a-B_9"`,
      );
      expect(headers['cache-control']).toBe('max-age=5');
    });

    test.each([
      ['/dictionary/a.b'],
      [`/dictionary/${'a'.repeat(65)}`],
      ['/dictionary/a?match='],
      ['/dictionary/a?match=%0A'],
      ['/dictionary/a?match=%C3%A9'],
      ['/dictionary/a?match-dest=A'],
      ['/dictionary/a?match-dest=a,'],
      ['/dictionary/a?max_age=86401'],
    ])('%s is refused', async (target) => {
      expect((await client().request(target)).status).toBe(400);
    });

    test('ranges and preconditions', async () => {
      const { headers, body } = await client().request('/dictionary/a');
      const part = await client().request('/dictionary/a', { headers: { range: 'bytes=8000-' } });
      expect(part.status).toBe(206);
      expect(part.body).toEqual(body.subarray(8000));
      expect(part.headers['use-as-dictionary']).toBe(headers['use-as-dictionary']);
      const known = { 'if-none-match': String(headers.etag) };
      expect((await client().request('/dictionary/a', { headers: known })).status).toBe(304);
    });
  });
});

describe('RFC 9842: the text', () => {
  overOneProtocol(({ client }) => {
    test('the documented command is coded', async () => {
      const page = readFileSync(new URL('../../docs/endpoints.md', import.meta.url), 'utf8');
      const [command = ''] = /curl -sSI localhost:8080\/dictionary\/.*\n.*/.exec(page) ?? [];
      const headers = [...command.matchAll(/-H '(.*?): (.*?)'/g)].map(([, key, value]) => [
        key,
        value,
      ]);
      const answer = await client().request(TEXT, { headers: Object.fromEntries(headers) });
      expect(answer.headers['content-encoding']).toBe('dcb');
    });
  });

  overBothProtocols(({ client }) => {
    test('dcb: the hash of the dictionary, then Brotli with it', async () => {
      const known = await client().request('/dictionary/a');
      const plain = await client().request(TEXT);
      const { status, headers, body } = await askWith(client(), 'gzip, br, dcb');
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe('dcb');
      expect(headers['content-type']).toBe(plain.headers['content-type']);
      expect(headers.vary).toBe(VARY);
      expect(body.subarray(0, 4)).toEqual(Buffer.from([0xff, 0x44, 0x43, 0x42]));
      expect(body.subarray(4, 36)).toEqual(sha256(known.body));
      expect(decodeWithDictionary(body.subarray(36), known.body)).toEqual(plain.body);
      expect(body.length).toBeLessThan(plain.body.length / 20);
    });

    test.skipIf(!hasZstdDictionaries)('dcz: the hash in a skippable frame, then zstd', async () => {
      const known = await client().request('/dictionary/a');
      const plain = await client().request(TEXT);
      const { headers, body } = await askWith(client(), 'zstd, dcz');
      expect(headers['content-encoding']).toBe('dcz');
      expect(headers.vary).toBe(VARY);
      expect(body.subarray(0, 8)).toEqual(Buffer.from('5e2a4d1820000000', 'hex'));
      expect(body.subarray(8, 40)).toEqual(sha256(known.body));
      expect(body.length).toBeLessThan(plain.body.length / 20);
      expect(zstdDecoded(body.subarray(40), known.body)).toEqual(plain.body);
    });

    test('identity and the other codings, which do not depend on the dictionary', async () => {
      for (const accepted of ['identity', 'dcb;q=0', 'nonsense', 'dcb;q=0.5, identity']) {
        const { status, headers } = await askWith(client(), accepted);
        expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, VARY]);
      }
      const { headers, body } = await askWith(client(), 'dcb;q=0.5, gzip');
      expect(headers['content-encoding']).toBe('gzip');
      expect(zlib.gunzipSync(body)).toEqual((await client().request(TEXT)).body);
    });
  });

  overOneProtocol(({ client }) => {
    test.each(['no dictionary', '::', ':AAAA:', `:${'A'.repeat(43)}=:`, '"a"', 'a', '*'])(
      'is not coded by a dictionary that the client does not have: %s',
      async (given) => {
        const available = given === 'no dictionary' ? {} : { 'available-dictionary': given };
        const { status, headers, body } = await client().request(TEXT, {
          headers: { ...available, 'accept-encoding': 'dcb, dcz' },
        });
        expect(status).toBe(200);
        expect(headers['content-encoding']).toBeUndefined();
        expect(headers.vary).toBe(VARY);
        expect(body.toString()).toMatch(/^[\da-f]{64}\n/);
      },
    );

    test('nor by that of another name, nor by one that is named twice', async () => {
      const { 'available-dictionary': own = '' } = availability(
        await client().request('/dictionary/a'),
      );
      const other = availability(await client().request('/dictionary/b'));
      const twice = { 'available-dictionary': `${own}, ${own}` };
      for (const headers of [other, twice]) {
        const answer = await askWith(client(), 'dcb', headers);
        expect(answer.headers['content-encoding']).toBeUndefined();
      }
    });

    test.each([
      ['"a"', 'dcb'],
      ['"a";b', 'dcb'],
      ['"b"', undefined],
      ['a', undefined],
      ['"a', undefined],
      ['', undefined],
    ])('Dictionary-ID: %s gives %s', async (id, coding) => {
      const { headers } = await askWith(client(), 'dcb', { 'dictionary-id': id });
      expect(headers['content-encoding']).toBe(coding);
    });

    test('406 names the codings, with the dictionary those too', async () => {
      const without = await client().request(TEXT, { headers: { 'accept-encoding': '*;q=0' } });
      expect([without.status, without.headers.vary]).toEqual([406, VARY]);
      expect(without.body.toString()).toContain('the available codings are br,');
      const { status, body } = await askWith(client(), '*;q=0');
      expect(status).toBe(406);
      expect(body.toString()).toMatch(/the available codings are dcb, (?:dcz, )?br,/);
    });

    test('HEAD, ranges and preconditions are those of the coded text', async () => {
      const { headers, body } = await askWith(client(), 'dcb');
      const plain = await client().request(TEXT);
      expect(headers.etag).not.toBe(plain.headers.etag);
      expect(headers['last-modified']).toBeUndefined();
      const part = await askWith(client(), 'dcb', { range: 'bytes=4-35' });
      expect(part.status).toBe(206);
      expect(part.headers['content-encoding']).toBe('dcb');
      expect(part.headers['content-range']).toBe(`bytes 4-35/${body.length}`);
      expect(part.body).toEqual(body.subarray(4, 36));
      const known = await askWith(client(), 'dcb', { 'if-none-match': String(headers.etag) });
      expect([known.status, known.headers.vary]).toEqual([304, VARY]);
      // No metadata but what guides caches (RFC 9110 15.4.5).
      expect(known.headers['content-encoding']).toBeUndefined();
      const stale = await askWith(client(), 'dcb', { 'if-match': String(plain.headers.etag) });
      expect(stale.status).toBe(412);
      const whole = { 'if-range': String(plain.headers.etag), range: 'bytes=4-35' };
      expect((await askWith(client(), 'dcb', whole)).body).toEqual(body);
    });
  });
});

/** Node's types are those of Node 20. */
function zstdDecoded(encoded: Buffer, dictionary: Buffer): unknown {
  const decode: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  return typeof decode === 'function' ? decode(encoded, { dictionary }) : undefined;
}
