import type { ServerHttp2Session } from 'node:http2';

/**
 * Node, and we, may destroy a session in the midst of nghttp2's reading: at a GOAWAY, or as a stream
 * closes. What else came in the same bytes can then abort the process (nghttp2/nghttp2#2509,
 * nodejs/node#38964, nodejs/node#64850), so the end waits until all of them are read.
 *
 * @param before called before the end, while the session can still be asked
 * @returns what does not wait
 */
export function deferDestroy(session: ServerHttp2Session, before: () => void): () => void {
  const destroy = session.destroy.bind(session);
  const end: typeof destroy = (error, code) => {
    before();
    destroy(error, code);
  };
  session.destroy = (error, code) => void setImmediate(end, error, code);
  return end;
}
