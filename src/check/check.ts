import type { FrontName, Need } from './front.ts';
import type { Observation } from './observation.ts';
import type { ProfileName } from './profile.ts';
import type { Remedy } from './remedy.ts';
import type { Session } from './session.ts';
import type { Verdict } from './verdict.ts';

/** Levels of findings: those of RFC 2119, or beyond them what users expect (`quality`). */
export const FINDING_LEVELS = ['must', 'should', 'quality'] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** `info` reports a fact, and is never a finding. */
export const LEVELS = [...FINDING_LEVELS, 'info'] as const;
export type Level = (typeof LEVELS)[number];

/** What can make a run fail: findings of a level, results that are flaky, checks without a verdict, and changes. */
export const FAIL_ON = [...FINDING_LEVELS, 'flaky', 'blocked', 'lost', 'changed'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/**
 * Why a check counts that has failed no rule: it has no verdict, and --require names it, the baseline has a verdict of it,
 * or it is blocked; or it passed when the baseline was written, and differs now.
 */
export const GAP_KINDS = ['required', 'lost', 'changed', 'blocked'] as const;
export type GapKind = (typeof GAP_KINDS)[number];

/** How a run stands at its end, in a word. */
export const STANDINGS = ['pass', 'fail', 'incomplete', 'stopped', 'interrupted'] as const;
export type Standing = (typeof STANDINGS)[number];

/** What goes wrong where the rule is broken. */
export const RISKS = ['security', 'data-loss', 'interop', 'latency'] as const;
export type Risk = (typeof RISKS)[number];

/** The topics of the catalogue; the first part of an id. */
export const TOPICS = [
  'framing',
  'hop',
  'field',
  'cookie',
  'target',
  'host',
  'forwarding',
  'method',
  'expect',
  'interim',
  'response',
  'coding',
  'cache',
  'trailer',
  'content',
  'truncation',
  'origin',
  'retry',
  'connection',
  'backend',
  'idle',
  'drain',
  'cancel',
  'streaming',
  'backpressure',
  'flow',
  'goaway',
  'h2',
  'tls',
  'client-certificate',
  'proxy-protocol',
  'upgrade',
  'websocket',
  'grpc',
  'limit',
  'tunnel',
] as const;
export type Topic = (typeof TOPICS)[number];

/** All outcomes. Checks return the first four only; the runner also sets the others, and `not-applicable`. */
export const OUTCOMES = [
  'pass',
  'fail',
  'differs',
  'not-applicable',
  'blocked',
  'flaky',
  'error',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether the outcome says what the target does: the check has judged it. @param outcome may come from a file */
export function isVerdict(outcome: string): boolean {
  return outcome === 'pass' || outcome === 'fail' || outcome === 'differs';
}

/**
 * When a check runs. The phases follow each other:
 * - together: beside others, as many as --concurrency allows
 * - timed: beside few others, because the check measures time
 * - alone: with no other check, because it disturbs requests to the origin
 * - last: alone, after all others, because a target that breaks the rule may not recover: behind nghttpx 1.52, streams to
 *   the origin whose uploads have not ended stay open, and later requests wait for them
 */
export const PHASES = ['together', 'timed', 'alone', 'last'] as const;
export type Phase = (typeof PHASES)[number];

/** A check: what is sent, and how the result is judged. */
export interface Check {
  readonly id: `${Topic}/${string}`;
  /** The source of the rule, such as `RFC 9110 7.6.1`. */
  readonly section: string;
  /** The rule in one sentence. */
  readonly rule: string;
  readonly level: Level;
  readonly risk: Risk;
  /** Protocols between client and target that the check is for. Default: both. */
  readonly fronts?: readonly FrontName[];
  /** Profiles that the check is for. Default: all. */
  readonly profiles?: readonly ProfileName[];
  readonly needs?: readonly Need[];
  /** What must have been seen before the check may pass. Default: `arrival`. */
  readonly observes?: Observation;
  /** Ids of checks that must be pass or differs. Otherwise this one is `not-applicable` as they are, or `blocked`. */
  readonly after?: readonly Check['id'][];
  /** Whether the check may harm the requests of others: runs with --destructive only. */
  readonly isDestructive?: boolean;
  /** What to do if the check fails or differs. */
  readonly remedy?: Remedy;
  /** Outcomes that come now and then on the same target: another one before is nothing lost, and no change. */
  readonly byChance?: readonly Outcome[];
  /** Whether the check takes about a minute or more: runs with --slow only. */
  readonly isSlow?: boolean;
  /**
   * Whether what is waited for comes at once or never. The check then waits only for a part of --timeout, and again for
   * all of it if nothing has come: a pass never rests on a short wait.
   */
  readonly isPrompt?: boolean;
  /**
   * Default: `alone` if it may break a connection to the origin (it is destructive, or needs faults or raw responses)
   * and the target shares such connections; otherwise `together`.
   */
  readonly phase?: Phase;
  readonly run: (session: Session) => Promise<Verdict>;
}

/** The declaration of a check without its implementation, and what it observes. */
export type Rule = Omit<Check, 'run' | 'observes'>;

/** The parts of a rule that differ between similar checks. */
export type FamilyRule = Pick<Rule, 'id' | 'rule'> & Partial<Rule>;

/** A check of a topic. What it leaves out comes from `topic()`. */
export type TopicCheck = FamilyRule & Pick<Check, 'run' | 'observes'>;

/** Completes the checks of a topic with what they have in common. */
export const topic = (
  common: Omit<Check, 'id' | 'rule' | 'run'>,
  checks: readonly TopicCheck[],
): readonly Check[] => checks.map((check) => ({ ...common, ...check }));
