import type { RejectedMessage } from '../net/rejected-message.ts';
import type { Http1Reader } from './http1/connection.ts';
import { requestFields, type StreamFacts } from './http2/stream.ts';

/** Bytes shown of the head of a rejected message. The tap keeps a thousand events. */
const MAX_HEAD = 8192;

/** The message in whose head Node's parser stopped. */
export function http1Rejected(reader: Http1Reader): RejectedMessage | undefined {
  const refused = reader.requests.findLast(({ number, head, headComplete }) => {
    const { stoppedAt } = reader.request(number) ?? {};
    return stoppedAt !== undefined && (stoppedAt < head.length || !headComplete);
  });
  return refused && { text: refused.head.text.slice(0, MAX_HEAD) };
}

/** What a rejected stream asked for. */
export function http2Rejected(stream: StreamFacts): RejectedMessage {
  const fields = requestFields(stream);
  const valueOf = (wanted: string): string | undefined =>
    fields.find(({ name }) => name === wanted)?.value;
  return { method: valueOf(':method'), target: valueOf(':path') };
}
