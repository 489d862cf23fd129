import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';

/** A stream that never became a request. */
export class StreamRejected extends Error {
  readonly stream: number;

  /** @param section the broken rule, such as `RFC 9113 5.1.2` */
  constructor(stream: number, reason: string, section: string) {
    super(`stream ${stream} never became a request: ${reason} (${section})`);
    this.stream = stream;
  }
}

/** What is known of the request of a rejected stream. @param block its header section, if it is known */
export function rejectedStream(
  { inspector }: TcpConnection,
  stream: number,
  block: HeaderBlock | undefined,
): RejectedMessage | undefined {
  const inspected = inspector?.rejectedMessage(stream);
  if (inspected || !block) return inspected;
  const valueOf = (wanted: string): string | undefined =>
    block.fields.find(({ name }) => name === wanted)?.value;
  return { method: valueOf(':method'), target: valueOf(':path') };
}
