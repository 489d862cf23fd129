import type { DecodedField, FieldSection } from '../field-compression/field-section.ts';
import type { Role } from './frame.ts';
import { HTTP2, type MessageProtocol } from './message-rules.ts';
import { streamError, type Violation } from './violation.ts';

/** What a field section is of its message (RFC 9113 8.1, RFC 9114 4.1). */
export type SectionKind =
  /** That of an interim response. */
  | 'interim'
  /** The header section of the request, or of the final response. */
  | 'head'
  | 'trailers';

/** The status of a response; 0 without `:status`, NaN if that is invalid or repeated (RFC 9113 8.3.2, RFC 9114 4.3.2). */
export function responseStatus(fields: readonly DecodedField[]): number {
  let status = 0;
  for (const { name, value } of fields) {
    // Pseudo-header fields come first (RFC 9113 8.3, RFC 9114 4.3).
    if (!name.startsWith(':')) break;
    if (name === ':status') status = status === 0 ? statusCode(value) : NaN;
  }
  return status;
}

/** @returns NaN if it is not one of 100 to 599 */
function statusCode(value: string): number {
  const first = value.charCodeAt(0) - ZERO;
  const rest = 10 * digitAt(value, 1) + digitAt(value, 2);
  return value.length === 3 && first >= 1 && first <= 5 ? 100 * first + rest : NaN;
}

const ZERO = '0'.charCodeAt(0);

function digitAt(value: string, at: number): number {
  const digit = value.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}

/** Tells what the field sections of a sender are of their messages. */
export class SectionReader {
  readonly #from: Role;
  readonly #protocol: MessageProtocol;
  /** The newest header section of a response, and its status: many are the same object. */
  #block: FieldSection | undefined;
  #status = 0;

  constructor(from: Role, protocol: MessageProtocol = HTTP2) {
    this.#from = from;
    this.#protocol = protocol;
  }

  /**
   * What the next field section of a message is.
   *
   * @param hasHead whether the header section has come before
   * @param isEnd whether it ends the stream; of HTTP/3, where the end comes later, whether it is that of trailers
   * @returns the violation of one that must not come now
   */
  kindOf(block: FieldSection, hasHead: boolean, isEnd: boolean): SectionKind | Violation {
    if (hasHead) return this.#trailersKind(block, isEnd);
    if (this.#from === 'client') return 'head';
    if (block !== this.#block) this.#status = responseStatus(block.fields);
    this.#block = block;
    const status = this.#status;
    if (status >= 200) return 'head';
    const { sections } = this.#protocol;
    // 101 does not exist in HTTP/2 (RFC 9113 8.6) and HTTP/3 (RFC 9114 4.5).
    if (!(status >= 100) || status === 101) {
      return this.#malformed(sections.response, 'no valid :status');
    }
    return isEnd
      ? this.#malformed(sections.message, 'an interim response that ends the stream')
      : 'interim';
  }

  #trailersKind({ fields }: FieldSection, isEnd: boolean): SectionKind | Violation {
    const { message } = this.#protocol.sections;
    if (!isEnd) return this.#malformed(message, 'a trailer section that does not end the stream');
    const isPseudo = fields.some(({ name }) => name.startsWith(':'));
    return isPseudo ? this.#malformed(message, 'a pseudo-header field in trailers') : 'trailers';
  }

  #malformed(section: string, reason: string): Violation {
    return streamError(section, reason, this.#protocol.malformed);
  }
}
