import {
  authorityFault,
  CONNECTION_SPECIFIC,
  invalid,
  nameFault,
  pseudoValueFault,
  refused,
  valueFault,
  type FieldFault,
} from './field-rules.ts';
import type { DecodedField, FieldSection } from '../field-compression/field-section.ts';
import { entrySize } from '../field-compression/dynamic-table.ts';
import type { MessageRules } from './message-rules.ts';
import { streamError, type Violation } from './violation.ts';

export interface ValidationOptions {
  readonly rules: MessageRules;
  /** Whether the server allows extended CONNECT (RFC 8441 3, RFC 9220 3). */
  readonly connectProtocol: boolean;
  /** Node's option `maxHeaderListPairs`. */
  readonly maxFields: number;
  /** The server's limit of field sections: SETTINGS_MAX_HEADER_LIST_SIZE, once it is acknowledged, or of HTTP/3. */
  readonly maxListSize: number;
}

/** The result of validating a field section. */
export interface SectionVerdict {
  /** For each field of the block, why Node does not receive it; undefined if it does. */
  readonly faults: readonly (FieldFault | undefined)[];
  /** Why nghttp2 refuses the request; empty if it does not. nghttp2 stops at the first reason. */
  readonly refusalReasons: readonly Violation[];
}

/** Pseudo-header fields of requests (RFC 9113 8.3.1, RFC 8441 4; RFC 9114 4.3.1, RFC 9220 3). */
const PSEUDO = new Set([':method', ':scheme', ':authority', ':path', ':protocol']);
/** Maximum Content-Length that nghttp2 can represent. */
const MAX_CONTENT_LENGTH = 2n ** 63n - 1n;

/**
 * Validates one request, on HTTP/2 like nghttp2 (RFC 9113 8.1 to 8.3): which fields are dropped, and whether the request is
 * refused. On HTTP/3 none are dropped (RFC 9114 4.1.2 to 4.4).
 */
export class RequestValidator {
  readonly #options: ValidationOptions;
  /** Values of pseudo-header fields and `host`. */
  readonly #seen = new Map<string, string>();
  #regularSeen = false;
  /** Content-Length; undefined if it is missing or invalid. */
  contentLength: number | undefined;
  /** Bytes of DATA received, without padding. */
  received = 0;

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  /** Validates the header section, and later the trailer section. */
  section(block: FieldSection, isTrailer: boolean, endsStream: boolean): SectionVerdict {
    const refusalReasons: Violation[] = [];
    const faults = block.fields.map((field) => this.#fieldFault(field, isTrailer));
    for (const fault of faults) {
      if (fault?.outcome === 'refused')
        refusalReasons.push(this.#malformed(fault.section, fault.reason));
    }
    const excess = this.#excess(block, faults);
    if (excess) refusalReasons.push(excess);
    const incomplete = isTrailer ? this.#trailerFault(endsStream) : this.#requestFault();
    const wrongLength = endsStream ? this.#lengthFault() : undefined;
    // A pseudo-header field that seems to be missing may be invalid, which was reported already.
    if (incomplete && refusalReasons.length === 0) refusalReasons.push(incomplete);
    if (wrongLength) refusalReasons.push(wrongLength);
    return { faults, refusalReasons };
  }

  /**
   * Counts DATA.
   *
   * @param length without padding
   * @returns why the request is refused; undefined if it is not
   */
  data(length: number, endsStream: boolean): Violation | undefined {
    this.received += length;
    const { contentLength } = this;
    if (contentLength !== undefined && this.received > contentLength) {
      // The mismatch is reported only once.
      const isFirst = this.received - length <= contentLength;
      return isFirst ? this.#lengthMismatch(contentLength) : undefined;
    }
    return endsStream ? this.#lengthFault() : undefined;
  }

  #fieldFault(field: DecodedField, isTrailer: boolean): FieldFault | undefined {
    return field.name.startsWith(':')
      ? this.#pseudoFault(field, isTrailer)
      : this.#regularFault(field);
  }

  #pseudoFault({ name, value }: DecodedField, isTrailer: boolean): FieldFault | undefined {
    const { rules, connectProtocol } = this.#options;
    if (isTrailer) return refused(this.#sections.message, `${name} in the trailer section`);
    if (!PSEUDO.has(name) || (name === ':protocol' && !connectProtocol)) {
      return refused(
        this.#sections.pseudo,
        `${JSON.stringify(name)} is not a pseudo-header field of requests`,
      );
    }
    if (this.#regularSeen) return refused(this.#sections.pseudo, `${name} after a regular field`);
    const fault = pseudoValueFault(name, value, rules);
    if (fault !== undefined) return refused(this.#sections.request, fault);
    if (this.#seen.has(name)) return refused(this.#sections.pseudo, `${name} twice`);
    this.#seen.set(name, value);
    return undefined;
  }

  #regularFault({ name, value }: DecodedField): FieldFault | undefined {
    const { rules } = this.#options;
    this.#regularSeen = true;
    const wrongName = nameFault(name, rules);
    if (wrongName) return wrongName;
    const isHost = name === 'host';
    const wrongValue = isHost ? authorityFault(value, rules) : valueFault(value);
    if (rules.checksValuesFirst && wrongValue !== undefined) {
      return this.#valueFault(wrongValue, isHost);
    }
    if (CONNECTION_SPECIFIC.has(name)) {
      return refused(this.#sections.connectionSpecific, `the connection-specific field ${name}`);
    }
    if (name === 'te') {
      const isTrailers = value.toLowerCase() === 'trailers';
      return isTrailers
        ? undefined
        : refused(this.#sections.connectionSpecific, 'te is not "trailers"');
    }
    if (name === 'content-length') return this.#contentLengthFault(value);
    if (wrongValue !== undefined) return this.#valueFault(wrongValue, isHost);
    return isHost ? this.#hostFault(value) : undefined;
  }

  #valueFault(reason: string, isHost: boolean): FieldFault {
    const { request, characters } = this.#sections;
    return invalid(reason, this.#options.rules, isHost ? request : characters);
  }

  #hostFault(value: string): FieldFault | undefined {
    if (value === '') return refused(this.#sections.request, 'an empty host');
    if (this.#seen.has('host')) return refused('RFC 9110 7.2', 'host twice');
    this.#seen.set('host', value);
    return undefined;
  }

  #contentLengthFault(value: string): FieldFault | undefined {
    if (this.contentLength !== undefined) return refused('RFC 9110 8.6', 'content-length twice');
    if (!/^\d+$/.test(value) || BigInt(value) > MAX_CONTENT_LENGTH) {
      return refused('RFC 9110 8.6', 'content-length is not a number of bytes');
    }
    this.contentLength = Number(value);
    return undefined;
  }

  /** The violation of too many or too large fields, without dropped ones. Node sends ENHANCE_YOUR_CALM (RFC 9113 10.5.1). */
  #excess(
    { fields, leftOut, listSize }: FieldSection,
    faults: SectionVerdict['faults'],
  ): Violation | undefined {
    const { maxFields, maxListSize } = this.#options;
    const { sections, excessive, sizeSetting } = this.#options.rules.protocol;
    // Of fields that were not kept it is not known whether they are dropped.
    let count = leftOut + fields.length;
    let size = listSize;
    for (const [at, field] of fields.entries()) {
      if (faults[at] === undefined) continue;
      count--;
      size -= entrySize(field);
    }
    if (count > maxFields) {
      const reason = `${count} fields, above the limit of ${maxFields}`;
      return streamError(sections.limits, reason, excessive);
    }
    if (size <= maxListSize) return undefined;
    const reason = `fields of ${size} bytes, above ${sizeSetting} of ${maxListSize}`;
    return streamError(sections.limits, reason, excessive);
  }

  /** The violation of missing or contradictory pseudo-header fields; undefined without one. */
  #requestFault(): Violation | undefined {
    const seen = this.#seen;
    const method = seen.get(':method');
    if (method === 'CONNECT' && !seen.has(':protocol')) {
      this.contentLength = undefined;
      if (seen.has(':scheme') || seen.has(':path')) {
        return this.#malformed(this.#sections.connect, 'CONNECT with :scheme or :path');
      }
      return seen.has(':authority')
        ? undefined
        : this.#malformed(this.#sections.connect, 'CONNECT without :authority');
    }
    const missing = [':method', ':scheme', ':path'].filter((name) => !seen.has(name));
    if (missing.length > 0) {
      return this.#malformed(this.#sections.request, `${missing.join(' and ')} missing`);
    }
    if (!seen.has(':authority') && !seen.has('host')) {
      return this.#malformed(this.#sections.request, 'both :authority and host missing');
    }
    if (seen.has(':protocol') && (method !== 'CONNECT' || !seen.has(':authority'))) {
      return this.#malformed(
        this.#sections.extendedConnect,
        ':protocol without CONNECT and :authority',
      );
    }
    return this.#hostMismatch() ?? this.#pathFault(method);
  }

  /** The violation of two authorities that differ, which nghttp2 lets pass. */
  #hostMismatch(): Violation | undefined {
    if (!this.#options.rules.comparesHost) return undefined;
    const authority = this.#seen.get(':authority');
    const host = this.#seen.get('host');
    if (authority === undefined || host === undefined || authority === host) return undefined;
    return this.#malformed(this.#sections.request, ':authority and host differ');
  }

  #pathFault(method: string | undefined): Violation | undefined {
    const path = this.#seen.get(':path') ?? '';
    if (!/^https?$/i.test(this.#seen.get(':scheme') ?? '') || path.startsWith('/')) {
      return undefined;
    }
    if (method === 'OPTIONS' && path === '*') return undefined;
    return this.#malformed(this.#sections.request, ':path does not start with "/"');
  }

  #lengthFault(): Violation | undefined {
    const { contentLength } = this;
    if (contentLength === undefined || contentLength === this.received) return undefined;
    return this.#lengthMismatch(contentLength);
  }

  #lengthMismatch(contentLength: number): Violation {
    const reason = `${this.received} bytes of DATA, content-length ${contentLength}`;
    return this.#malformed(this.#sections.contentLength, reason);
  }

  #trailerFault(endsStream: boolean): Violation | undefined {
    if (endsStream) return undefined;
    return this.#malformed(
      this.#sections.message,
      'a trailer section that does not end the stream',
    );
  }

  get #sections(): MessageRules['protocol']['sections'] {
    return this.#options.rules.protocol.sections;
  }

  #malformed(section: string, reason: string): Violation {
    return streamError(section, reason, this.#options.rules.protocol.malformed);
  }
}
