import type { ServerHttp2Session } from 'node:http2';
import { setImmediate as turn } from 'node:timers/promises';
import { frame, FrameType, HIGH_BIT, uint32 } from '../../../wire/http2/frame.ts';
import type { FaultOf, LastStream } from '../../../server/fault.ts';
import { closeConnection, flush, sendBytes, sendUntil, type FaultyResponse } from './response.ts';

const MAX_STREAM = HIGH_BIT - 1;
/** Milliseconds for the reply to a PING. */
const PING_TIMEOUT = 1000;

/**
 * Sends GOAWAY, and after the response, if it is to be finished, closes the connection. nghttp2 drops the
 * streams above the last one, and ignores new ones.
 */
export async function sendGoaway(
  response: FaultyResponse,
  { at, after, code, last, debug, then }: FaultOf<'goaway'>,
): Promise<void> {
  const { stream, session } = response;
  const { native } = session;
  const id = stream.id ?? 0;
  const content = await sendUntil(response, { at, after });
  if (native.destroyed) return;
  const lastStream = lastStreamOf(last, id);
  if (lastStream === 0) {
    // Node replaces 0 by the last stream that it has processed.
    const bytes = frame(FrameType.goaway, 0, 0, Buffer.concat([uint32(0, code), debug]));
    await sendBytes(session, [bytes], then === 'close' ? 'close' : 'keep');
    return;
  }
  native.goaway(code, lastStream, debug);
  if (then === 'finish') {
    if (last === 'max') {
      // The graceful form allows for requests that are on their way (RFC 9113 6.8).
      await flush(session);
      await roundTrip(native);
      if (!native.destroyed) native.goaway(code, 0, debug);
    }
    if (!stream.destroyed) {
      if (!stream.headersSent) response.begin();
      await content.send(Infinity);
      stream.end();
    }
    await session.streams.untilIdle();
  }
  await flush(session);
  await closeConnection(session, 'graceful');
}

function lastStreamOf(last: LastStream, id: number): number {
  switch (last) {
    case 'this':
      return id;
    case 'previous':
      return Math.max(0, id - 2);
    case 'zero':
      return 0;
    case 'max':
      return MAX_STREAM;
  }
}

async function roundTrip(native: ServerHttp2Session): Promise<void> {
  if (native.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PING_TIMEOUT).unref();
    native.ping(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  // Not in an nghttp2 callback.
  await turn();
}
