import { fieldValue } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { millisecondsSince } from '../server/timing.ts';
import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { described, duration, flag, int, oneOf, optional } from '../server/params.ts';
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

interface Continuing {
  /** Seconds before 100 (Continue), or else before the response. */
  readonly delay: number;
  /** Maximum of the content, in bytes. */
  readonly limit: number;
  /** Fields of 100 (Continue); undefined if it is not sent. */
  readonly interim: readonly string[] | undefined;
}

/** The field that some servers send in 100 (Continue), although it has no content (RFC 9110 8.6). */
const EMPTY_LENGTH = ['Content-Length', '0'];

/**
 * Sends 100 (Continue) or not, even if it is not expected, and reads the content in any case: a client that waits in
 * vain sends it after a while (RFC 9110 10.1.1).
 */
async function receive(request: Request, { delay, limit, interim }: Continuing) {
  const [sentAt, measurements] = await Promise.all([
    pause(delay, request.signal).then(() =>
      interim && request.sendInformation(100, interim)
        ? millisecondsSince(request.receivedAt)
        : null,
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
          'without 100. `refuse` responds with 417, and `final` with `status`; neither sends 100 nor ' +
          'waits for content. `continue-final` sends 100, and then `status` without waiting for content.',
        optional(oneOf(['continue', 'ignore', 'refuse', 'final', 'continue-final']), 'continue'),
      ),
      length: described('Sends Content-Length: 0 in 100, as some servers do. Not on HTTP/2.', flag),
      delay: described(
        'Time before 100, or before the response if 100 is not sent.',
        optional(duration(max), 0),
      ),
      status: described(
        'Status code, with `then=final` or `then=continue-final`.',
        optional(int({ min: 200, max: 599 }), 200),
      ),
    },
    exampleQuery: 'then=continue&delay=0.5',
    curl: "seq 99999 | curl -sSi -H 'Expect: 100-continue' -T - 'localhost:8080/expect?delay=0.5'",
    content: 'streamed',
    responses: {
      ...anyStatusResponses,
      200: jsonResponse('What was received, or `status`.', {
        oneOf: [schema, statusSchema],
      }),
      417: problemResponse('With `then=refuse`.'),
    },
    async handle({ request, query: { then, delay, status, length } }) {
      if (length && request.version === 'HTTP/2.0') {
        throw new Problem('fault-unavailable', 'length: on HTTP/2 it would make 100 malformed');
      }
      const interim = length ? EMPTY_LENGTH : [];
      switch (then) {
        case 'continue':
          return receive(request, { delay, limit: maxContent, interim });
        case 'ignore':
          return receive(request, { delay, limit: maxContent, interim: undefined });
        case 'refuse':
          await pause(delay, request.signal);
          throw new Problem('expectation-failed', 'refused, as then=refuse requests');
        case 'continue-final':
          request.sendInformation(100, interim);
          await pause(delay, request.signal);
          return statusReply(status, request.version);
        case 'final':
          await pause(delay, request.signal);
          return statusReply(status, request.version);
      }
    },
  });
}
