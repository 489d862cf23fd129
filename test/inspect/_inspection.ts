import { Socket } from 'node:net';
import { Inspection } from '../../src/inspect/inspection.ts';
import type { Protocol } from '../../src/net/connection.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { clientOf } from './http1/_messages.ts';

/** An inspection of connections without a network, with room for all of them unless said otherwise. */
export function startInspection(
  memory = 1_000_000,
  onNotInspected: (connections: number) => void = () => undefined,
  onError = (error: unknown): void => {
    throw error;
  },
): Inspection {
  return new Inspection({
    memory,
    connectionMemory: 100_000,
    limits: { headerSize: 65_536, fields: 200 },
    onNotInspected,
    onError,
    capture: undefined,
  });
}

/** A connection that is inspected. */
export function openConnection(inspection: Inspection): TcpConnection {
  const connection = new TcpConnection(new Socket());
  inspection.opened(connection);
  return connection;
}

/** What reads the requests of a connection, as the protocol does. */
const clients = new WeakMap<TcpConnection, (bytes: Buffer, time: number) => void>();

/** What arrives on it, of the given protocol. */
export function receive(
  inspection: Inspection,
  connection: TcpConnection,
  protocol: Protocol,
  bytes: string | Buffer,
): void {
  if (connection.protocol === undefined) connection.detected(protocol);
  const piece = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  const earlier = clients.has(connection) ? undefined : inspection.find(connection.id)?.undetected;
  connection.socket.push(piece);
  const { http1, http2 } = inspection.find(connection.id) ?? {};
  if (!http1 && !http2) inspection.detected(connection);
  const tap = connection.inspector?.requestTap;
  if (!tap) return;
  const push = clients.get(connection) ?? clientOf(tap);
  clients.set(connection, push);
  push(Buffer.concat([earlier?.bytes ?? Buffer.alloc(0), piece]), performance.now());
}
