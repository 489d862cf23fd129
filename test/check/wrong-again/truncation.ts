import { FrameType } from '../../../src/wire/http2/frame.ts';
import type { ClientRequest } from '../_gateway-messages.ts';
import { breaking, breaks, without, type WrongProxy } from '../_wrong.ts';
import { wrongLeg } from '../_wrong-leg.ts';

const isHttp2 = ({ version }: ClientRequest): boolean => version === '2.0';
const LEG_TRUNCATIONS = {
  'h2 truncation/rst-stream': 'fail',
  'h2 truncation/connection': 'fail',
} as const;

/** Gateways that make something complete of messages that are cut off. */
export const wrongTruncation: readonly WrongProxy[] = [
  breaking(
    'fills a response that is cut off with zeros',
    { completes: (missing) => Buffer.alloc(missing) },
    { 'truncation/content-length': 'fail', 'truncation/reset': 'fail' },
  ),
  breaking(
    'ends a chunked response that is cut off with an error page',
    { completes: () => Buffer.from('\n<html>502 Bad Gateway</html>\n') },
    { 'truncation/chunked': 'fail', 'truncation/chunked-end': 'fail' },
  ),
  breaking(
    'gives a response that is cut off the length of what has arrived',
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
    {
      'truncation/content-length': 'fail',
      'truncation/chunked': 'fail',
      'truncation/chunked-end': 'fail',
      'truncation/reset': 'fail',
    },
  ),
  breaking(
    'ends a response that is cut off with END_STREAM, on HTTP/2 only',
    { endsTruncated: isHttp2 },
    { 'h2 truncation/chunked': 'fail', 'h2 truncation/chunked-end': 'fail' },
  ),
  breaks(
    'takes the end of the connection between chunks for the last chunk',
    'truncation/chunked-end',
    { endsTruncated: (_client, framing, rest) => framing === 'chunked' && rest === 0 },
  ),
  breaks('ends a request that is reset as if it were complete', 'truncation/request', {
    ignoresGone: true,
    endsTruncatedRequests: (error) => error.isReset,
  }),
  breaks(
    'ends a request whose client closes the connection as if it were complete',
    'http/1.1 truncation/request',
    { ignoresGone: true, endsTruncatedRequests: (error) => !error.isReset },
  ),
  breaks(
    'ends a request that is cut off after 64 KiB as if it were complete',
    'truncation/request',
    { ignoresGone: true, endsTruncatedRequests: (_error, sent) => sent >= 65_536 },
  ),
  {
    ...wrongLeg(
      'ends a response on HTTP/2 that an origin on HTTP/2 cuts off',
      { responseFields: (name) => name !== 'content-length' },
      LEG_TRUNCATIONS,
    ),
    deviation: { endsTruncated: isHttp2 },
    breaksOthers: true,
  },
  {
    ...wrongLeg(
      'removes content-length of an origin on HTTP/2 before it counts DATA',
      {
        frames: { fields: (fields) => without(fields, 'content-length') },
      },
      { 'truncation/data-short': 'fail' },
    ),
    breaksOthers: true,
  },
  {
    ...wrongLeg(
      'takes RST_STREAM with any code for the end of a response',
      {
        frames: {
          frame: (received) =>
            received.type === FrameType.rstStream
              ? { ...received, type: FrameType.data, flags: 1, payload: Buffer.alloc(0) }
              : received,
          fields: (fields) => without(fields, 'content-length'),
        },
      },
      { 'truncation/rst-stream': 'fail' },
    ),
    breaksOthers: true,
  },
];
