import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { get, type Case } from './_case.ts';
import type { Group } from './_cases.ts';
import { raw } from './_message-cases.ts';

const HELLO = 'hello, hello, hello';
const compressed = gzipSync(HELLO);

/** Content that is encoded in ways that `encoding` of /respond does not have. */
const coded = (label: string, coding: string, content: Buffer): Case =>
  get(`/respond?header=Content-Encoding:${coding}&base64=${content.toString('base64url')}`, {
    label,
  });

/** A frame of one block that is not compressed (RFC 8878 3.1.1). */
function zstd(text: string): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length, 0, 0, 0]);
  head.writeUIntLE((text.length << 3) | 1, 6, 3);
  return Buffer.concat([head, Buffer.from(text)]);
}

const encoded = (query: string): Case => get(`/respond?content=lines:10&${query}`);

export const codingCases: Pick<Group, 'both' | 'only'> = {
  both: [
    get('/respond?body=hello&trailer=X-Sum:1'),
    encoded('encoding=gzip'),
    encoded('encoding=deflate'),
    encoded('encoding=br'),
    coded('`zstd`', 'zstd', zstd(HELLO)),
    encoded('encoding=gzip&damage=truncated'),
    encoded('encoding=gzip&damage=trailing'),
    encoded('encoding=gzip&damage=checksum'),
    encoded('encoding=gzip&damage=not-coded'),
    coded('gzip of two members', 'gzip', Buffer.concat([compressed, compressed])),
    get('/respond?header=Content-Encoding:gzip', { label: '`gzip` without content' }),
    coded('`deflate` without the zlib format', 'deflate', deflateRawSync(HELLO)),
    coded('`gzip, br`: both codings', 'gzip,br', brotliCompressSync(compressed)),
    coded('`gzip, gzip`: both codings', 'gzip,gzip', gzipSync(compressed)),
    coded('`x-gzip`', 'x-gzip', compressed),
    coded('`x-unknown`', 'x-unknown', Buffer.from(HELLO)),
  ],
  only: {
    '1.1': [
      raw(
        'A trailer that `Trailer` does not announce',
        ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'],
        '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n',
      ),
    ],
  },
};
