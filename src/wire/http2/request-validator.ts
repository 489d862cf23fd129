import {
  authorityFault,
  CONNECTION_SPECIFIC,
  dropped,
  nameFault,
  pseudoValueFault,
  refused,
  valueFault,
  type FieldFault,
  type Nghttp2Rules,
} from './field-rules.ts';
import type { DecodedField, FieldSection } from '../field-compression/field-section.ts';
import { entrySize } from '../field-compression/dynamic-table.ts';
import { streamError, type Violation } from './violation.ts';

export interface ValidationOptions {
  readonly rules: Nghttp2Rules;
  /** Whether the server allows extended CONNECT (RFC 8441 3). */
  readonly connectProtocol: boolean;
  /** Node's option `maxHeaderListPairs`. */
  readonly maxFields: number;
  /** SETTINGS_MAX_HEADER_LIST_SIZE of the server, once it is acknowledged. */
  readonly maxListSize: number;
}

/** The result of validating a field section. */
export interface SectionVerdict {
  /** For each field of the block, why Node does not receive it; undefined if it does. */
  readonly faults: readonly (FieldFault | undefined)[];
  /** Why nghttp2 refuses the request; empty if it does not. nghttp2 stops at the first reason. */
  readonly refusalReasons: readonly Violation[];
}

/** Pseudo-header fields of requests (RFC 9113 8.3.1, RFC 8441 4). */
const PSEUDO = new Set([':method', ':scheme', ':authority', ':path', ':protocol']);
/** Maximum Content-Length that nghttp2 can represent. */
const MAX_CONTENT_LENGTH = 2n ** 63n - 1n;

/**
 * Validates one request like nghttp2 (RFC 9113 8.1 to 8.3): which fields are dropped, and whether the request is
 * refused.
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
        refusalReasons.push(streamError(fault.section, fault.reason));
    }
    const excess = this.#excess(block, faults);
    if (excess) refusalReasons.push(excess);
    const incomplete = isTrailer ? trailerFault(endsStream) : this.#requestFault();
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
      return isFirst ? lengthMismatch(this.received, contentLength) : undefined;
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
    if (isTrailer) return refused('RFC 9113 8.1', `${name} in the trailer section`);
    if (!PSEUDO.has(name) || (name === ':protocol' && !connectProtocol)) {
      return refused(
        'RFC 9113 8.3',
        `${JSON.stringify(name)} is not a pseudo-header field of requests`,
      );
    }
    if (this.#regularSeen) return refused('RFC 9113 8.3', `${name} after a regular field`);
    const fault = pseudoValueFault(name, value, rules);
    if (fault !== undefined) return refused('RFC 9113 8.3.1', fault);
    if (this.#seen.has(name)) return refused('RFC 9113 8.3', `${name} twice`);
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
    const section = isHost ? 'RFC 9113 8.3.1' : 'RFC 9113 8.2.1';
    if (rules.checksValuesFirst && wrongValue !== undefined) return dropped(section, wrongValue);
    if (CONNECTION_SPECIFIC.has(name)) {
      return refused('RFC 9113 8.2.2', `the connection-specific field ${name}`);
    }
    if (name === 'te') {
      const isTrailers = value.toLowerCase() === 'trailers';
      return isTrailers ? undefined : refused('RFC 9113 8.2.2', 'te is not "trailers"');
    }
    if (name === 'content-length') return this.#contentLengthFault(value);
    if (wrongValue !== undefined) return dropped(section, wrongValue);
    return isHost ? this.#hostFault(value) : undefined;
  }

  #hostFault(value: string): FieldFault | undefined {
    if (value === '') return refused('RFC 9113 8.3.1', 'an empty host');
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

  /** The violation of too many or too large fields, without dropped ones. Node sends ENHANCE_YOUR_CALM. */
  #excess(
    { fields, leftOut, listSize }: FieldSection,
    faults: SectionVerdict['faults'],
  ): Violation | undefined {
    const { maxFields, maxListSize } = this.#options;
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
      return streamError('RFC 9113 10.5.1', reason, 'ENHANCE_YOUR_CALM');
    }
    if (size <= maxListSize) return undefined;
    const reason = `fields of ${size} bytes, above SETTINGS_MAX_HEADER_LIST_SIZE of ${maxListSize}`;
    return streamError('RFC 9113 10.5.1', reason, 'ENHANCE_YOUR_CALM');
  }

  /** The violation of missing or contradictory pseudo-header fields; undefined without one. */
  #requestFault(): Violation | undefined {
    const seen = this.#seen;
    const method = seen.get(':method');
    if (method === 'CONNECT' && !seen.has(':protocol')) {
      this.contentLength = undefined;
      if (seen.has(':scheme') || seen.has(':path')) {
        return streamError('RFC 9113 8.5', 'CONNECT with :scheme or :path');
      }
      return seen.has(':authority')
        ? undefined
        : streamError('RFC 9113 8.5', 'CONNECT without :authority');
    }
    const missing = [':method', ':scheme', ':path'].filter((name) => !seen.has(name));
    if (missing.length > 0) {
      return streamError('RFC 9113 8.3.1', `${missing.join(' and ')} missing`);
    }
    if (!seen.has(':authority') && !seen.has('host')) {
      return streamError('RFC 9113 8.3.1', 'both :authority and host missing');
    }
    if (seen.has(':protocol') && (method !== 'CONNECT' || !seen.has(':authority'))) {
      return streamError('RFC 8441 4', ':protocol without CONNECT and :authority');
    }
    return this.#pathFault(method);
  }

  #pathFault(method: string | undefined): Violation | undefined {
    const path = this.#seen.get(':path') ?? '';
    if (!/^https?$/i.test(this.#seen.get(':scheme') ?? '') || path.startsWith('/')) {
      return undefined;
    }
    if (method === 'OPTIONS' && path === '*') return undefined;
    return streamError('RFC 9113 8.3.1', ':path does not start with "/"');
  }

  #lengthFault(): Violation | undefined {
    const { contentLength } = this;
    if (contentLength === undefined || contentLength === this.received) return undefined;
    return lengthMismatch(this.received, contentLength);
  }
}

function lengthMismatch(received: number, contentLength: number): Violation {
  const reason = `${received} bytes of DATA, content-length ${contentLength}`;
  return streamError('RFC 9113 8.1.1', reason);
}

function trailerFault(endsStream: boolean): Violation | undefined {
  return endsStream
    ? undefined
    : streamError('RFC 9113 8.1', 'a trailer section that does not end the stream');
}
