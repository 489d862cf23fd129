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
import { described, int, optional } from '../server/params.ts';
import { empty } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { WebSocketEcho } from './websocket/echo.ts';

const SECOND = 1000;
const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'] as const;

/**
 * @param max maximum message size in bytes
 * @param idle seconds without received bytes after which a connection is closed
 */
export function webSocketEcho(max: number, idle: number): Endpoint {
  const bounds = { min: 1, max: Math.max(1, max) };
  const size = described('In bytes.', optional(int(bounds), bounds.max));
  return endpoint({
    path: '/websocket/echo',
    group: 'echo',
    summary: 'A WebSocket echo. HTTP/2 needs --h2-enable-connect-protocol.',
    upgrade: 'websocket',
    query: {
      max_fragment_size: size,
      max_message_size: size,
    },
    responses: {
      101: { description: 'The WebSocket.' },
      426: problemResponse('No handshake.', {
        Upgrade: 'HTTP/1.1',
        'Sec-WebSocket-Version': '13',
      }),
    },
    handle({ request, query }) {
      const limits = {
        maxFrame: query.max_fragment_size,
        maxMessage: query.max_message_size,
        idleTimeout: idle * SECOND,
      };
      return {
        ...(request.method === 'CONNECT' ? acceptConnect(request) : acceptUpgrade(request)),
        upgrade: {
          begin: (channel, reserve) => new WebSocketEcho(channel, limits, reserve),
        },
      };
    },
  });
}

/** Accepts extended CONNECT, which has neither Upgrade nor a key (RFC 8441 5). */
function acceptConnect(request: Request) {
  checkVersion(request);
  return empty(200, subprotocol(request));
}

/** Accepts a handshake (RFC 6455 4.2). @throws Problem upgrade-required, invalid-handshake */
function acceptUpgrade(request: Request) {
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
