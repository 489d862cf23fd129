import { changesRequest, changesResponse, differs, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';
import {
  changingRequestContent,
  replaceContent,
  changesContent,
  changesRequestContent,
} from '../_wrong-content.ts';

const upload = (name: string, check: string, change: (content: Buffer) => Buffer): WrongProxy =>
  changesRequestContent(name, `content/upload-${check}`, change);

const download = (name: string, check: string, change: (content: Buffer) => Buffer): WrongProxy =>
  changesContent(name, `content/download-${check}`, (content) => change(content));

/** Content with one byte changed. */
const flipped = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content);
  const byte = copy[at];
  if (byte !== undefined) copy[at] = byte ^ 1;
  return copy;
};

const without = (content: Buffer, from: number, count: number): Buffer =>
  Buffer.concat([content.subarray(0, from), content.subarray(from + count)]);

/** Two blocks in each other's place. */
const swapped = (content: Buffer, at: number, size: number): Buffer =>
  Buffer.concat([
    content.subarray(0, at),
    content.subarray(at + size, at + 2 * size),
    content.subarray(at, at + size),
    content.subarray(at + 2 * size),
  ]);

const chunked = (content: Buffer): Buffer =>
  Buffer.concat([
    ...(content.length > 0
      ? [Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]
      : []),
    Buffer.from('0\r\n\r\n'),
  ]);

/** Ends chunked content of requests early. */
const cutting = (length: number): Deviation => ({
  waitsForRequest: ({ framing }) => framing === 'chunked',
  request: (request) => {
    request.content = request.content?.subarray(0, length);
  },
});

export const contents: readonly WrongProxy[] = [
  upload('ends content of a request at NUL', '1', (content) =>
    content[0] === 0 ? Buffer.alloc(0) : content,
  ),
  upload('makes NUL in a request a space', '1', (content) =>
    Buffer.from(content.map((byte) => (byte === 0 ? 32 : byte))),
  ),
  upload('changes a byte after 8 KiB of a request', '16k', (content) => flipped(content, 8192)),
  upload('swaps two blocks of a request', '16k', (content) => swapped(content, 4096, 4096)),
  upload('makes LF in a request CR LF', '16k', (content) =>
    Buffer.from(content.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  ),
  upload('reads content of a request as UTF-8', '16k', (content) =>
    Buffer.from(content.toString('utf8')),
  ),
  upload('loses the last byte of a request of 1 MiB', '1m', (content) =>
    content.subarray(0, 1024 * 1024 - 1),
  ),
  upload('loses a block of a request of 1 MiB, and repeats another', '1m', (content) =>
    content.length < 1_000_000
      ? content
      : Buffer.concat([content.subarray(0, 512_000), content.subarray(503_808, -8192)]),
  ),
  wrong(
    'forwards 64 KiB of a request of unknown length',
    'content/upload-unknown-length',
    cutting(65_536),
  ),
  wrong(
    'forwards 128 KiB of a request of unknown length',
    'content/upload-unknown-length',
    cutting(131_072),
  ),
  wrong('drops chunks of one byte', 'http/1.1 content/upload-unknown-length', {
    readChunkSize: (line) => (line === '1' ? '0' : line),
  }),
  upload('chunks content of unknown length twice', 'unknown-length', chunked),
  upload('chunks empty content twice', 'empty-unknown-length', chunked),
  changesResponse('makes an empty response 204', differs('content/download-0'), (response) => {
    const { framing } = response;
    if (typeof framing !== 'object' || framing.length > 0 || response.status !== 200) return;
    response.status = 204;
    response.framing = 'none';
    response.fields = response.fields.filter(([name]) => name.toLowerCase() !== 'content-length');
  }),
  changesContent('replaces an empty response by 502', 'content/download-0', (content, response) => {
    if (content.length > 0) return undefined;
    response.status = 502;
    return Buffer.from('empty');
  }),
  download('adds a line end to a response', '1', (content) =>
    Buffer.concat([content, Buffer.from('\n')]),
  ),
  download('makes the first letter of a response a capital', '1', (content) =>
    Buffer.from(content.toString('latin1').replace(/^a/, 'A'), 'latin1'),
  ),
  download('changes a byte after 8 KiB of a response', '16k', (content) => flipped(content, 8192)),
  download('loses 26 bytes of a response, and repeats others', '16k', (content) =>
    Buffer.concat([
      without(content, 8192, 26),
      content.subarray(0, Math.min(26, Math.max(0, content.length - 8192))),
    ]),
  ),
  download('sends a response twice', '16k', (content) => Buffer.concat([content, content])),
  download('changes a byte after 5 MiB of a response', '10m', (content) =>
    flipped(content, 5 * 1024 * 1024),
  ),
  download('swaps two blocks of a response', '10m', (content) =>
    swapped(content, 8_000_000, 65_537),
  ),
  changesContent(
    'ends a response after 8 MiB as if it were complete',
    'content/download-10m',
    (content, response) => {
      if (content.length <= 8 * 1024 * 1024) return undefined;
      replaceContent(response, content.subarray(0, 8 * 1024 * 1024));
      return content.subarray(0, 8 * 1024 * 1024);
    },
  ),
  wrong('forwards the content of GET without its last byte', differs('content/get'), {
    ...changingRequestContent((content) => content.subarray(0, -1)),
    waitsForRequest: ({ method, framing }) => method === 'GET' && framing !== 'none',
  }),
  changesRequest('forwards GET with content as POST', differs('content/get'), (request) => {
    if (request.method === 'GET' && request.framing !== 'none') request.method = 'POST';
  }),
  changesRequest('forwards a request above 8 KiB in chunks', 'content/length-kept', (request) => {
    const { framing } = request;
    if (typeof framing === 'object' && framing.length > 8192) request.framing = 'chunked';
  }),
  changesRequest('forwards PUT in chunks', 'content/length-kept', (request) => {
    if (request.method === 'PUT' && typeof request.framing === 'object')
      request.framing = 'chunked';
  }),
  changesRequest('forwards Content-Length: 0 as no content', 'content/length-kept', (request) => {
    const { framing } = request;
    if (typeof framing === 'object' && framing.length === 0) request.framing = 'none';
  }),
  changesRequest(
    'forwards Content-Length with zeros before it',
    'content/length-kept',
    (request) => {
      const { framing } = request;
      if (typeof framing !== 'object') return;
      request.framing = 'until-close';
      request.fields.push(['Content-Length', `00${framing.length}`]);
    },
  ),
  wrong('forwards a request without Content-Length on HTTP/2', 'h2 content/length-kept', {
    request: (request, client) => {
      if (client.version === '2.0' && typeof request.framing === 'object')
        request.framing = 'chunked';
    },
  }),
];
