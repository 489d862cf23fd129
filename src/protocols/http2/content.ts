import { constants, type ServerHttp2Stream } from 'node:http2';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { TerminationReason } from '../../net/close-reason.ts';
import type { Http2Exchange } from './exchange.ts';

export interface ContentOptions {
  /** Milliseconds for the whole of a request to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds in which a client has to send something after our end of a connection or stream. */
  readonly lingerTime: number;
  /** Told of each stream that is cut without an answer that says so. */
  readonly onStreamAborted?: (reason: TerminationReason, connection: Connection) => void;
}

/** Content that does not come in time is answered with 408, or ends the stream after its response. */
export function awaitContent(
  stream: ServerHttp2Stream,
  exchange: Http2Exchange,
  { requestTimeout, lingerTime, onStreamAborted }: ContentOptions,
): void {
  // What the handler has left alone is read off: unread it would hold up the stream.
  if (stream.readableFlowing === null) stream.resume();
  const timer = setTimeout(() => {
    if (exchange.isProgressing?.()) {
      timer.refresh();
      return;
    }
    if (stream.writableEnded) onStreamAborted?.('request-timeout', exchange.connection);
    stream.emit('error', new Problem('request-timeout', 'the request was not complete in time'));
    setTimeout(() => {
      if (stream.writableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    }, lingerTime).unref();
  }, requestTimeout).unref();
  const stop = (): void => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
}
