import { constants } from 'node:http2';
import { Problem } from '../http/problem.ts';
import type { Protocol } from '../net/connection.ts';
import type { ProtocolHandlers } from '../net/tcp-connection.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import type { CommonFields } from '../server/response-fields.ts';
import { frame, FrameType, goaway } from '../wire/http2/frame.ts';
import { fatalAlert } from '../wire/tls/record.ts';
import { excerpt } from '../net/rejected-message.ts';
import { problemMessage } from './http1/problem-message.ts';

interface RefusalOptions extends CommonFields {
  /** Transports that are on. */
  readonly transports: readonly Protocol[];
  readonly observer: ExchangeObserver;
}

/** Alert handshake_failure (RFC 9846 6.2). */
const HANDSHAKE_FAILURE_ALERT = fatalAlert(40);

/** Empty SETTINGS, the server's connection preface (RFC 9113 3.4). */
const SETTINGS = frame(FrameType.settings, 0, 0);

/**
 * Handlers for transports that are switched off (--transports). Each tells the client so in the client's protocol, and
 * closes the connection.
 */
export function refusals(options: RefusalOptions): ProtocolHandlers<'tls' | 'h2' | 'h1'> {
  const { transports, observer } = options;
  const detail = (off: string): string =>
    `${off} is off; this port speaks ${transports.join(', ')} (--transports)`;
  return {
    tls: {
      accept(connection) {
        observer.handshakeFailed?.(connection, new Error(detail('TLS')));
        connection.socket.write(HANDSHAKE_FAILURE_ALERT);
        connection.close('graceful', 'transport-off');
      },
    },
    h2: {
      accept(connection) {
        // This is cleartext: over TLS, ALPN does not select h2 if it is off (RFC 7301 3.2).
        connection.detected('h2c');
        observer.detected?.(connection);
        const message = detail('h2c');
        observer.rejected?.(connection, new Error(message));
        connection.socket.write(refusalBytes(errorCode(transports), message));
        connection.close('graceful', 'transport-off');
      },
    },
    h1: {
      accept(connection) {
        const protocol = connection.tls ? 'https/1.1' : 'http/1.1';
        connection.detected(protocol);
        observer.detected?.(connection);
        const problem = new Problem('transport-off', detail(protocol));
        const first: unknown = connection.stream.read();
        const message = first instanceof Buffer ? { text: excerpt(first) } : {};
        observer.rejected?.(connection, problem, message);
        connection.stream.write(problemMessage(problem, connection, options), 'latin1');
        connection.close('graceful', 'transport-off');
      },
    },
  };
}

/** INADEQUATE_SECURITY if h2 is on, but cleartext HTTP/1.1 is not (RFC 9113 9.2); otherwise HTTP_1_1_REQUIRED. */
function errorCode(transports: readonly Protocol[]): number {
  return transports.includes('h2') && !transports.includes('http/1.1')
    ? constants.NGHTTP2_INADEQUATE_SECURITY
    : constants.NGHTTP2_HTTP_1_1_REQUIRED;
}

/** The server's connection preface, and a GOAWAY that says that no stream was processed (RFC 9113 6.8). */
function refusalBytes(code: number, debugData: string): Buffer {
  return Buffer.concat([SETTINGS, goaway(0, code, Buffer.from(debugData, 'latin1'))]);
}
