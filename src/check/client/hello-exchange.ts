import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { HandshakeReader, HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { parseServerHello } from '../../wire/tls/server-hello.ts';
import { alertName, recordTypeName, versionName } from '../../wire/tls/names.ts';
import { ContentType, RecordSplitter, type RawRecord } from '../../wire/tls/record.ts';
import type { Ending, Transfer } from '../message.ts';
import { Changes } from './changes.ts';

/** Milliseconds between pieces, so that even a busy target, which accepts late, reads each piece separately. */
export const BETWEEN_PIECES = 100;
/** Bytes that a target may send before ServerHello: more than one record. */
const MAX_RECEIVED = 20 * 1024;
/** Bytes of each record that are shown as evidence. */
const MAX_SHOWN = 64;

export interface HelloReply {
  readonly transfer: Transfer;
  /** The version that ServerHello selects; undefined without a ServerHello. */
  readonly version: number | undefined;
  /** Random of ServerHello. */
  readonly random: Buffer | undefined;
  /** Alerts of the level warning, which do not end the handshake. */
  readonly warnings: readonly string[];
  /** The fatal alert. */
  readonly alert: string | undefined;
  /** The version, the alert, or how the connection ended, in words. */
  readonly words: string;
}

/** Text with a line for each record: its header and its first bytes. */
export function recordsText(records: readonly RawRecord[]): string {
  return records
    .map(({ type, content }) => {
      const more = content.length > MAX_SHOWN ? '…' : '';
      const bytes = content.toString('hex', 0, MAX_SHOWN) + more;
      return `record ${recordTypeName(type)}, ${content.length} bytes: ${bytes}`;
    })
    .join('\n');
}

/**
 * Sends the pieces of a ClientHello one after the other, and waits for ServerHello, an alert or the end.
 *
 * @param time limit in milliseconds for the reply
 */
export async function exchangeHello(
  socket: Socket,
  pieces: readonly Buffer[],
  time: number,
): Promise<HelloReply> {
  const start = performance.now();
  const changes = new Changes();
  const splitter = new RecordSplitter();
  const records: RawRecord[] = [];
  let received = Buffer.alloc(0);
  let ending: Ending | undefined;
  const end = (how: Ending) => (): void => {
    ending ??= how;
    changes.notify();
  };
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    records.push(...splitter.push(piece));
    changes.notify();
    if (received.length <= MAX_RECEIVED) return;
    if (!isAnswered(records, received)) ending = 'malformed';
    socket.destroy();
  });
  socket.on('error', end('reset')).on('end', end('closed')).on('close', end('closed'));
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) {
      await pause(BETWEEN_PIECES);
      // Late timers run one after the other. Wait until the event loop has read from the socket in between.
      await nextTurn();
    }
    if (socket.writable) socket.write(piece);
  }
  const isDone = (): boolean => ending !== undefined || isAnswered(records, received);
  if (!(await changes.until(isDone, time))) ending = 'timeout';
  socket.destroy();
  const transfer: Transfer = {
    sent: pieces.map(pieceText).join('\n'),
    received: recordsText(records) || received.toString('latin1'),
    interim: [],
    response: undefined,
    ending: ending ?? 'complete',
    firstByte: undefined,
    duration: performance.now() - start,
    isReusable: false,
  };
  return { transfer, ...helloReply(records, transfer.ending) };
}

function pieceText(piece: Buffer): string {
  const records = new RecordSplitter().push(piece);
  return `${piece.length} bytes:\n${recordsText(records) || piece.toString('hex')}`;
}

function isAnswered(records: readonly RawRecord[], received: Buffer): boolean {
  return (
    receivedAlerts(records).some(({ isFatal }) => isFatal) ||
    serverHello(records) !== undefined ||
    // Something other than TLS, such as an HTTP response.
    (received.length > 0 && (received[0] ?? 0) > ContentType.heartbeat)
  );
}

function helloReply(records: readonly RawRecord[], ending: Ending): Omit<HelloReply, 'transfer'> {
  const alerts = receivedAlerts(records);
  const hello = serverHello(records);
  const version = hello && parseServerHello(hello)?.version;
  const alert = alerts.find(({ isFatal }) => isFatal)?.name;
  return {
    version,
    random: hello?.subarray(2, 34),
    warnings: alerts.filter(({ isFatal }) => !isFatal).map(({ name }) => name),
    alert,
    words: replyText(version, alert, ending),
  };
}

function replyText(version: number | undefined, alert: string | undefined, ending: Ending): string {
  if (version !== undefined) return versionName(version);
  return alert === undefined ? `no reply (${ending})` : `the alert ${alert}`;
}

function receivedAlerts(records: readonly RawRecord[]) {
  return records
    .filter(({ type, content }) => type === ContentType.alert && content.length === 2)
    .map(({ content }) => ({ isFatal: content[0] === 2, name: alertName(content[1] ?? 0) }));
}

/** The body of ServerHello, which may be split over records too. */
function serverHello(records: readonly RawRecord[]): Buffer | undefined {
  const handshake = records.filter(({ type }) => type === ContentType.handshake);
  let hello: Buffer | undefined;
  const reader = new HandshakeReader((type, body) => {
    if (type === HandshakeType.serverHello) hello ??= body;
  });
  for (const [at, { content }] of handshake.entries()) reader.push(content, at);
  return hello;
}
