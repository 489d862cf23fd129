import { expect, test } from 'vitest';
import {
  acceptKey,
  asksForWebSocket,
  firstSubprotocol,
  isWebSocketKey,
} from '../../src/http/websocket.ts';
import { ACCEPT, KEY } from '../_websocket.ts';

test('RFC 6455 1.3: what accepts a key', () => {
  expect(acceptKey(KEY)).toBe(ACCEPT);
});

test('RFC 6455 4.2.1: a key is 16 bytes', () => {
  const keys = [KEY, 'AAAAAAAAAAAAAAAAAAAAAA=='];
  const others = ['AAAAAAAAAAAAAAAAAAAAAB==', 'AAAAAAAAAAAAAAAAAAAAAAA=', ''];
  expect([...keys, ...others].filter(isWebSocketKey)).toEqual(keys);
});

test.each([
  [['Upgrade', 'websocket', 'Connection', 'Upgrade'], true],
  [['upgrade', 'h2c, WebSocket', 'connection', 'keep-alive, upgrade'], true],
  [['Upgrade', 'websocket'], false],
  [['Upgrade', 'h2c', 'Connection', 'Upgrade'], false],
])('RFC 6455 4.2.1: %j', (fields, asks) => {
  expect(asksForWebSocket(fields)).toBe(asks);
});

test.each([
  [[], undefined],
  [['Sec-WebSocket-Protocol', 'a, b'], 'a'],
  [['Sec-WebSocket-Protocol', 'a', 'Sec-WebSocket-Protocol', 'b'], 'a'],
  [['Sec-WebSocket-Protocol', 'a b'], undefined],
])('the first subprotocol of %j', (fields, first) => {
  expect(firstSubprotocol(fields)).toBe(first);
});
