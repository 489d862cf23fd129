import type { FieldLines } from '../../http/fields.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import { isOrdinaryRequest } from '../../wire/http2/ordinary-request.ts';
import { MAX_KEPT_LIST } from '../../wire/http2/block-decoder.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import {
  RequestValidator,
  type SectionVerdict,
  type ValidationOptions,
} from '../../wire/http2/request-validator.ts';
import type { Violation } from '../../wire/http2/violation.ts';

/** The header section of a valid request. */
export interface RequestHead {
  readonly method: string;
  readonly rawTarget: string;
  readonly target: Target | undefined;
  /** Field lines, with pseudo-header fields. */
  readonly fields: FieldLines;
  /** Whether the client may wait for 100 (Continue), if there is content (RFC 9110 10.1.1). */
  readonly expectsContinue: boolean;
  /** Whether this is the head of several requests, which have no content. */
  isRepeated: boolean;
}

/** A valid header section, and what validates the rest of the message: undefined if nothing has to. */
export interface ReceivedHead {
  readonly head: RequestHead;
  readonly validator: RequestValidator | undefined;
}

/**
 * Makes requests of header sections. Which fields are dropped and which sections are refused is the same as on
 * node:http2 (RFC 9113 8.2, 8.3).
 */
export class RequestHeads {
  readonly #options: ValidationOptions;
  /** The last small ordinary section, which many clients repeat. */
  #block: HeaderBlock | undefined;
  #head: RequestHead | undefined;

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  /** @param hasContent whether content or trailers follow @returns the violation of a section that is refused */
  read(block: HeaderBlock, hasContent: boolean): ReceivedHead | Violation {
    if (!hasContent) {
      const head = this.#ordinary(block);
      if (head) return { head, validator: undefined };
    }
    const validator = new RequestValidator(this.#options);
    const verdict = validator.section(block, false, !hasContent);
    const [refusal] = verdict.refusalReasons;
    return refusal ?? { head: headOf(linesOf(block, verdict)), validator };
  }

  #ordinary(block: HeaderBlock): RequestHead | undefined {
    if (block === this.#block) {
      if (this.#head) this.#head.isRepeated = true;
      return this.#head;
    }
    const { maxFields, maxListSize } = this.#options;
    const isSmall = block.fields.length <= maxFields && block.listSize <= maxListSize;
    if (!isSmall || !isOrdinaryRequest(block.fields)) return undefined;
    const lines: string[] = [];
    for (const { name, value } of block.fields) lines.push(name, value);
    const head = headOf(lines);
    if (block.listSize <= MAX_KEPT_LIST) {
      this.#block = block;
      this.#head = head;
    }
    return head;
  }
}

/** The field lines that are not dropped. */
export function linesOf({ fields }: HeaderBlock, { faults }: SectionVerdict): FieldLines {
  return fields.flatMap(({ name, value }, at) => (faults[at] ? [] : [name, value]));
}

function headOf(fields: FieldLines): RequestHead {
  let method = '';
  let path: string | undefined;
  let authority = '';
  let isExtended = false;
  let expectsContinue = false;
  for (let at = 0; at < fields.length; at += 2) {
    const value = fields[at + 1] ?? '';
    switch (fields[at]) {
      case ':method':
        method = value;
        break;
      case ':path':
        path = value;
        break;
      case ':authority':
        authority = value;
        break;
      case ':protocol':
        isExtended = true;
        break;
      case 'expect':
        expectsContinue ||= value.toLowerCase().includes('100-continue');
        break;
      default:
    }
  }
  // CONNECT has no :path (RFC 9113 8.5): its target is the authority.
  const rawTarget = path ?? authority;
  // Extended CONNECT has a path like other methods (RFC 8441 4).
  const target = parseTarget(isExtended ? 'GET' : method, rawTarget);
  return { method, rawTarget, target, fields, expectsContinue, isRepeated: false };
}
