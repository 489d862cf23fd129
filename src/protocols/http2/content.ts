import { constants, type ServerHttp2Stream } from 'node:http2';
import { Problem } from '../../http/problem.ts';
import type { ExchangeObserver } from '../../server/observer.ts';
import type { Http2Exchange } from './exchange.ts';

export interface ContentOptions {
  /** Milliseconds for the whole request to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds within which a client must send something after we have ended a connection or stream. */
  readonly lingerTime: number;
  readonly observer: ExchangeObserver;
}

/** Enforces the request timeout: responds with 408, or ends the stream if the response was sent. */
export function awaitContent(
  stream: ServerHttp2Stream,
  exchange: Http2Exchange,
  { requestTimeout, lingerTime, observer }: ContentOptions,
): void {
  // Content that the handler does not read is discarded: unread, it would stall the stream.
  if (stream.readableFlowing === null) stream.resume();
  const timer = setTimeout(() => {
    if (exchange.isProgressing?.()) {
      timer.refresh();
      return;
    }
    if (stream.writableEnded) observer.terminated?.('request-timeout', exchange.connection);
    stream.emit('error', new Problem('request-timeout', 'the request was not complete in time'));
    setTimeout(() => {
      if (stream.writableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    }, lingerTime).unref();
  }, requestTimeout).unref();
  const stop = (): void => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
}
