import { escapedLine } from '../escaped.ts';
import { FINDING_LEVELS, OUTCOMES, type Level } from '../check.ts';
import { settingsText } from '../client/http2-frames.ts';
import { isKnown, type Known } from '../known.ts';
import type { Facts } from '../probe.ts';
import type { Result } from '../result.ts';
import { counted } from '../words.ts';
import { byImportance } from './importance.ts';
import { countOutcomes } from './outcomes.ts';

/** A finished run. */
export interface Report {
  readonly target: string;
  /** Start time in ISO 8601. */
  readonly startedAt: string;
  /** Duration in milliseconds. */
  readonly duration: number;
  /** Version of this wirebin. */
  readonly version: string;
  readonly facts: Facts;
  readonly results: readonly Result[];
  /** Whether the user interrupted the run. */
  readonly isInterrupted: boolean;
  /** Why the run ended early: who no longer answers, and how many checks are finished. */
  readonly stopped?: string | undefined;
  /** The checks that ran when the run was interrupted or ended early, by front side and id. */
  readonly inFlight: readonly string[];
  /** Levels at which a finding counts. */
  readonly levels: readonly (typeof FINDING_LEVELS)[number][];
  /** The findings that count, by level and baseline. Those that are known of the product come last. */
  readonly findings: readonly Result[];
  /** The product whose recorded findings are marked as known. */
  readonly known: Known | undefined;
}

/** Results with the outcome `fail` and one of these levels, the most important first. */
export function findingsOf(results: readonly Result[], levels: readonly Level[]): Result[] {
  return byImportance(
    results.filter(({ outcome, level }) => outcome === 'fail' && levels.includes(level)),
  );
}

/** Sorts findings that are not recorded of the product before those that are. */
export function ownFirst(findings: readonly Result[], known: Known | undefined): Result[] {
  return findings.toSorted(
    (one, other) => Number(isKnown(one, known)) - Number(isKnown(other, known)),
  );
}

/** What the report says of the target, its connections to the origin, wirebin at the origin, and the known product. */
export function factLines({ facts, target, known }: Report): readonly string[] {
  const { server, via, tls, fronts, settings, pooling, isTunnel, wirebin, instances, met } = facts;
  const hasJournal = fronts.some((each) => met[each].has('journal'));
  const front = [
    `${target} offers ${fronts.join(' and ')}`,
    ...(tls ? [`${tls.version}, ALPN ${tls.alpn ?? 'none'}`] : []),
    ...(server === undefined ? [] : [`Server: ${server}`]),
    ...(via === undefined ? [] : [`Via: ${via}`]),
    ...(settings ? [`SETTINGS ${settingsText(settings) || 'without values'}`] : []),
  ];
  const count = instances > 1 ? `${instances} instances of ` : '';
  const kind = isTunnel ? 'a tunnel, which forwards bytes; ' : '';
  return [
    `Target: ${escapedLine(front.join('; '))}`,
    `Origin: ${kind}${escapedLine(protocolsText(facts))}, ${pooling}`,
    `Backend: ${count}wirebin ${escapedLine(wirebin)}${hasJournal ? '' : '; its journal cannot be read'}`,
    ...(known
      ? [
          `Product: ${known.product}, by ${known.isDetected ? 'Server or Via' : '--known'}; what its recorded report ` +
            `(${recordOf(known)}) has too is set apart`,
        ]
      : []),
  ];
}

/** The name of a recorded report in reports. */
export const recordOf = ({ product, version }: Known): string => `${product} ${version}`;

/** The protocols on which the origin receives requests. */
export function protocolsText({ origins }: Facts): string {
  return [...new Set(Array.from(origins.values(), ({ protocol }) => protocol))].join(' and ');
}

/** The last line: how many findings count, how many do not and why, and the number of results for each outcome. */
export function summaryLine(report: Report): string {
  const counts = countOutcomes(report.results);
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${counts[outcome]} ${outcome}`,
  );
  const { findings, isInterrupted, stopped, inFlight, duration, levels, known } = report;
  const checks = new Set(findings.map(({ id }) => id)).size;
  const where = checks === findings.length ? '' : ` in ${counted(checks, 'check')}`;
  const recorded = findings.filter((finding) => isKnown(finding, known)).length;
  const apart = known && recorded > 0 ? `, ${recorded} as recorded of ${recordOf(known)}` : '';
  const found = [
    ...(isInterrupted ? ['interrupted'] : []),
    ...(stopped === undefined ? [] : [escapedLine(stopped)]),
    ...(inFlight.length === 0 ? [] : [`in flight: ${inFlight.join(', ')}`]),
    `${counted(findings.length, 'finding')} (${levels.join(', ')})${where}${apart}`,
    ...uncounted(report),
  ].join('; ');
  return `${found}. Outcomes: ${parts.join(', ')} (${(duration / 1000).toFixed(1)} s)`;
}

/** How many failed results do not count, and why: because of the baseline, or of their level. */
function uncounted({ results, levels, findings }: Report): string[] {
  const known = findingsOf(results, levels).length - findings.length;
  const others = FINDING_LEVELS.filter(
    (level) => !levels.includes(level) && findingsOf(results, [level]).length > 0,
  );
  const more = findingsOf(results, others).length;
  const option =
    others.join() === 'should' ? '--strict' : `--fail-on ${[...levels, ...others].join(',')}`;
  return [
    ...(known === 0 ? [] : [`${known} known by the baseline`]),
    ...(more === 0
      ? []
      : [
          `${more} more of level ${others.join(' or ')}, which ${more === 1 ? 'counts' : 'count'} with ${option}`,
        ]),
  ];
}
