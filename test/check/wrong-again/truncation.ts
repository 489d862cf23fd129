import { FrameType } from '../../../src/wire/http2/frame.ts';
import type { ClientRequest } from '../_gateway-messages.ts';
import { without, wrong, type WrongProxy } from '../_wrong.ts';
import { wrongLeg } from '../_wrong-leg.ts';

const isHttp2 = ({ version }: ClientRequest): boolean => version === '2.0';
const LEG_TRUNCATIONS = {
  'h2 truncation/rst-stream': 'fail',
  'h2 truncation/connection': 'fail',
} as const;

/** Gateways that make something complete of messages that are cut off. */
export const wrongTruncation: readonly WrongProxy[] = [
  wrong(
    'fills a response that is cut off with zeros',
    ['truncation/content-length', 'truncation/reset'],
    { completes: (missing) => Buffer.alloc(missing) },
  ),
  wrong(
    'ends a chunked response that is cut off with an error page',
    ['truncation/chunked', 'truncation/chunked-end'],
    { completes: () => Buffer.from('\n<html>502 Bad Gateway</html>\n') },
  ),
  wrong(
    'gives a response that is cut off the length of what has arrived',
    [
      'truncation/content-length',
      'truncation/chunked',
      'truncation/chunked-end',
      'truncation/reset',
    ],
    {
      endsTruncated: true,
      waitsForResponse: () => true,
      response: (response) => {
        if (response.framing === 'none' || !response.content) return;
        const { length } = response.content;
        response.framing = { length };
        response.fields = [
          ...without(response.fields, 'content-length'),
          ['Content-Length', String(length)],
        ];
      },
    },
  ),
  wrong(
    'ends a response that is cut off with END_STREAM, on HTTP/2 only',
    ['h2 truncation/chunked', 'h2 truncation/chunked-end'],
    { endsTruncated: isHttp2 },
  ),
  wrong(
    'takes the end of the connection between chunks for the last chunk',
    'truncation/chunked-end',
    { endsTruncated: (_client, framing, rest) => framing === 'chunked' && rest === 0 },
  ),
  wrong('ends a request that is reset as if it were complete', 'truncation/request', {
    ignoresGone: true,
    endsTruncatedRequests: (error) => error.isReset,
  }),
  wrong(
    'ends a request whose client closes the connection as if it were complete',
    'http/1.1 truncation/request',
    { ignoresGone: true, endsTruncatedRequests: (error) => !error.isReset },
  ),
  wrong(
    'ends a request that is cut off after 64 KiB as if it were complete',
    'truncation/request',
    { ignoresGone: true, endsTruncatedRequests: (_error, sent) => sent >= 65_536 },
  ),
  {
    ...wrongLeg('ends a response on HTTP/2 that an origin on HTTP/2 cuts off', LEG_TRUNCATIONS, {
      responseFields: (name) => name !== 'content-length',
    }),
    deviation: { endsTruncated: isHttp2 },
  },
  wrongLeg(
    'removes content-length of an origin on HTTP/2 before it counts DATA',
    'truncation/data-short',
    {
      frames: { fields: (fields) => without(fields, 'content-length') },
    },
  ),
  wrongLeg('takes RST_STREAM with any code for the end of a response', 'truncation/rst-stream', {
    frames: {
      frame: (received) =>
        received.type === FrameType.rstStream
          ? { ...received, type: FrameType.data, flags: 1, payload: Buffer.alloc(0) }
          : received,
      fields: (fields) => without(fields, 'content-length'),
    },
  }),
];
