import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { DEFAULT_WINDOW } from '../../../net/http2-frame.ts';
import type { FaultOf } from '../../../server/fault.ts';
import { pause } from '../../../server/pause.ts';
import type { FaultyResponse } from './response.ts';

/**
 * Gives the client no WINDOW_UPDATE for a time, after some of its content, and then responds. The client may
 * send as much as its window allows. Call before the content is read.
 *
 * @throws AbortError if the client disconnects
 */
export async function stopReadingContent(
  { stream, session: { native }, delivery, respond }: FaultyResponse,
  { after, seconds, scope }: FaultOf<'no-read'>,
): Promise<void> {
  const isStream = scope === 'stream';
  let before = 0;
  await readUntil(stream, after, () => {
    if (isStream) stream.pause();
    else if (!native.destroyed) {
      before = windowOf(native);
      native.setLocalWindowSize(0);
    }
  });
  await pause(seconds, delivery.signal);
  if (isStream) stream.resume();
  else renewWindow(native, before);
  if (stream.readableEnded) respond();
  else stream.once('end', respond);
}

/** Calls `stop` once that many bytes have been read, or at the end of the content. */
async function readUntil(
  stream: ServerHttp2Stream,
  bytes: number,
  stop: () => void,
): Promise<void> {
  await new Promise<void>((resolve) => {
    let received = 0;
    const count = (length: number): void => {
      received += length;
      if (received < bytes) return;
      done();
    };
    const onData = (chunk: Buffer): void => count(chunk.length);
    const done = (): void => {
      stream.off('data', onData).off('end', done).off('close', resolve);
      stop();
      resolve();
    };
    stream.once('close', resolve).once('end', done).on('data', onData);
    count(0);
  });
}

/**
 * nghttp2 sends WINDOW_UPDATE at once only if the window becomes larger than it has been.
 *
 * @param before the window before it was made 0
 */
function renewWindow(native: ServerHttp2Session, before: number): void {
  if (native.destroyed) return;
  native.setLocalWindowSize(before + windowOf(native) + DEFAULT_WINDOW);
  // Node leaves it queued until something else is sent.
  native.ping(() => undefined);
}

function windowOf({ state }: ServerHttp2Session): number {
  return state.effectiveLocalWindowSize ?? DEFAULT_WINDOW;
}
