import { nghttp2Rules } from '../../../src/wire/http2/message-rules.ts';
import { Http2Reader, type Http2ReaderOptions } from '../../../src/inspect/http2/http2-reader.ts';

/** A reader without limits other than its own, and with the rules of the nghttp2 that runs, unless said otherwise. */
export function http2Reader(options: Partial<Http2ReaderOptions> = {}): Http2Reader {
  return new Http2Reader({
    rules: nghttp2Rules(process.versions['nghttp2'] ?? ''),
    maxListSize: 65_536,
    maxFields: Infinity,
    maxKept: () => 256 * 1024,
    onFrame: () => undefined,
    onRefused: () => undefined,
    ...options,
  });
}
