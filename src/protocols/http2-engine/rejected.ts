import type { Connection } from '../../net/connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import type { Violation } from '../../wire/http2/violation.ts';

/** A stream that never became a request. */
export class StreamRejected extends Error {
  readonly stream: number;

  constructor(stream: number, { reason, section }: Pick<Violation, 'reason' | 'section'>) {
    super(`stream ${stream} never became a request: ${reason} (${section})`);
    this.stream = stream;
  }
}

/** What is known of the request of a rejected stream. @param block its header section, if it is known */
export function rejectedStream(
  { inspector }: Connection,
  stream: number,
  block: HeaderBlock | undefined,
): RejectedMessage | undefined {
  const inspected = inspector?.rejectedMessage(stream);
  if (inspected || !block) return inspected;
  const valueOf = (wanted: string): string | undefined =>
    block.fields.find(({ name }) => name === wanted)?.value;
  return { method: valueOf(':method'), target: valueOf(':path') };
}

/** Why a session has ended with an error (RFC 9113 5.4.1). */
export class SessionFailed extends Error {
  /** As of the errors of Node's sessions: `causeFromError` tells by it who has closed the connection. */
  readonly code: 'ERR_HTTP2_ERROR' | 'ERR_HTTP2_SESSION_ERROR';

  constructor(message: string, code: SessionFailed['code']) {
    super(message);
    this.code = code;
  }
}
