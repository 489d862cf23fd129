import { streamContent } from '../server/body.ts';
import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { textStream } from '../server/payload.ts';
import { prettyJson, reply, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { COUNT, nullable, NUMBER, objectSchema, TEXT } from '../server/schema.ts';
import { loopDelay, millisecondsSince, toMicrosecond, wallClock } from '../server/timing.ts';

const schema = objectSchema('Timing', {
  received: {
    ...TEXT,
    description: 'When the header section was complete, by the clock of the host.',
  },
  connection_age_ms: {
    ...NUMBER,
    description: 'From the start of the connection until the header section was complete.',
  },
  content_end_ms: {
    ...nullable(NUMBER),
    description: 'When the content was complete, since the header section; null without content.',
  },
  bytes_received: COUNT,
  event_loop_delay_ms: {
    ...NUMBER,
    description: 'How long the event loop took to come round once, before the response began.',
  },
  first_byte_out_ms: {
    ...NUMBER,
    description:
      'When the system had taken the first bytes of the response, up to this member, since the ' +
      'header section.',
  },
});

/** @param limit maximum content in bytes */
async function timingReply(request: Request, limit: number): Promise<Reply> {
  const { receivedAt, connection } = request;
  let bytes = 0;
  if (request.hasBody) await streamContent(request, limit, ({ length }) => (bytes += length));
  const contentEnd = request.hasBody ? millisecondsSince(receivedAt) : null;
  const known = {
    received: wallClock(receivedAt),
    connection_age_ms: toMicrosecond(receivedAt - connection.openedAt),
    content_end_ms: contentEnd,
    bytes_received: bytes,
    event_loop_delay_ms: await loopDelay(),
  };
  const payload = textStream(async function* () {
    yield prettyJson(known).replace(/\n\}\n$/, ',\n  "first_byte_out_ms": ');
    // Continues after the previous text, and the header section before it, was written.
    yield `${millisecondsSince(receivedAt)}\n}\n`;
  });
  return reply('application/json', payload);
}

/** @param max maximum of the content, in bytes */
export function timing(max: number): Endpoint {
  return endpoint({
    methods: ['GET', 'POST', 'PUT'],
    path: '/timing',
    group: 'timing',
    summary:
      'When the header section and the content were complete, and when the first bytes of the ' +
      'response were sent, in milliseconds; and the delay of the event loop.',
    content: 'streamed',
    responses: { 200: jsonResponse('The times.', schema) },
    handle: ({ request }) => timingReply(request, max),
  });
}
