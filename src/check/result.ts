import { arrivalOf, type Journal } from './arrival.ts';
import type { Check, Outcome } from './check.ts';
import type { Remedy } from './remedy.ts';
import type { Verdict } from './verdict.ts';
import type { FrontName } from './front.ts';
import type { Ending, FieldLine, Transfer } from './message.ts';
import { meaningOf } from './response-meaning.ts';

/** Bytes that a report keeps of what was sent, and of what was received. */
const MAX_EVIDENCE = 4096;

/** A transfer as a report has it. */
export interface Evidence {
  readonly sent: string;
  /** What the origin received of the request; undefined if that is not known. */
  readonly origin: string | undefined;
  readonly received: string;
  readonly status: number | undefined;
  readonly fields: readonly FieldLine[];
  /** What fields of the response mean: see `meaningOf()`. */
  readonly meaning: readonly string[];
  readonly ending: Ending;
}

/** The outcome of a check on one front side. */
export interface Result {
  readonly id: Check['id'];
  readonly front: FrontName;
  readonly outcome: Outcome;
  readonly level: Check['level'];
  readonly risk: Check['risk'];
  readonly section: string;
  readonly rule: string;
  /** What to do if the check fails or differs. */
  readonly remedy?: Remedy | undefined;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** Why there is no verdict, or why it is unsteady; also if it needed more time, and how often a finding was seen. */
  readonly reason: string | undefined;
  readonly evidence: readonly Evidence[];
  /** Whether a finding was seen, and stands even if it is not seen again: see `isProof()`. */
  readonly isProven: boolean;
  /** Duration in milliseconds. */
  readonly duration: number;
}

/** A check, and the front side on which it is run. */
export interface Planned {
  readonly check: Check;
  readonly front: FrontName;
}

/** The result of a check whose verdict is missing or unsteady. */
interface WithoutVerdict {
  readonly outcome: 'blocked' | 'flaky' | 'error';
  readonly reason: string;
}

/**
 * Makes a result of a verdict.
 *
 * @param duration in milliseconds
 * @param journal what the check has read of the origin's journal
 * @param isProven whether a finding stands even if it is not seen again
 */
export function resultOf(
  { check, front }: Planned,
  verdict: Verdict | WithoutVerdict,
  duration = 0,
  journal: Journal = new Map(),
  isProven = false,
): Result {
  const { id, level, risk, section, rule, remedy } = check;
  return {
    id,
    front,
    level,
    risk,
    section,
    rule,
    remedy,
    outcome: verdict.outcome,
    expected: 'expected' in verdict ? shortened(verdict.expected) : undefined,
    found: 'found' in verdict ? shortened(verdict.found) : undefined,
    reason: 'reason' in verdict ? verdict.reason : undefined,
    evidence: ('evidence' in verdict ? (verdict.evidence ?? []) : []).map((transfer) =>
      evidenceOf(transfer, journal),
    ),
    isProven,
    duration,
  };
}

function evidenceOf(transfer: Transfer, journal: Journal): Evidence {
  const { sent, received, response, ending } = transfer;
  const origin = arrivalOf(transfer, journal);
  return {
    sent: shortened(sent),
    origin: origin === undefined ? undefined : shortened(origin),
    received: shortened(received),
    status: response?.status,
    fields: keptFields(response?.fields ?? []),
    meaning: meaningOf(response).map(shortened),
    ending,
  };
}

function shortened(text: string): string {
  if (text.length <= MAX_EVIDENCE) return text;
  return `${textCopy(text.slice(0, MAX_EVIDENCE))}… (${text.length - MAX_EVIDENCE} bytes more)`;
}

/** The first fields that fit in `MAX_EVIDENCE`. */
function keptFields(fields: readonly FieldLine[]): FieldLine[] {
  let room = MAX_EVIDENCE;
  const end = fields.findIndex(([name, value]) => (room -= name.length + value.length + 1) < 0);
  const kept = end === -1 ? fields : fields.slice(0, end);
  return kept.map(([name, value]) => [textCopy(name), textCopy(value)]);
}

/** A copy of the text: V8 would retain the longer text that it is part of for as long as the report. */
function textCopy(text: string): string {
  return Buffer.from(text).toString();
}
