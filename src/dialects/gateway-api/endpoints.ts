import { FRAMING } from '../../endpoints/response-headers.ts';
import { endpoint, queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import {
  fieldPairs,
  fieldSize,
  isFieldValue,
  isToken,
  MAX_REQUESTED_FIELDS,
} from '../../http/fields.ts';
import { parseGoDuration } from '../../http/go-duration.ts';
import { anyText, int } from '../../server/params.ts';
import { invalidParameter, Problem } from '../../http/problem.ts';
import { delayed } from '../../server/pause.ts';
import { textPayload } from '../../server/payload.ts';
import { empty, text, type Reply } from '../../server/reply.ts';
import { gatewayEcho, type PodContext } from './view.ts';
import { goJson } from '../json.ts';

const OK = text('OK');

export const health = endpoint({
  id: 'health',
  methods: 'any',
  path: '/health',
  group: 'operations',
  summary: 'Says OK for as long as the process can answer at all.',
  params: {},
  responses: { 200: { description: 'OK', content: ['text/plain; charset=utf-8'] } },
  handle: () => OK,
});

export const status = endpoint({
  id: 'status',
  methods: 'any',
  path: '/status/{code}',
  group: 'content',
  summary: 'Answers with the status asked for, 200 to 599, and nothing else.',
  params: { code: int({ min: 200, max: 599 }) },
  responses: { '2XX': { description: 'The status asked for.' } },
  handle: ({ params }) => empty(params.code),
});

interface EchoOptions {
  readonly place: PodContext;
  /** The most seconds that `?delay=` may ask for; undefined where it is not heard. */
  readonly maxDelay: number | undefined;
  /** Whether X-Echo-Set-Header is heard. */
  readonly setsFields: boolean;
}

/** The echo of every path. */
export function gatewayEchoEndpoint({ place, maxDelay, setsFields }: EchoOptions): Endpoint {
  const answer = (request: Request): Reply => {
    const content = textPayload(goJson(gatewayEcho(request, place), 1, true));
    const fields = setsFields ? askedFields(request) : [];
    fields.push('Content-Type', 'application/json', 'X-Content-Type-Options', 'nosniff');
    return { status: 200, fields, payload: content, replacesDefaults: true };
  };
  return endpoint({
    id: 'gateway_echo',
    methods: 'any',
    path: '/*path',
    group: 'echo',
    summary: 'Echoes the request as the conformance client of the Gateway API reads it.',
    params: { path: anyText('Any path, as sent.') },
    additionalQuery: 'Echoed in `path`; `delay=1.5s` delays the answer.',
    responses: { 200: { description: 'The request.', content: ['application/json'] } },
    handle({ request }) {
      const seconds = maxDelay === undefined ? 0 : delayOf(request, maxDelay);
      return delayed(seconds, request, () => answer(request));
    },
  });
}

/** The seconds that `?delay=` asks for, 0 without it. */
function delayOf(request: Request, maximum: number): number {
  const [, asked = ''] = queryOf(request).find(([name]) => name === 'delay') ?? [];
  if (asked === '') return 0;
  const seconds = parseGoDuration(asked);
  if (seconds === undefined) throw invalidParameter('delay', asked, 'is no duration, such as 1.5s');
  if (seconds > maximum) {
    throw invalidParameter('delay', asked, `exceeds the maximum of ${maximum}s`);
  }
  return Math.max(0, seconds);
}

const OURS = new Set(['content-type', 'x-content-type-options']);

/**
 * The fields that X-Echo-Set-Header asks for, `name:value, name:value`; values of the same name are
 * joined. What can be no field of an answer is passed over, as the original does.
 *
 * @throws Problem where they are too many for a header section
 */
function askedFields({ fields }: Request): string[] {
  const asked = new Map<string, [name: string, value: string]>();
  let bytes = 0;
  for (const [line, list] of fieldPairs(fields)) {
    if (line.toLowerCase() !== 'x-echo-set-header') continue;
    for (const element of list.split(',')) {
      const colon = element.indexOf(':');
      const name = (colon < 0 ? element : element.slice(0, colon)).trim();
      const value = colon < 0 ? '' : element.slice(colon + 1).trim();
      const key = name.toLowerCase();
      if (!isToken(name) || !isFieldValue(value) || FRAMING.has(key) || OURS.has(key)) continue;
      bytes += fieldSize(name, value);
      if (bytes > MAX_REQUESTED_FIELDS) {
        const bound = `the maximum of ${MAX_REQUESTED_FIELDS} bytes`;
        throw new Problem('invalid-parameter', `X-Echo-Set-Header asks for more than ${bound}`);
      }
      const before = asked.get(key);
      asked.set(key, before ? [before[0], `${before[1]},${value}`] : [name, value]);
    }
  }
  return [...asked.values()].flat();
}
