import { expect, test } from 'vitest';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import {
  connectionPhaseAfter,
  type ConnectionPhase,
  type ConnectionStep,
} from '../../src/net/connection-phase.ts';
import type { CloseReason } from '../../src/net/close-reason.ts';
import { socketPair } from './_sockets.ts';

test.each<[phase: ConnectionPhase, steps: ConnectionStep[]]>([
  ['open', []],
  ['lingering', ['graceful']],
  ['lingering', ['truncate', 'graceful']],
  ['destroyed', ['graceful', 'reset']],
  ['destroyed', ['truncate', 'abort']],
  ['failed', ['fail', 'graceful']],
  ['failed', ['graceful', 'fail', 'truncate']],
  ['destroyed', ['fail', 'abort']],
  ['destroyed', ['abort', 'fail', 'graceful', 'truncate', 'reset']],
])('a connection is %s after %j', (phase, steps) => {
  expect(
    steps.reduce<ConnectionPhase>((at, step) => connectionPhaseAfter(at, step) ?? at, 'open'),
  ).toBe(phase);
});

type Close = readonly [how: Exclude<ConnectionStep, 'fail'>, reason?: CloseReason];

test.each<[first: string, observed: Close[], closes: Close[]]>([
  [
    'fault',
    [['graceful', 'fault']],
    [
      ['graceful', 'fault'],
      ['graceful', 'idle-timeout'],
    ],
  ],
  [
    'fault',
    [
      ['graceful', 'fault'],
      ['reset', 'flood'],
    ],
    [
      ['graceful', 'fault'],
      ['reset', 'flood'],
    ],
  ],
  [
    'stalled',
    [['reset', 'stalled']],
    [
      ['reset', 'stalled'],
      ['reset', 'stalled'],
      ['graceful', 'fault'],
    ],
  ],
  ['closed', [], [['abort'], ['abort', 'stopped'], ['reset', 'stalled']]],
])('the cause is %s, and %j is observed, of the closes %j', async (first, observed, closes) => {
  const [client, socket] = await socketPair();
  const seen: Close[] = [];
  const connection = new TcpConnection(socket, {}, (_, how, reason) => seen.push([how, reason]));
  for (const [how, reason] of closes) connection.close(how, reason);
  expect(connection.closeCause.reason).toBe(first);
  expect(seen).toEqual(observed);
  client.destroy();
});

test('a connection whose HTTP/2 session has failed is over before its socket is closed', async () => {
  const [client, socket] = await socketPair();
  const connection = new TcpConnection(socket);
  expect(connection.isOver).toBe(false);
  connection.setSessionError(Object.assign(new Error('reset'), { syscall: 'read' }));
  expect(connection.isOver).toBe(false);
  connection.setSessionError(new Error('of nghttp2'));
  expect([connection.isOver, socket.destroyed]).toEqual([true, false]);
  connection.close('abort', 'silent');
  expect(socket.destroyed).toBe(true);
  expect(connection.closeCause).toEqual({ by: 'wirebin', reason: 'protocol-error' });
  client.destroy();
});
