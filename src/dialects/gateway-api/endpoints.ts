import { acceptWebSocket, type WebSocketSettings } from '../../endpoints/websocket.ts';
import { WebSocketEcho } from '../../endpoints/websocket/echo.ts';
import { FRAMING_FIELDS } from '../../endpoints/response-headers.ts';
import { endpoint, queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldPairs, fieldSize, MAX_REQUESTED_FIELDS } from '../../http/fields.ts';
import { isFieldValue, isToken } from '../../http/syntax.ts';
import { parseGoDuration } from '../../http/go-duration.ts';
import { anyText, matching } from '../../server/params.ts';
import { invalidParameter, Problem } from '../../http/problem.ts';
import { delayed } from '../../server/pause.ts';
import { textPayload } from '../../server/payload.ts';
import { empty, text, type Reply } from '../../server/reply.ts';
import { gatewayEcho, type PodContext } from './view.ts';
import { goJson } from '../json.ts';
import { withErrors } from '../overrides.ts';

const OK = text('OK');

export const health = endpoint({
  id: 'health',
  methods: 'any',
  path: '/health',
  group: 'operations',
  summary: 'Liveness check: OK as long as the process can respond.',
  params: {},
  responses: { 200: { description: 'OK', content: ['text/plain; charset=utf-8'] } },
  handle: () => OK,
});

export const status = endpoint({
  id: 'status',
  methods: 'any',
  path: '/status/*code',
  group: 'content',
  summary: 'Responds with the status in the path, 200 to 599, without content.',
  params: {
    code: matching(/^[2-5]\d\d$/, 'is not a status from 200 to 599', { examples: ['503'] }),
  },
  responses: { '2XX': { description: 'The status in the path.' } },
  handle: ({ params }) => empty(Number(params.code)),
});

/** A WebSocket echo; what is no handshake is 400. */
export function webSocket({ maxBodySize, idleTimeout }: WebSocketSettings): Endpoint {
  const options = {
    maxFrame: maxBodySize,
    maxMessage: maxBodySize,
    idleTimeout: idleTimeout * 1000,
  };
  const echo = endpoint({
    id: 'ws',
    path: '/ws',
    group: 'echo',
    summary: 'A WebSocket echo. HTTP/2 needs --h2-enable-connect-protocol.',
    upgrade: 'websocket',
    params: {},
    responses: { 101: { description: 'The WebSocket.' } },
    handle: ({ request }) => ({
      ...acceptWebSocket(request),
      upgrade: {
        begin: (channel, reserve) => new WebSocketEcho(channel, options, reserve),
      },
    }),
  });
  return withErrors('/ws', ({ message, fields }) => {
    throw new Problem('invalid-handshake', message, fields);
  }).apply(echo);
}

interface EchoOptions {
  readonly pod: PodContext;
  /** Maximum seconds of `?delay=`; undefined to ignore the parameter. */
  readonly maxDelay: number | undefined;
  /** Whether X-Echo-Set-Header is honored. */
  readonly setsFields: boolean;
}

export function gatewayEchoEndpoint({ pod, maxDelay, setsFields }: EchoOptions): Endpoint {
  const echo = (request: Request): Reply => {
    const content = textPayload(goJson(gatewayEcho(request, pod), 1, true));
    const fields = setsFields ? requestedFields(request) : [];
    fields.push('Content-Type', 'application/json', 'X-Content-Type-Options', 'nosniff');
    return { status: 200, fields, payload: content, replacesDefaults: true };
  };
  return endpoint({
    id: 'gateway_echo',
    methods: 'any',
    path: '/*path',
    group: 'echo',
    summary: 'Echoes the request in the format of the Gateway API conformance client.',
    params: { path: anyText('Any path, as sent.') },
    additionalQuery: 'Echoed in `path`; `delay=1.5s` delays the response.',
    responses: { 200: { description: 'The request.', content: ['application/json'] } },
    handle({ request }) {
      const seconds = delayOf(request, 'delay', maxDelay);
      return delayed(seconds, request, () => echo(request));
    },
  });
}

/**
 * Seconds in a parameter of the query, 0 by default.
 *
 * @param maximum as in `EchoOptions`
 * @throws Problem invalid-parameter
 */
export function delayOf(request: Request, name: string, maximum: number | undefined): number {
  if (maximum === undefined) return 0;
  const [, value = ''] = queryOf(request).find(([other]) => other === name) ?? [];
  if (value === '') return 0;
  const seconds = parseGoDuration(value);
  if (seconds === undefined) throw invalidParameter(name, value, 'is not a duration such as 1.5s');
  if (seconds > maximum) throw invalidParameter(name, value, `exceeds the maximum of ${maximum}s`);
  return Math.max(0, seconds);
}

const ALWAYS_SET = new Set(['content-type', 'x-content-type-options']);

/**
 * The response fields that X-Echo-Set-Header asks for (`name:value, name:value`). Values of the same name are joined.
 * Invalid fields are ignored, as in the original.
 *
 * @throws Problem if they exceed MAX_REQUESTED_FIELDS
 */
function requestedFields({ fields }: Request): string[] {
  const requested = new Map<string, [name: string, value: string]>();
  let bytes = 0;
  for (const [line, list] of fieldPairs(fields)) {
    if (line.toLowerCase() !== 'x-echo-set-header') continue;
    for (const element of list.split(',')) {
      const colon = element.indexOf(':');
      const name = (colon < 0 ? element : element.slice(0, colon)).trim();
      const value = colon < 0 ? '' : element.slice(colon + 1).trim();
      const key = name.toLowerCase();
      if (!isToken(name) || !isFieldValue(value) || FRAMING_FIELDS.has(key) || ALWAYS_SET.has(key))
        continue;
      bytes += fieldSize(name, value);
      if (bytes > MAX_REQUESTED_FIELDS) {
        const limit = `the maximum of ${MAX_REQUESTED_FIELDS} bytes`;
        throw new Problem('invalid-parameter', `the fields in X-Echo-Set-Header exceed ${limit}`);
      }
      const previous = requested.get(key);
      requested.set(key, previous ? [previous[0], `${previous[1]},${value}`] : [name, value]);
    }
  }
  return [...requested.values()].flat();
}
