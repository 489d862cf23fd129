import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { alpnOf, isHttp2 } from '../_client.ts';
import { overBothProtocols } from '../_everywhere.ts';
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  fieldBlock,
  FrameClient,
  frame,
  HEADERS,
  post,
} from '../_frames.ts';
import { exchange, LAST, openSocket, POST } from '../_raw.ts';

function hash(algorithm: string, content: string): string {
  return createHash(algorithm).update(content).digest('base64');
}

const SHA256 = hash('sha256', 'content');
const SHA512 = hash('sha512', 'content');
const OTHER = hash('sha256', 'other');
const GOOD = { algorithm: 'sha-256', expected: SHA256, actual: SHA256, match: true };

overBothProtocols(({ client, running, transport }) => {
  const alpn = alpnOf(transport);

  describe.each(['/anything', '/upload'])('%s', (path) => {
    const digestsOf = async (headers: Record<string, string>, body = 'content') => {
      const answer = await client().request(path, { method: 'PUT', headers, body });
      expect(answer.status).toBe(200);
      return (JSON.parse(answer.body.toString()) as { digest?: unknown }).digest;
    };

    test('without digests there is nothing', async () => {
      expect(await digestsOf({})).toBeUndefined();
      expect(await digestsOf({ trailer: 'x-digest', digest: 'sha-256=:AA==:' })).toBeUndefined();
    });

    test('RFC 9530 2, 3: each algorithm, match or not', async () => {
      expect(
        await digestsOf({
          'content-digest': `sha-256=:${SHA256}:, sha-512=:${SHA512}:`,
          'repr-digest': `sha-256=:${OTHER}:, md5=:${hash('md5', 'content')}:`,
        }),
      ).toEqual(
        [
          ['content-digest', 'sha-256', SHA256, SHA256],
          ['content-digest', 'sha-512', SHA512, SHA512],
          ['repr-digest', 'sha-256', OTHER, SHA256],
          ['repr-digest', 'md5', hash('md5', 'content'), hash('md5', 'content')],
        ].map(([field, algorithm, expected, actual]) => ({
          field,
          section: 'header',
          algorithm,
          expected,
          actual,
          match: expected === actual,
        })),
      );
    });

    test('what cannot be checked', async () => {
      expect(
        await digestsOf({ 'content-digest': 'crc32c=:AAAA:', 'repr-digest': 'sha-256=x' }),
      ).toEqual([
        {
          field: 'content-digest',
          section: 'header',
          algorithm: 'crc32c',
          expected: 'AAAA',
          actual: null,
          match: null,
          reason: 'the algorithm is not supported',
        },
        {
          field: 'repr-digest',
          section: 'header',
          algorithm: null,
          expected: 'sha-256=x',
          actual: null,
          match: null,
          reason: 'is not a dictionary of byte sequences (RFC 9530 2)',
        },
      ]);
    });

    test('Repr-Digest is not that of a part', async () => {
      const digest = `sha-256=:${SHA256}:`;
      const headers = { 'content-digest': digest, 'repr-digest': digest };
      const digests = await digestsOf({ ...headers, 'content-range': 'bytes 0-6/20' });
      expect(digests).toMatchObject([
        { field: 'content-digest', match: true },
        { field: 'repr-digest', match: null, reason: 'the content is a part (Content-Range)' },
      ]);
    });

    test('of no content', async () => {
      const empty = hash('sha256', '');
      const headers = { 'content-digest': `sha-256=:${empty}:`, 'content-length': '0' };
      expect(await digestsOf(headers, '')).toMatchObject([{ actual: empty, match: true }]);
    });

    test('at most 16 digests of a field are shown', async () => {
      const many = Array.from({ length: 1000 }, (_, at) => `a${at}=:AA==:`).join(',');
      expect(await digestsOf({ 'content-digest': many })).toHaveLength(16);
    });

    const trailers = {
      announced: `Content-Digest: sha-256=:${SHA256}:`,
      other: `Repr-Digest: md5=:AA==:, sha-512=:${SHA512}:`,
    };
    const expected = [
      { ...GOOD, field: 'content-digest', section: 'trailer' },
      { field: 'repr-digest', section: 'trailer', algorithm: 'md5', expected: 'AA==' },
      { field: 'repr-digest', algorithm: 'sha-512', actual: SHA512, match: true },
    ];

    if (!isHttp2(transport))
      test('RFC 9112 7.1.2: in trailers', async () => {
        const fields = `Transfer-Encoding: chunked\r\nTrailer: content-digest, repr-digest\r\n${LAST}`;
        const content = `7\r\ncontent\r\n0\r\n${trailers.announced}\r\n${trailers.other}\r\n\r\n`;
        const received = await exchange(running().port, POST(path, fields, content), alpn);
        const { digest } = JSON.parse(received.slice(received.indexOf('{'))) as { digest: unknown };
        expect(digest).toMatchObject(expected);
      });

    if (isHttp2(transport))
      test('RFC 9113 8.1: in trailers', async () => {
        const frames = new FrameClient(await openSocket(running().port, alpn));
        const lines = [trailers.announced, trailers.other].map((line): [string, string] => {
          const [name = '', value = ''] = line.split(': ');
          return [name.toLowerCase(), value];
        });
        frames.send(
          post(1, path, ['trailer', 'content-digest, repr-digest']),
          frame(DATA, 0, 1, Buffer.from('content')),
          frame(HEADERS, END_HEADERS | END_STREAM, 1, fieldBlock(lines)),
        );
        await until(() => frames.isDone(1));
        const { digest } = JSON.parse(frames.content(1)) as { digest: unknown };
        expect(digest).toMatchObject(expected);
      });
  });

  test('/upload checks content of several pieces', async () => {
    const body = 'x'.repeat(1_000_000);
    const headers = { 'repr-digest': `sha=:${hash('sha1', body)}:` };
    const answer = await client().request('/upload', { method: 'POST', headers, body });
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      digest: [{ algorithm: 'sha', match: true }],
    });
  });
});
