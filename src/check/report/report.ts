import { escapeControlsInLine } from '../escape-controls.ts';
import { FINDING_LEVELS, OUTCOMES, type FailOn } from '../check.ts';
import { settingsText } from '../client/http2-frames.ts';
import { findingsOf } from './findings.ts';
import type { Gap } from '../gaps.ts';
import { isKnown, knownAs, recordOf, recordsOf, type Known } from '../known.ts';
import type { Facts } from '../probe.ts';
import type { Result } from '../result.ts';
import { counted, resultText } from '../words.ts';
import { bannerOf, checksIn } from './banner.ts';
import { notTriedLine } from './not-tried.ts';
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
  /** What makes a run fail. */
  readonly failOn: readonly FailOn[];
  /** The findings that count, by --fail-on and baseline. Those that are known of the product come last. */
  readonly findings: readonly Result[];
  /** The checks without a verdict that count. */
  readonly gaps: readonly Gap[];
  /** Whether findings that are recorded of the product do not count. */
  readonly acceptsKnown: boolean;
  /** The product whose recorded findings are marked as known. */
  readonly known: Known | undefined;
}

/** What the report says of the target, its connections to the origin, wirebin at the origin, and the known product. */
export function factLines({ facts, target, known, results }: Report): readonly string[] {
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
    `Target: ${escapeControlsInLine(front.join('; '))}`,
    ...facts.meaning.map(escapeControlsInLine),
    `Origin: ${kind}${escapeControlsInLine(protocolsText(facts))}, ${pooling}`,
    `Backend: ${count}wirebin ${escapeControlsInLine(wirebin)}${hasJournal ? '' : '; its journal cannot be read'}`,
    ...[notTriedLine(results) ?? []].flat(),
    ...productLine(known),
  ];
}

/** The products of the target, and their recorded reports. */
function productLine(known: Known | undefined): string[] {
  if (!known) return [];
  const records = recordsOf(known);
  const products = records.map(({ product }) => product).join(' and ');
  const reports = `recorded ${records.length === 1 ? 'report' : 'reports'}`;
  return [
    `Product: ${products}, by ${known.isDetected ? 'Server or Via' : '--known'}; what ${records.length === 1 ? 'its' : 'their'} ` +
      `${reports} (${records.map(recordOf).join(' and ')}) ${records.length === 1 ? 'has' : 'have'} too is set apart`,
  ];
}

/** The protocols on which the origin receives requests. */
export function protocolsText({ origins }: Facts): string {
  return [...new Set(Array.from(origins.values(), ({ protocol }) => protocol))].join(' and ');
}

/** The counts after the findings: of outcomes, of what counts as recorded, and of findings that do not count. */
export function countLines(report: Report): readonly string[] {
  const counts = countOutcomes(report.results);
  const outcomes = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  return [
    `Outcomes ${runText(report)}: ${outcomes.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ')}`,
    ...findingCounts(report),
  ];
}

/** What the outcomes are counted on, and in which time. */
export const runText = ({ facts, duration }: Pick<Report, 'facts' | 'duration'>): string =>
  `on ${facts.fronts.join(' and ')} in ${(duration / 1000).toFixed(1)} s`;

/** The most important finding in a line; undefined if none counts. */
export function worstLine({ findings }: Pick<Report, 'findings'>): string | undefined {
  const [worst] = findings;
  if (!worst) return undefined;
  const { id, level, risk, front } = worst;
  return escapeControlsInLine(`Worst: ${id} (${level}, ${risk}, ${front}): ${resultText(worst)}`);
}

/** How many checks count as recorded of a product, and how many have failed and do not count. */
export function findingCounts(report: Report): readonly string[] {
  const { findings, known } = report;
  const records = new Map<string, Result[]>();
  for (const finding of findings) {
    const record = knownAs(finding, known);
    if (record !== '') records.set(record, [...(records.get(record) ?? []), finding]);
  }
  const all = counted(checksIn(findings), 'finding');
  return [
    ...Array.from(
      records,
      ([record, own]) => `${checksIn(own)} of ${all} as recorded of ${record}`,
    ),
    ...uncounted(report),
  ];
}

/** Why a run has ended early, and which checks ran then; empty if it has not. */
export function endLines({ stopped, inFlight }: Report): readonly string[] {
  return [
    ...(stopped === undefined ? [] : [escapeControlsInLine(stopped)]),
    ...(inFlight.length === 0 ? [] : [`In flight: ${inFlight.join(', ')}`]),
  ];
}

/** The result in one text: how the run stands, why it has ended early, and the counts. */
export function summaryText(report: Report): string {
  return [bannerOf(report).text, ...endLines(report), ...countLines(report)].join('. ');
}

/** How many failed checks do not count, and why: because of the baseline, or of their level. */
function uncounted({ results, failOn, findings, acceptsKnown, known }: Report): string[] {
  const accepted = findingsOf(results, failOn).filter((each) => !findings.includes(each));
  const isRecorded = (each: Result): boolean => acceptsKnown && isKnown(each, known);
  const recorded = checksIn(accepted.filter((each) => isRecorded(each)));
  const inBaseline = checksIn(accepted.filter((each) => !isRecorded(each)));
  const others = FINDING_LEVELS.filter(
    (level) => !failOn.includes(level) && findingsOf(results, [level]).length > 0,
  );
  const more = checksIn(findingsOf(results, others));
  const option =
    others.join() === 'should' ? '--strict' : `--fail-on ${[...failOn, ...others].join(',')}`;
  return [
    ...(inBaseline === 0 ? [] : [`${counted(inBaseline, 'finding')} known by the baseline`]),
    ...(recorded > 0 && known
      ? [
          `${counted(recorded, 'finding')} accepted, as recorded of ${recordsOf(known).map(recordOf).join(' and ')}`,
        ]
      : []),
    ...(more === 0
      ? []
      : [
          `${more} more of level ${others.join(' or ')}, which ${more === 1 ? 'counts' : 'count'} with ${option}`,
        ]),
  ];
}
