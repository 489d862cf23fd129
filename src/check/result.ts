import type { Check, Outcome, Verdict } from './check.ts';
import type { FrontName } from './front.ts';
import type { Ending, FieldLine, Transfer } from './message.ts';

/** Bytes of text that a report keeps of what was sent or received. */
const MAX_EVIDENCE = 4096;

/** A transfer as a report has it. */
export interface Evidence {
  readonly sent: string;
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
  /** Why there is no verdict, or not a steady one. */
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

/** The result of a verdict. */
export function resultOf({ check, front }: Planned, verdict: Verdict, duration: number): Result {
  const { id, level, risk, section, rule } = check;
  const base = { id, front, level, risk, section, rule, duration, outcome: verdict.outcome };
  switch (verdict.outcome) {
    case 'pass':
      return {
        ...base,
        expected: undefined,
        found: verdict.found,
        reason: undefined,
        evidence: [],
      };
    case 'fail': {
      const { expected, found, evidence } = verdict;
      return { ...base, expected, found, reason: undefined, evidence: evidence.map(evidenceOf) };
    }
    case 'differs': {
      const { found, evidence = [] } = verdict;
      const shown = evidence.map(evidenceOf);
      return { ...base, expected: undefined, found, reason: undefined, evidence: shown };
    }
    case 'not-applicable':
      return {
        ...base,
        expected: undefined,
        found: undefined,
        reason: verdict.reason,
        evidence: [],
      };
  }
}

/** A result without a verdict. */
export function resultWithout(
  { check, front }: Planned,
  outcome: 'not-applicable' | 'blocked' | 'flaky' | 'error',
  reason: string,
  evidence: readonly Evidence[] = [],
  duration = 0,
): Result {
  const { id, level, risk, section, rule } = check;
  const found = undefined;
  const expected = undefined;
  return {
    id,
    front,
    level,
    risk,
    section,
    rule,
    outcome,
    reason,
    expected,
    found,
    evidence,
    duration,
  };
}

function evidenceOf({ sent, received, response, ending }: Transfer): Evidence {
  return {
    sent: shortened(sent),
    received: shortened(received),
    status: response?.status,
    fields: response?.fields ?? [],
    ending,
  };
}

function shortened(text: string): string {
  if (text.length <= MAX_EVIDENCE) return text;
  return `${text.slice(0, MAX_EVIDENCE)}… (${text.length - MAX_EVIDENCE} bytes more)`;
}
