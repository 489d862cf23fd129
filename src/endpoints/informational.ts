import { echoDeclaration, echoReply } from '../echo/echo.ts';
import { sectionSize } from '../http/fields.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import type { QueryPairs } from '../http/query.ts';
import { endpoint, problemResponse, queryOf, type Endpoint } from '../server/endpoint.ts';
import { guarded } from '../server/failure.ts';
import { described, duration, int, optional, required, splitList } from '../server/params.ts';
import { pause } from '../server/pause.ts';
import type { Request } from '../server/request.ts';
import { checkFields, fieldsSchema } from './response-headers.ts';

/** Maximum number of interim responses to a request, and bytes of their fields. */
export const MAX_INTERIM_RESPONSES = 100;
export const MAX_INTERIM_BYTES = 64 * 1024;

const code = int({ min: 100, max: 199 });

export const codesParameter = required<readonly number[]>(
  {
    type: 'string',
    description: 'A status, 100 to 199 except 101, or several in the order in which they are sent.',
    pattern: '^0*1(?:0[02-9]|[1-9][0-9])(?:,0*1(?:0[02-9]|[1-9][0-9])){0,99}$',
    examples: ['103', '103,102'],
  },
  (text, name) => {
    const codes = splitList(text, name).map((each) => code.parse(each, name));
    if (codes.includes(101)) {
      throw invalidParameter(name, text, 'has 101, after which the protocol changes');
    }
    return codes;
  },
);

/** Names of declared parameters. All others are sent as fields. */
const PARAMETERS = new Set(['count', 'interval']);

/**
 * Query parameters to be sent as fields.
 *
 * @throws Problem if they cannot be sent, or exceed MAX_INTERIM_BYTES with so many responses
 */
function requestedFields(request: Request, responses: number): readonly string[] {
  const pairs: QueryPairs = queryOf(request, 'latin1').filter(([name]) => !PARAMETERS.has(name));
  checkFields(pairs);
  const fields = pairs.flat();
  const size = sectionSize(fields);
  if (size * responses > MAX_INTERIM_BYTES) {
    const detail = `${responses} responses with ${size} bytes of fields exceed ${MAX_INTERIM_BYTES} bytes`;
    throw new Problem('invalid-parameter', detail);
  }
  return fields;
}

/** @param max maximum of the sum of all intervals, in seconds */
export function informational(max: number): Endpoint {
  return endpoint({
    ...echoDeclaration,
    methods: 'any',
    path: '/informational/{codes}',
    group: 'faults',
    summary:
      'Interim responses (RFC 9110 15.2) with the other query parameters as fields, then the echo. ' +
      'HTTP/1.0 has no interim responses, so the echo is all that it gets.',
    params: { codes: codesParameter },
    query: {
      count: described(
        'How often the codes are sent, one after the other; at most 100 responses in all.',
        optional(int({ min: 0, max: MAX_INTERIM_RESPONSES }), 1),
      ),
      interval: described(
        'Time after each interim response; all of them together have the same maximum.',
        optional(duration(max), 0),
      ),
    },
    additionalQuery: {
      description:
        'Names and values of the fields of each interim response, sent as percent-decoded bytes; ' +
        'they may repeat.',
      schema: fieldsSchema(),
    },
    curl: "curl -sSi 'localhost:8080/informational/103,102?count=2&interval=0.5&x=y'",
    exampleQuery: 'link=%3C/style.css%3E%3B%20rel%3Dpreload%3B%20as%3Dstyle',
    responses: {
      ...echoDeclaration.responses,
      400: problemResponse('An invalid field, or more responses, bytes or time than the maximum.'),
    },
    async handle({ request, params: { codes }, query: { count, interval }, content }) {
      const responses = codes.length * count;
      if (responses > MAX_INTERIM_RESPONSES) {
        throw invalidParameter(
          'count',
          String(count),
          `gives ${responses} responses, more than ${MAX_INTERIM_RESPONSES}`,
        );
      }
      if (responses * interval > max) {
        throw invalidParameter('interval', String(interval), `exceeds ${max} seconds in all`);
      }
      const fields = requestedFields(request, responses);
      for (let at = 0; at < responses; at++) {
        if (!(await sendWhenRead(request, codes[at % codes.length] ?? 0, fields))) break;
        if (interval > 0) await pause(interval, request.signal);
      }
      return echoReply(request, content);
    },
  });
}

/** Sends an interim response after the previous one was written. @returns whether it was sent */
export function sendWhenRead(
  request: Request,
  status: number,
  fields: readonly string[],
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const send = guarded({ failed: reject }, () =>
      resolve(request.sendInformation(status, fields)),
    );
    request.sendLarge(send);
  });
}
