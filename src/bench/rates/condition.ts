import { parseGoDuration } from '../../http/go-duration.ts';
import { nameHint } from '../../http/nearest.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { STARVED } from '../disturbance.ts';
import { isKept, latencyAt, type Trial } from './trial.ts';

/** Percentiles that a condition may limit, in percent. */
const PERCENTS: Readonly<Record<string, number>> = {
  p50: 50,
  p90: 90,
  p99: 99,
  'p99.9': 99.9,
  max: 100,
};
const NAMES = [...Object.keys(PERCENTS), 'errors'];

/** A limit: of a latency, in milliseconds, or of the share of requests that fail. */
interface Term {
  /** undefined for that of errors */
  readonly percent: number | undefined;
  readonly limit: number;
  /** Whether the limit itself is allowed. */
  readonly isInclusive: boolean;
}

/** What has to hold at a rate. */
export interface Condition {
  /** As it is shown. */
  readonly text: string;
  readonly terms: readonly Term[];
}

/**
 * Parses a condition such as `p99<5ms`, `errors=0`, or several of them, joined by commas or `and`.
 *
 * @throws SettingsError
 */
export function parseCondition(text: string): Condition {
  const parts = text.split(/,|\band\b/i).map((part) => part.replaceAll(/\s/g, ''));
  return { text: parts.join(' and '), terms: parts.map(parseTerm) };
}

function parseTerm(text: string): Term {
  const [, name = '', sign = '', value = ''] = /^([^<>=]*)([<>=]*)(.*)/.exec(text) ?? [];
  if (!NAMES.includes(name)) {
    const hint = nameHint(name, NAMES, `there are ${NAMES.join(', ')}`);
    throw wrong(text, name === '' ? 'it names no metric' : `${name} is no metric; ${hint}`);
  }
  return name === 'errors' ? errorTerm(text, sign, value) : latencyTerm(text, name, sign, value);
}

function latencyTerm(text: string, name: string, sign: string, value: string): Term {
  if (sign !== '<' && sign !== '<=') throw wrong(text, `${name} must be followed by < or <=`);
  const seconds = parseGoDuration(value) ?? 0;
  if (seconds <= 0) throw wrong(text, 'a latency has a unit, such as 5ms, 250us or 1s');
  return { percent: PERCENTS[name], limit: seconds * 1000, isInclusive: sign === '<=' };
}

function errorTerm(text: string, sign: string, value: string): Term {
  const [, digits] = /^(\d+(?:\.\d+)?)%$/.exec(value) ?? [];
  const limit = value === '0' ? 0 : Number(digits ?? Number.NaN) / 100;
  if (!(limit < 1)) throw wrong(text, 'errors are 0, or a share such as 0.1%');
  const isAllowed = limit === 0 ? sign === '=' || sign === '<=' : sign === '<' || sign === '<=';
  if (!isAllowed) throw wrong(text, 'write errors=0, errors<1% or errors<=1%');
  return { percent: undefined, limit, isInclusive: sign !== '<' };
}

const wrong = (text: string, reason: string): SettingsError =>
  new SettingsError(`--find: '${text}' cannot be a condition: ${reason}`);

/** Requests that a trial needs to have a percentile: at least one beyond it. */
export const requestsFor = ({ terms }: Condition): number =>
  Math.max(...terms.map(({ percent = 100 }) => (percent < 100 ? 100 / (100 - percent) : 1)));

/**
 * What a trial says of a condition. `lagged`: it would hold if the load generator had not been late itself; `starved`: it
 * does not hold, but the load generator had no core.
 */
export type Outcome = 'holds' | 'fails' | 'lagged' | 'starved';

/** A rate that is not kept fulfils no condition: what is not done yet has neither a latency nor an error. */
export function judgeTrial(condition: Condition, trial: Trial): Outcome {
  const holds = (late: number): boolean =>
    isKept(trial, late) && condition.terms.every((term) => fulfils(term, trial, late));
  if (holds(0)) return 'holds';
  if (trial.waited >= STARVED) return 'starved';
  return holds(trial.lagP99) ? 'lagged' : 'fails';
}

function fulfils({ percent, limit, isInclusive }: Term, trial: Trial, late: number): boolean {
  const value =
    percent === undefined ? trial.errors / trial.requests : latencyAt(trial, percent) - late;
  return isInclusive ? value <= limit : value < limit;
}
