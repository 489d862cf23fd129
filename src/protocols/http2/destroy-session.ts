import type { ServerHttp2Session } from 'node:http2';

/**
 * Defers `session.destroy` until nghttp2 has processed all bytes that it was called with. Node and
 * wirebin may destroy a session from an nghttp2 callback, at a GOAWAY or when a stream closes; further
 * frames in the same bytes can then abort the process (nghttp2/nghttp2#2509, nodejs/node#38964,
 * nodejs/node#64850).
 *
 * @param before called before the session is destroyed, while its state is available
 * @returns a function that destroys it immediately
 */
export function deferDestroy(session: ServerHttp2Session, before: () => void): () => void {
  const destroy = session.destroy.bind(session);
  const destroyNow: typeof destroy = (error, code) => {
    before();
    destroy(error, code);
  };
  session.destroy = (error, code) => void setImmediate(destroyNow, error, code);
  return destroyNow;
}
