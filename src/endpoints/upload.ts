import { createHash } from 'node:crypto';
import { streamContent } from '../server/body.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { joinedFields } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import {
  mapSchema,
  objectSchema,
  TEXT,
  stringOrStrings,
  type JsonSchema,
} from '../server/schema.ts';
import { toMicrosecond } from '../server/duration.ts';
import { requestLine } from '../echo/request-lines.ts';

/**
 * Takes the content and keeps nothing of it.
 *
 * @param limit in bytes
 * @throws Problem content-too-large, invalid-content
 */
export async function measured(request: Request, limit: number) {
  const hash = createHash('sha256');
  let bytes = 0;
  let chunks = 0;
  let first: number | null = null;
  let last: number | null = null;
  if (request.hasBody) {
    await streamContent(request, limit, (piece) => {
      last = performance.now();
      first ??= last;
      bytes += piece.length;
      chunks++;
      hash.update(piece);
    });
  }
  const since = (time: number | null): number | null =>
    time === null ? null : toMicrosecond(time - request.receivedAt);
  return {
    bytes_received: bytes,
    sha256: hash.digest('hex'),
    chunks,
    timing: {
      first_byte_ms: since(first),
      last_byte_ms: since(last),
      duration_ms: since(performance.now()),
    },
  };
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const TIME: JsonSchema = {
  type: ['number', 'null'],
  description: 'Milliseconds since the header section was complete; null without content.',
};

const uploadSchema = objectSchema(
  'Upload',
  {
    method: TEXT,
    url: TEXT,
    args: mapSchema(stringOrStrings()),
    headers: mapSchema(TEXT),
    origin: TEXT,
    trailers: { ...mapSchema(TEXT), description: 'Where there are any.' },
    bytes_received: COUNT,
    sha256: TEXT,
    chunks: { ...COUNT, description: 'In so many pieces it was read.' },
    timing: objectSchema('UploadTiming', {
      first_byte_ms: TIME,
      last_byte_ms: TIME,
      duration_ms: { type: 'number' },
    }),
  },
  ['trailers'],
);

/** @param max bytes of content */
export function upload(max: number): Endpoint {
  return endpoint({
    id: 'upload',
    methods: ['POST', 'PUT', 'PATCH'],
    path: '/upload',
    group: 'echo',
    summary:
      'Takes content of any length, up to --max-upload-size, and tells how much came, when, and its ' +
      'SHA-256. It may take as long as a MiB comes in each --request-timeout.',
    params: {},
    additionalQuery: 'Echoed in `args`.',
    content: 'streamed',
    responses: {
      200: {
        description: 'What came.',
        content: ['application/json'],
        schema: uploadSchema,
      },
    },
    handle: async ({ request }) => {
      const facts = await measured(request, max);
      const { method, trailers } = request;
      const behind = trailers.length > 0 && { trailers: joinedFields(trailers) };
      return json({ method, ...requestLine(request), ...behind, ...facts });
    },
  });
}
