import type { RunningOrigin } from '../check/own-origin.ts';
import type { Streams } from '../check/streams.ts';
import { confirm, connectionOptions, expectUrl, httpUrl } from '../check/target-options.ts';
import { hostOf, Target, type TargetOptions } from '../check/target.ts';
import { didYouMean, meantOrigins, nearest } from '../http/nearest.ts';
import { quoted } from '../pages/curl.ts';
import { flagOf } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { BenchOptions } from './options.ts';
import type { Report } from './report/report.ts';

/** The sides of a run. */
export interface Comparison {
  readonly target: Target;
  /** What the target is compared with; undefined if with the direct side, or nothing. */
  readonly baseline: Target | undefined;
  /** Of target and baseline, as they were given. */
  readonly names: Report['names'];
  /** The origin, reached directly; undefined without --direct. */
  readonly direct: Target | undefined;
  /** Whether the origin runs in this process. */
  readonly isSelf: boolean;
  /** Whether all sides run on this machine. */
  readonly isOneMachine: boolean;
}

/** The URLs among the arguments. */
export interface SideUrls {
  /** Undefined with --self. */
  readonly target: string | undefined;
  readonly baseline: string | undefined;
  readonly names: Report['names'];
}

const NAMED = /^([\w.-]+)=(.*)$/;

/**
 * Reads `URL`, or `A=URL B=URL`, of which A is the baseline.
 *
 * @param program how the user has called this program
 * @throws SettingsError
 */
export function sideUrls(positionals: readonly string[], program: string): SideUrls {
  const command = `${program} bench`;
  const [first, second, ...extra] = positionals;
  const [one, other] = [NAMED.exec(first ?? ''), NAMED.exec(second ?? '')];
  const [, baselineName = '', baseline = ''] = one ?? [];
  const [, name = '', target = ''] = other ?? [];
  if (one && second === undefined) {
    throw new SettingsError(`${first} has nothing to be compared with: name two, A=URL B=URL`);
  }
  const unexpected = one && other ? extra : positionals.slice(1);
  if (unexpected.length > 0) {
    const meant =
      (one ?? other ?? extra[0]) ? undefined : sidesMeant(first ?? '', second ?? '', command);
    const hint = meant === undefined ? '' : `; ${didYouMean(meant)}`;
    throw new SettingsError(`unexpected argument ${unexpected.join(' ')}${hint}`);
  }
  if (!one && first !== undefined) expectUrl(first, ['show', '--help'], command);
  if (!one) return { target: first, baseline: undefined, names: null };
  if ([name, baselineName].includes('direct'))
    throw new SettingsError('direct is the name of the side of --direct');
  if (name === baselineName) throw new SettingsError(`both sides have the name ${name}`);
  return { target, baseline, names: { target: name, baseline: baselineName } };
}

/** Two reports, or two targets without names. */
function sidesMeant(first: string, second: string, command: string): string | undefined {
  if (second.endsWith('.json')) {
    const reports = first.endsWith('.json') ? [first, second] : [second];
    const isMeant = reports.length > 1 || nearest(first, ['show']) !== undefined;
    return isMeant ? [command, 'show', ...reports.map(quoted)].join(' ') : undefined;
  }
  const [one, other] = [meantOrigins(first), meantOrigins(second)];
  if (one.length === 0 || other.length === 0) return undefined;
  // With a guessed scheme, another listener could be loaded.
  if (one.length + other.length > 2) return 'A=URL B=URL, each with http:// or https://';
  return `A=${one[0]} B=${other[0]}`;
}

/** Options about what --during does not measure. */
const NOT_DURING = ['find', 'sweep', 'time', 'rounds', 'minRate', 'maxAddedP99'] as const;

/** Checks that options do not contradict each other. @throws SettingsError */
export function expectNoContradiction(options: BenchOptions, { target, baseline }: SideUrls): void {
  const { self, direct, resolve, during, maxAddedP99, rate, threads } = options;
  if (self && target !== undefined) throw new SettingsError('--self takes no URL');
  if (!self && target === undefined)
    throw new SettingsError('the URL of the target is required; see wirebin bench --help');
  for (const [name, value] of Object.entries({ direct, resolve })) {
    if (self && value !== undefined) throw new SettingsError(`--self takes no --${name}`);
  }
  if (during !== undefined && baseline !== undefined)
    throw new SettingsError('--during takes one URL');
  const unmeasured = NOT_DURING.find((name) => options[name] !== undefined);
  if (during !== undefined && (unmeasured !== undefined || threads > 1))
    throw new SettingsError(`--during takes no --${flagOf(unmeasured ?? 'threads')}`);
  if (rate !== undefined && rate < threads)
    throw new SettingsError('--rate must be at least one request per second for each of --threads');
  if (maxAddedP99 !== undefined && !self && (direct ?? baseline) === undefined)
    throw new SettingsError('--max-added-p99 requires --direct, or a second URL');
}

/** Makes all sides, after the user has agreed to load them. @throws SettingsError, NotTestable */
export async function compare(
  options: BenchOptions,
  urls: SideUrls,
  origin: RunningOrigin | undefined,
  streams: Streams,
): Promise<Comparison> {
  const connections = connectionOptions(options);
  if (origin) {
    const target = new Target({ ...connections, url: origin.url });
    const names = { baseline: undefined, names: null };
    return { ...names, target, direct: target, isSelf: true, isOneMachine: true };
  }
  const through = (url: string): TargetOptions => ({ ...connections, url: httpUrl(url) });
  const target = through(urls.target ?? '');
  const baseline = urls.baseline === undefined ? undefined : through(urls.baseline);
  // An origin often has a self-signed certificate.
  const direct =
    options.direct === undefined
      ? undefined
      : {
          ...connections,
          url: httpUrl(options.direct, '--direct'),
          address: undefined,
          insecure: true,
        };
  const all = [target, baseline, direct].flatMap((side) => side ?? []);
  if (!options.yes) for (const side of all) await confirm(side, 'load', streams);
  return {
    target: new Target(target),
    baseline: baseline && new Target(baseline),
    names: urls.names,
    direct: direct && new Target(direct),
    isSelf: false,
    isOneMachine: all.length > 1 && all.every(isLoopback),
  };
}

const isLoopback = ({ url, address }: TargetOptions): boolean =>
  /^(?:localhost|127\.[\d.]+|::1)$/.test(address ?? hostOf(url));
