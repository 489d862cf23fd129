import { arrivalOf, type Journal } from './arrival.ts';
import type { Check, Outcome } from './check.ts';
import type { Verdict } from './verdict.ts';
import type { FrontName } from './front.ts';
import type { Ending, FieldLine, Transfer } from './message.ts';

/** Bytes of text that a report keeps of what was sent or received. */
const MAX_EVIDENCE = 4096;

/** A transfer as a report has it. */
export interface Evidence {
  readonly sent: string;
  /** What the origin received of it, as far as that is known. */
  readonly origin: string | undefined;
  readonly received: string;
  readonly status: number | undefined;
  readonly fields: readonly FieldLine[];
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
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** Why there is no verdict, or not a steady one; also that it needed more time. */
  readonly reason: string | undefined;
  readonly evidence: readonly Evidence[];
  /** Milliseconds. */
  readonly duration: number;
}

/** A check and the front side that it is run on. */
export interface Planned {
  readonly check: Check;
  readonly front: FrontName;
}

/** Why there is no verdict, or not a steady one. */
interface WithoutVerdict {
  readonly outcome: 'blocked' | 'flaky' | 'error';
  readonly reason: string;
}

/**
 * @param duration in milliseconds
 * @param journal what the check has read of the origin's journal
 */
export function resultOf(
  { check, front }: Planned,
  verdict: Verdict | WithoutVerdict,
  duration = 0,
  journal: Journal = new Map(),
): Result {
  const { id, level, risk, section, rule } = check;
  return {
    id,
    front,
    level,
    risk,
    section,
    rule,
    outcome: verdict.outcome,
    expected: 'expected' in verdict ? shortened(verdict.expected) : undefined,
    found: 'found' in verdict ? shortened(verdict.found) : undefined,
    reason: 'reason' in verdict ? verdict.reason : undefined,
    evidence: ('evidence' in verdict ? (verdict.evidence ?? []) : []).map((transfer) =>
      evidenceOf(transfer, journal),
    ),
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
    ending,
  };
}

function shortened(text: string): string {
  if (text.length <= MAX_EVIDENCE) return text;
  return `${unshared(text.slice(0, MAX_EVIDENCE))}… (${text.length - MAX_EVIDENCE} bytes more)`;
}

/** The first fields, as many as there is room for. */
function keptFields(fields: readonly FieldLine[]): FieldLine[] {
  let room = MAX_EVIDENCE;
  const end = fields.findIndex(([name, value]) => (room -= name.length + value.length + 1) < 0);
  const kept = end === -1 ? fields : fields.slice(0, end);
  return kept.map(([name, value]) => [unshared(name), unshared(value)]);
}

/** A copy: V8 keeps the whole text of which this is a part, and a report is kept for the whole run. */
function unshared(text: string): string {
  return Buffer.from(text).toString();
}
