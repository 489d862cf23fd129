import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { DEFAULT_WINDOW, MAX_WINDOW } from '../../../wire/http2/frame.ts';
import type { FaultOf } from '../../../server/fault.ts';
import { pause } from '../../../server/pause.ts';
import type { Request } from '../../../server/request.ts';

/**
 * Reads the request content with a pause in which no WINDOW_UPDATE is sent. The client may still send what its window
 * allows. Call before the content is read.
 *
 * @throws AbortError if the client disconnects, Problem if the content is late
 */
export async function readWithPause(
  request: Request,
  stream: ServerHttp2Stream,
  native: ServerHttp2Session,
  { after, seconds, scope }: FaultOf<'no-read'>,
): Promise<void> {
  const isStream = scope === 'stream';
  await readUntil(stream, after, () => {
    if (isStream) stream.pause();
    else holdWindow(native);
  });
  const { isProgressing } = request;
  // The pause does not count against the request timeout.
  request.isProgressing = () => true;
  try {
    await pause(seconds, request.signal);
  } finally {
    request.isProgressing = isProgressing;
    if (isStream) stream.resume();
    else releaseWindow(native);
  }
  await readUntil(stream, Infinity, () => undefined);
}

/** Calls `stop` once a number of bytes has been read, or at the end of the content. */
async function readUntil(
  stream: ServerHttp2Stream,
  bytes: number,
  stop: () => void,
): Promise<void> {
  // The end of content that was read before is not reported again.
  if (stream.readableEnded) {
    stop();
    return;
  }
  await new Promise<void>((resolve, reject) => {
    let received = 0;
    const count = (length: number): void => {
      received += length;
      if (received < bytes) return;
      done();
    };
    const onData = (chunk: Buffer): void => count(chunk.length);
    const done = (): void => {
      stream.off('data', onData).off('end', done).off('close', resolve).off('error', reject);
      stop();
      resolve();
    };
    stream.once('close', resolve).once('end', done).once('error', reject).on('data', onData);
    count(0);
  });
}

/** State of a connection-level window for which no WINDOW_UPDATE is sent. */
interface HeldWindow {
  readonly size: number;
  /** Number of requests that hold the window. */
  requests: number;
  /** Bytes by which the window was reduced after it had grown. nghttp2 deducts them the next time it grows. */
  reduced: number;
}

const heldWindows = new WeakMap<ServerHttp2Session, HeldWindow>();

/** Sets the connection window to 0, so that nghttp2 sends no WINDOW_UPDATE for what is read. */
function holdWindow(native: ServerHttp2Session): void {
  if (native.destroyed) return;
  const { effectiveLocalWindowSize: size = DEFAULT_WINDOW } = native.state;
  const held = heldWindows.get(native) ?? { size, requests: 0, reduced: 0 };
  heldWindows.set(native, held);
  if (++held.requests === 1) native.setLocalWindowSize(0);
}

/** Restores the window after the last request that held it, with WINDOW_UPDATE for what was received. */
function releaseWindow(native: ServerHttp2Session): void {
  const held = heldWindows.get(native);
  if (!held || --held.requests > 0 || native.destroyed) return;
  native.setLocalWindowSize(held.size);
  // nghttp2 sends WINDOW_UPDATE immediately only if the window grows. Reducing it again sends nothing.
  const { effectiveRecvDataLength: received = 0 } = native.state;
  const grown = held.size + held.reduced + received;
  if (received > 0 && grown <= MAX_WINDOW) {
    native.setLocalWindowSize(grown);
    native.setLocalWindowSize(held.size);
    held.reduced += received;
  }
  // Node sends a queued WINDOW_UPDATE only together with another frame.
  native.ping(() => undefined);
}
