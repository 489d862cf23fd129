import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { setImmediate as turn } from 'node:timers/promises';
import type { CloseMethod } from '../../../net/close-reason.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../../wire/http2/frame.ts';
import { resetStream } from '../../../net/node-internals.ts';
import {
  faultUnavailable,
  HTTP2_HEAD_FAULTS,
  type Fault,
  type FaultOf,
  type Position,
} from '../../../server/fault.ts';
import { pause } from '../../../server/pause.ts';
import { randomPieces } from '../../../server/random-bytes.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';
import { framesWith } from './broken-frame.ts';
import { sendGoaway } from './goaway.ts';
import { isHttp2Head, sendHead } from './head.ts';
import { stopReadingContent } from './no-read.ts';
import {
  closeConnection,
  sendBytes,
  sendUntil,
  type FaultyResponse,
  type FaultySession,
} from './response.ts';

/** Bytes; a client may accept frames of up to 16 MiB. */
const MAX_BROKEN_FRAME = 1024 * 1024;

/** @throws Problem fault-unavailable if HTTP/2, or this connection, does not have the fault */
export function checkAvailable(fault: Fault, session: FaultySession): void {
  const reason = whyUnavailable(fault, session);
  if (reason !== undefined) throw faultUnavailable(fault, reason);
}

function whyUnavailable(fault: Fault, { connection, native }: FaultySession): string | undefined {
  switch (fault.kind) {
    case 'truncate-tls':
      return connection.tls ? undefined : 'the connection does not use TLS';
    case 'chunk':
      return 'HTTP/2 has no chunked transfer coding (RFC 9113 8.1)';
    case 'head':
      return isHttp2Head(fault)
        ? undefined
        : `how=${fault.how} is for HTTP/1.1; HTTP/2 has ${HTTP2_HEAD_FAULTS.join(', ')}, size, count`;
    case 'frame': {
      const size = maxFrameSize(native);
      if (fault.how !== 'too-large' || size < MAX_BROKEN_FRAME) return undefined;
      return `the client accepts frames of ${size} bytes`;
    }
    default:
      return undefined;
  }
}

/**
 * Responds with a fault that is available.
 *
 * @throws AbortError, StreamReset if the client disconnects or resets the stream
 */
export async function perform(response: FaultyResponse, fault: Fault): Promise<void> {
  if (fault.kind === 'no-read') {
    await stopReadingContent(response, fault);
    return;
  }
  // Not in an nghttp2 callback.
  await turn();
  const { stream, session, delivery } = response;
  if (stream.destroyed) return;
  switch (fault.kind) {
    case 'close':
      return closeAt(response, fault, 'graceful');
    case 'reset':
      return closeAt(response, fault, 'reset');
    case 'truncate-tls':
      return closeAt(response, fault, 'truncate');
    case 'stall':
      await sendUntil(response, fault);
      await pause(fault.seconds, delivery.signal);
      return reset(stream, constants.NGHTTP2_CANCEL);
    case 'rst-stream':
      await sendUntil(response, fault);
      return reset(stream, fault.code);
    case 'goaway':
      return sendGoaway(response, fault);
    case 'content-length':
      return lieAboutLength(response, fault);
    case 'head':
      return sendHead(response, fault);
    case 'garbage':
      return sendBytes(session, garbage(fault.length), 'close');
    case 'frame':
      return sendBrokenFrame(response, fault);
    case 'raw':
      return sendBytes(session, [fault.bytes], 'keep');
    /* v8 ignore next -- checkAvailable() refuses it */
    case 'chunk':
      return;
  }
}

async function closeAt(
  response: FaultyResponse,
  position: Position,
  how: CloseMethod,
): Promise<void> {
  await sendUntil(response, position);
  await closeConnection(response.session, how);
}

function reset(stream: ServerHttp2Stream, code: number): void {
  if (!stream.destroyed && !stream.closed) resetStream(stream, code);
}

function lieAboutLength(
  { fields, begin, pump }: FaultyResponse,
  { declared }: FaultOf<'content-length'>,
): void {
  const at = fields.findIndex((name, index) => index % 2 === 0 && /^content-length$/i.test(name));
  if (at < 0) fields.push('Content-Length', String(declared));
  else fields[at + 1] = String(declared);
  begin();
  pump();
}

function* garbage(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0;) {
    const piece = randomPieces.next(left);
    left -= piece.length;
    yield piece;
  }
}

async function sendBrokenFrame(
  { stream, session, status }: FaultyResponse,
  { how }: FaultOf<'frame'>,
): Promise<void> {
  const head = fieldBlock([[':status', String(status)]]);
  const response = { stream: stream.id ?? 0, head };
  await sendBytes(session, framesWith(how, response, maxFrameSize(session.native)), 'close');
}

/** Maximum payload of a frame that the client accepts, in bytes. */
function maxFrameSize({ remoteSettings }: ServerHttp2Session): number {
  return remoteSettings.maxFrameSize ?? DEFAULT_MAX_FRAME_SIZE;
}
