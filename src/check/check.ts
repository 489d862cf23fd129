import type { FrontName, Need } from './front.ts';
import type { Observation } from './observation.ts';
import type { ProfileName } from './profile.ts';
import type { Session } from './session.ts';
import type { Verdict } from './verdict.ts';

/** What a rule asks for: RFC 2119's words, or what users would expect beyond them. */
export const FINDING_LEVELS = ['must', 'should', 'quality'] as const;

/** `info` is a fact to know, and never a finding. */
export const LEVELS = [...FINDING_LEVELS, 'info'] as const;
export type Level = (typeof LEVELS)[number];

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

/** The outcomes that a report has; `blocked`, `flaky` and `error` come from the run, not from a check. */
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

/**
 * When a check runs; the phases follow each other:
 *
 * - together: beside others, as many as --concurrency allows
 * - timed: beside few others, because it measures time
 * - alone: by itself, because it disturbs other requests to the origin
 */
export const PHASES = ['together', 'timed', 'alone'] as const;
export type Phase = (typeof PHASES)[number];

/** One check: what is sent, and how what comes of it is judged. */
export interface Check {
  readonly id: `${Topic}/${string}`;
  /** The source of the rule: `RFC 9110 7.6.1`. */
  readonly section: string;
  /** The rule in one sentence. */
  readonly rule: string;
  readonly level: Level;
  readonly risk: Risk;
  /** Default: both. */
  readonly fronts?: readonly FrontName[];
  /** What the target is meant to be. Default: anything. */
  readonly profiles?: readonly ProfileName[];
  readonly needs?: readonly Need[];
  /** What has to be seen before it may pass. Default: `arrival`. */
  readonly observes?: Observation;
  /** Checks without which this one says nothing. */
  readonly after?: readonly Check['id'][];
  /** Whether it may harm the requests of others: it runs with --destructive only. */
  readonly isDestructive?: boolean;
  /** Whether it takes about a minute or more: it runs with --slow only. */
  readonly isSlow?: boolean;
  /**
   * Default: `alone` if it may break a connection to the origin (it is destructive, or needs faults or raw responses)
   * and the target shares such connections; otherwise `together`.
   */
  readonly phase?: Phase;
  readonly run: (session: Session) => Promise<Verdict>;
}

/** All of a check but what it does, and what that observes. */
export type Rule = Omit<Check, 'run' | 'observes'>;

/** A rule of a family whose members have the rest in common. */
export type FamilyRule = Pick<Rule, 'id' | 'rule'> & Partial<Rule>;

/** A check of a topic: what it does not say is as `topic()` has it. */
export type TopicCheck = FamilyRule & Pick<Check, 'run' | 'observes'>;

/** The checks of a topic, and what they have in common unless they say otherwise. */
export const topic = (
  common: Omit<Rule, 'id' | 'rule'>,
  checks: readonly TopicCheck[],
): readonly Check[] => checks.map((check) => ({ ...common, ...check }));
