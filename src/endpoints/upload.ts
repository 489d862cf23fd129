import { createHash } from 'node:crypto';
import { streamContent } from '../server/body.ts';
import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { combinedFields } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import {
  COUNT,
  mapSchema,
  nullable,
  NUMBER,
  objectSchema,
  TEXT,
  stringOrStrings,
} from '../server/schema.ts';
import { toMicrosecond } from '../server/timing.ts';
import { DigestCheck } from '../echo/digest-check.ts';
import { digestSchema } from '../echo/echo-schema.ts';
import { requestLine } from '../echo/request-lines.ts';

/**
 * Reads and measures the content without storing it.
 *
 * @param limit in bytes
 * @param sendContinue whether to send 100 (Continue) first if the client expects it
 * @throws Problem content-too-large, invalid-content
 */
export async function measureContent(request: Request, limit: number, sendContinue = true) {
  const hash = createHash('sha256');
  const digests = DigestCheck.of(request);
  let bytes = 0;
  let chunks = 0;
  let first: number | null = null;
  let last: number | null = null;
  if (request.hasBody) {
    await streamContent(
      request,
      limit,
      (chunk) => {
        last = performance.now();
        first ??= last;
        bytes += chunk.length;
        chunks++;
        hash.update(chunk);
        digests?.update(chunk);
      },
      sendContinue,
    );
  }
  const since = (time: number | null): number | null =>
    time === null ? null : toMicrosecond(time - request.receivedAt);
  return {
    bytes_received: bytes,
    sha256: hash.digest('hex'),
    chunks,
    ...(digests && { digest: digests.results() }),
    timing: {
      first_byte_ms: since(first),
      last_byte_ms: since(last),
      duration_ms: since(performance.now()),
    },
  };
}

const TIME = {
  ...nullable(NUMBER),
  description: 'Milliseconds since the end of the header section; null without content.',
};

/** The schema of the properties that `measureContent` returns. */
export const measurementsSchema = {
  bytes_received: COUNT,
  sha256: TEXT,
  chunks: { ...COUNT, description: 'Number of chunks in which it was read.' },
  digest: digestSchema,
  timing: objectSchema('UploadTiming', {
    first_byte_ms: TIME,
    last_byte_ms: TIME,
    duration_ms: NUMBER,
  }),
};

/** The response of `/upload`. */
export const uploadSchema = objectSchema(
  'Upload',
  {
    method: TEXT,
    url: TEXT,
    args: mapSchema(stringOrStrings()),
    headers: mapSchema(TEXT),
    origin: TEXT,
    trailers: { ...mapSchema(TEXT), description: 'Only if there are any.' },
    ...measurementsSchema,
  },
  ['trailers', 'digest'],
);

/** @param max maximum of the content, in bytes */
export function upload(max: number): Endpoint {
  return endpoint({
    methods: ['POST', 'PUT', 'PATCH'],
    path: '/upload',
    group: 'echo',
    summary:
      'Receives content up to --max-upload-size and reports its length, timing and SHA-256. An ' +
      'upload may take longer than --request-timeout, as long as 1 MiB arrives in every such period.',
    additionalQuery: 'Echoed in `args`.',
    content: 'streamed',
    responses: {
      200: jsonResponse('What was received.', uploadSchema),
    },
    handle: async ({ request }) => {
      const measurements = await measureContent(request, max);
      const { method, trailers } = request;
      const trailing = trailers.length > 0 && { trailers: combinedFields(trailers) };
      return json({ method, ...requestLine(request), ...trailing, ...measurements });
    },
  });
}
