import { Problem } from '../http/problem.ts';
import { fieldValue } from '../http/fields.ts';
import {
  acceptKey,
  asksForWebSocket,
  firstSubprotocol,
  isWebSocketKey,
  WEBSOCKET_VERSION,
} from '../http/websocket.ts';
import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { described, duration, flag, int, optional } from '../server/params.ts';
import { empty, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { echoText } from '../echo/echo-text.ts';
import { WebSocketEcho, type EchoOptions } from './websocket/echo.ts';
import { faultOf, faultParameters } from './websocket/faults.ts';
import { imitationParameters, negotiateDeflate } from './websocket/imitations.ts';

const SECOND = 1000;
/** Minimum seconds between two Pings. */
const MIN_PING = 0.01;
const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'] as const;

/** Settings of WebSockets. */
export interface WebSocketSettings {
  /** Maximum size of a message, in bytes. */
  readonly maxBodySize: number;
  /** Seconds without received bytes after which a connection is closed. */
  readonly idleTimeout: number;
  /** Whether permessage-deflate is accepted (--websocket-deflate). */
  readonly websocketDeflate: boolean;
  /** Maximum delay in seconds. */
  readonly maxDuration: number;
}

export function webSocketEcho(settings: WebSocketSettings): Endpoint {
  const { maxBodySize, idleTimeout, websocketDeflate, maxDuration } = settings;
  const bounds = { min: 1, max: Math.max(1, maxBodySize) };
  const size = described('In bytes.', optional(int(bounds), bounds.max));
  return endpoint({
    path: '/websocket/echo',
    group: 'echo',
    summary: 'A WebSocket echo. HTTP/2 needs --h2-enable-connect-protocol.',
    upgrade: 'websocket',
    // A mistyped fault would be none.
    strictQuery: true,
    query: {
      max_fragment_size: size,
      max_message_size: size,
      hello: described('First sends what /anything says of the handshake.', flag),
      delay: described('Before each message comes back.', optional(duration(maxDuration), 0)),
      ping: described(
        'Sends a Ping this often, its content the number from 1.',
        optional(duration(maxDuration, Math.min(MIN_PING, maxDuration)), undefined),
      ),
      ...imitationParameters,
      ...faultParameters,
    },
    responses: {
      101: { description: 'The WebSocket.' },
      426: problemResponse('No handshake.', {
        Upgrade: 'HTTP/1.1',
        'Sec-WebSocket-Version': '13',
      }),
    },
    handle({ request, query }) {
      const fault = faultOf(query);
      const accepted = acceptWebSocket(request);
      const deflate = negotiateDeflate(request, query, websocketDeflate);
      const { delay: seconds, hello, ping, split } = query;
      const options: EchoOptions = {
        maxFrame: query.max_fragment_size,
        maxMessage: query.max_message_size,
        idleTimeout: idleTimeout * SECOND,
        ping,
        fault,
        deflate: deflate?.parameters,
        finalBlock: query['final-block'],
        split,
        ...(seconds > 0 && { delay: { seconds, signal: request.signal } }),
        ...(hello && { hello: echoText(request, NO_CONTENT) }),
      };
      return {
        ...accepted,
        fields: deflate
          ? [...accepted.fields, 'Sec-WebSocket-Extensions', deflate.field]
          : accepted.fields,
        upgrade: {
          begin: (channel, reserve) => new WebSocketEcho(channel, options, reserve),
          fault,
        },
      };
    },
  });
}

const NO_CONTENT = Buffer.alloc(0);

/** The response that accepts a handshake. @throws Problem upgrade-required, invalid-handshake */
export function acceptWebSocket(request: Request): Reply {
  return request.method === 'CONNECT' ? acceptConnect(request) : acceptUpgrade(request);
}

/** Accepts extended CONNECT, which has neither Upgrade nor a key (RFC 8441 5). */
function acceptConnect(request: Request): Reply {
  checkVersion(request);
  return empty(200, subprotocol(request));
}

/** Accepts a handshake (RFC 6455 4.2). @throws Problem upgrade-required, invalid-handshake */
function acceptUpgrade(request: Request): Reply {
  const { method, version, fields, hasBody } = request;
  if (method !== 'GET' || version !== 'HTTP/1.1' || !asksForWebSocket(fields)) {
    throw upgradeRequired(request, 'the request does not ask for a WebSocket');
  }
  checkVersion(request);
  const key = fieldValue(fields, 'sec-websocket-key') ?? '';
  if (!isWebSocketKey(key)) {
    throw new Problem(
      'invalid-handshake',
      `Sec-WebSocket-Key: ${key} is not the base64 of 16 bytes`,
    );
  }
  if (hasBody) throw new Problem('invalid-handshake', 'the handshake has content');
  const accept = ['Sec-WebSocket-Accept', acceptKey(key)];
  return empty(101, [...UPGRADE, ...accept, ...subprotocol(request)]);
}

/** Checks Sec-WebSocket-Version (RFC 6455 4.4). @throws Problem upgrade-required */
function checkVersion(request: Request): void {
  const version = fieldValue(request.fields, 'sec-websocket-version') ?? '';
  if (version === WEBSOCKET_VERSION) return;
  throw upgradeRequired(request, `Sec-WebSocket-Version: ${version} is not ${WEBSOCKET_VERSION}`);
}

/** The problem upgrade-required, with Upgrade unless on HTTP/2 (RFC 9113 8.2.2). */
function upgradeRequired({ version }: Request, detail: string): Problem {
  const upgrade = version === 'HTTP/2.0' ? [] : UPGRADE;
  const fields = [...upgrade, 'Sec-WebSocket-Version', WEBSOCKET_VERSION];
  return new Problem('upgrade-required', detail, fields);
}

/** Selects the first subprotocol. Browsers fail a connection that selects none of those that they offered. */
function subprotocol({ fields }: Request): readonly string[] {
  const first = firstSubprotocol(fields);
  return first === undefined ? [] : ['Sec-WebSocket-Protocol', first];
}
