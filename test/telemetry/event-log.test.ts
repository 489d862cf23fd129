import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Problem } from '../../src/http/problem.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { InvalidProxyHeader } from '../../src/wire/proxy-protocol/header.ts';
import { ClientCertificateError } from '../../src/net/tls-server.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';

const connection = new TcpConnection(new Socket());
const { id: conn } = connection;
/** A connection with a known group. */
const keyed = new TcpConnection(new Socket());
keyed.setKeyExchange({ version: 'TLSv1.3', group: 0x001d, reason: undefined });

/** A log that keeps its lines. */
function recordingLog() {
  const lines: [level: string, message: string, details: object][] = [];
  const at = (level: string) => (details: object, message: string) =>
    lines.push([level, message, details]);
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  return { lines, log };
}

describe('each event is one line', () => {
  test.each<[level: string, message: string, details: object, event: (log: EventLog) => void]>([
    [
      'error',
      'a connection was lost',
      { detail: 'EMFILE' },
      (log) => log.acceptFailed(new Error('EMFILE')),
    ],
    [
      'debug',
      'handshake failed',
      { conn, detail: 'no', tls_group: null },
      (log) => log.handshakeFailed(connection, new Error('no')),
    ],
    [
      'debug',
      'handshake failed',
      { conn: keyed.id, detail: 'no', tls_group: 'x25519' },
      (log) => log.handshakeFailed(keyed, new Error('no')),
    ],
    [
      'info',
      'client certificate rejected',
      { conn: keyed.id, detail: 'none', tls_group: 'x25519' },
      (log) => log.handshakeFailed(keyed, new ClientCertificateError('none')),
    ],
    [
      'debug',
      'message rejected',
      { conn, detail: 'frames' },
      (log) => log.rejected(connection, new Error('frames')),
    ],
    [
      'debug',
      'message rejected',
      { code: 'invalid-message', detail: 'bad', path: '/a', query: '[redacted]' },
      (log) =>
        log.rejected(connection, new Problem('invalid-message', 'bad'), { target: '/a?b=c' }),
    ],
    [
      'debug',
      'terminated',
      { conn, reason: 'stalled' },
      (log) => log.terminated('stalled', connection),
    ],
    [
      'debug',
      'terminated',
      { conn: undefined, reason: 'connection-limit' },
      (log) => log.terminated('connection-limit'),
    ],
    [
      'error',
      'internal error in a request',
      { err: 'thrown' },
      (log) => log.internalError('thrown'),
    ],
  ])('%s: %s %j', (level, message, details, event) => {
    const { lines, log } = recordingLog();
    event(new EventLog(log));
    expect(lines).toEqual([[level, message, expect.objectContaining(details)]]);
  });

  test('an unknown method, which the problem names, is not logged', () => {
    const { lines, log } = recordingLog();
    const problem = new Problem('not-implemented', 'no method SECRET');
    new EventLog(log).rejected(connection, problem, { method: 'SECRET' });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('SECRET');
  });
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('missing PROXY headers are logged at info level at most once in ten seconds', () => {
  const { lines, log } = recordingLog();
  const eventLog = new EventLog(log);
  for (let count = 0; count < 100; count++) {
    eventLog.rejected(connection, new InvalidProxyHeader('missing'));
    vi.advanceTimersByTime(90);
  }
  vi.advanceTimersByTime(1000);
  eventLog.rejected(connection, new InvalidProxyHeader('missing'));
  eventLog.rejected(connection, new InvalidProxyHeader('v1-line'));
  const infos = lines.filter(([level]) => level === 'info').map(([, , details]) => details);
  expect(infos).toMatchObject([{ reason: 'missing' }, { reason: 'missing', more: 99 }]);
  expect(infos[0]).not.toHaveProperty('more');
  expect(lines).toHaveLength(102);
});
