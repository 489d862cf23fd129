import { varint } from '../../../src/wire/byte-writer.ts';
import type { Violation } from '../../../src/wire/http2/violation.ts';
import { frame } from '../../../src/wire/http3/frame-writer.ts';
import { MessageReader } from '../../../src/wire/http3/message-reader.ts';
import type { Role } from '../../../src/wire/http2/frame.ts';

/** A reader of a message, and all that it has passed on, a line for each; content without the cuts between pieces. @param pauses whether after each section */
export function messageOf(from: Role, maxSection = 1000, pauses = false) {
  const events: string[] = [];
  let violation: Violation | undefined;
  let content = '';
  const flush = (): void => {
    if (content !== '') events.push(`content ${content}`);
    content = '';
  };
  const reader: MessageReader = new MessageReader(
    {
      onFrame: () => flush(),
      onSection: (section, isTrailers) => {
        events.push(`${isTrailers ? 'trailers' : 'section'} ${section.toString('latin1')}`);
        if (pauses) reader.pause();
      },
      onContent: (bytes, start, end) => {
        content += bytes.toString('latin1', start, end);
      },
      onEnd: () => {
        flush();
        events.push('end');
      },
      onViolation: (each) => {
        violation = each;
      },
    },
    from,
    maxSection,
  );
  return {
    reader,
    events,
    get violation() {
      return violation;
    },
  };
}

export const textFrame = (type: number | bigint, text = ''): Buffer =>
  frame(type, Buffer.from(text, 'latin1'));

/** A frame with a type and a length that take more bytes than they need. */
export function longFrame(type: number, text: string): Buffer {
  const header = Buffer.alloc(16);
  header.writeBigUInt64BE(BigInt(type) + (3n << 62n), 0);
  header.writeBigUInt64BE(BigInt(text.length) + (3n << 62n), 8);
  return Buffer.concat([header, Buffer.from(text, 'latin1')]);
}

export const ids = (...values: readonly (number | bigint)[]): Buffer =>
  Buffer.concat(values.map(varint));
