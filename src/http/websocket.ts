import { createHash } from 'node:crypto';
import { fieldCount, fieldValue, type FieldLines } from './fields.ts';
import { isToken, listMembers } from './syntax.ts';

/** Sec-WebSocket-Version of RFC 6455. */
export const WEBSOCKET_VERSION = '13';

/** The value of Sec-WebSocket-Accept for a key (RFC 6455 4.2.2). */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** Whether the value is the base64 of 16 bytes (RFC 6455 4.2.1). */
export function isWebSocketKey(value: string): boolean {
  return /^[\dA-Za-z+/]{21}[AQgw]==$/.test(value);
}

/** Whether the fields ask for an upgrade to WebSocket (RFC 9110 7.8). */
export function asksForWebSocket(fields: FieldLines): boolean {
  const members = (name: string): string[] =>
    listMembers((fieldValue(fields, name) ?? '').toLowerCase());
  return members('upgrade').includes('websocket') && members('connection').includes('upgrade');
}

/** The first subprotocol that a client offers (RFC 6455 4.1); undefined if there are none, or malformed ones. */
export function firstSubprotocol(fields: FieldLines): string | undefined {
  if (fieldCount(fields, 'sec-websocket-protocol') === 0) return undefined;
  const offered = listMembers(fieldValue(fields, 'sec-websocket-protocol') ?? '');
  return offered.every(isToken) ? offered[0] : undefined;
}
