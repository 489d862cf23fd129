import { fieldValue } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { millisecondsSince } from '../server/timing.ts';
import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { described, duration, int, oneOf, optional } from '../server/params.ts';
import { pause } from '../server/pause.ts';
import { json } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { nullable, NUMBER, objectSchema, TEXT } from '../server/schema.ts';
import { statusReply, anyStatusResponses, statusSchema } from './status.ts';
import { measureContent, measurementsSchema } from './upload.ts';

const schema = objectSchema(
  'Expect',
  {
    method: TEXT,
    expect: { ...nullable(TEXT), description: 'The Expect field.' },
    continue_ms: {
      ...nullable(NUMBER),
      description:
        'When 100 (Continue) was sent, in milliseconds since the end of the header section; null if ' +
        'it was not.',
    },
    ...measurementsSchema,
  },
  ['digest'],
);

/**
 * Sends 100 (Continue) or not, even if it is not expected, and reads the content in any case: a client that waits in
 * vain sends it after a while (RFC 9110 10.1.1).
 *
 * @param delay before 100 (Continue), or else before the response, in seconds
 * @param limit of the content, in bytes
 */
async function receive(request: Request, sendContinue: boolean, delay: number, limit: number) {
  const [sentAt, measurements] = await Promise.all([
    pause(delay, request.signal).then(() =>
      sendContinue && request.sendInformation(100) ? millisecondsSince(request.receivedAt) : null,
    ),
    measureContent(request, limit, false),
  ]);
  const expect = fieldValue(request.fields, 'expect') ?? null;
  return json({ method: request.method, expect, continue_ms: sentAt, ...measurements });
}

/**
 * @param max maximum delay in seconds
 * @param maxContent maximum content in bytes
 */
export function expectContinue(max: number, maxContent: number): Endpoint {
  return endpoint({
    methods: ['POST', 'PUT'],
    path: '/expect',
    group: 'faults',
    summary:
      'What comes of Expect: 100-continue (RFC 9110 10.1.1), whether the client sends it or not.',
    query: {
      // oxlint-disable-next-line unicorn/no-thenable -- a parameter's name, and no function
      then: described(
        '`continue` sends 100, also if it is not expected, and reads the content. `ignore` reads it ' +
          'without 100. `refuse` responds with 417, and `final` with `status`; neither sends 100 or ' +
          'waits for content.',
        optional(oneOf(['continue', 'ignore', 'refuse', 'final']), 'continue'),
      ),
      delay: described('Time before 100, or before the response.', optional(duration(max), 0)),
      status: described(
        'Status code, with `then=final`.',
        optional(int({ min: 200, max: 599 }), 200),
      ),
    },
    exampleQuery: 'then=continue&delay=0.5',
    curl: "seq 99999 | curl -sSi -H 'Expect: 100-continue' -T - 'localhost:8080/expect?delay=0.5'",
    content: 'streamed',
    responses: {
      ...anyStatusResponses,
      200: jsonResponse('What was received, or `status` with `then=final`.', {
        oneOf: [schema, statusSchema],
      }),
      417: problemResponse('With `then=refuse`.'),
    },
    async handle({ request, query: { then, delay, status } }) {
      switch (then) {
        case 'continue':
        case 'ignore':
          return receive(request, then === 'continue', delay, maxContent);
        case 'refuse':
          await pause(delay, request.signal);
          throw new Problem('expectation-failed', 'refused, as then=refuse requests');
        case 'final':
          await pause(delay, request.signal);
          return statusReply(status, request.version);
      }
    },
  });
}
