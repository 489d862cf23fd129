import type { ServerHttp2Session } from 'node:http2';
import { DEFAULT_WINDOW, MAX_WINDOW } from '../../../wire/http2/frame.ts';

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
export function holdWindow(native: ServerHttp2Session): void {
  if (native.destroyed) return;
  const { effectiveLocalWindowSize: size = DEFAULT_WINDOW } = native.state;
  const held = heldWindows.get(native) ?? { size, requests: 0, reduced: 0 };
  heldWindows.set(native, held);
  if (++held.requests === 1) native.setLocalWindowSize(0);
}

/** Restores the window after the last request that held it, with WINDOW_UPDATE for what was received. */
export function releaseWindow(native: ServerHttp2Session): void {
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
