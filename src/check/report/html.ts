import { element, listElement } from '../../pages/element.ts';
import { isKnown, knownAs } from '../known.ts';
import { resultKey } from '../front.ts';
import { bannerOf } from './banner.ts';
import { capabilityElements } from './capability-lines.ts';
import { countElements, htmlPage } from './html-page.ts';
import { endLines, factLines, findingCounts, runText, worstLine, type Report } from './report.ts';
import { resultElements } from './results.ts';
import { capabilitiesIn } from './shown-capabilities.ts';
import { shownRemedy } from './shown-remedy.ts';

/** A report as one HTML file, whose results can be filtered. */
export function htmlReport(report: Report): string {
  const { target, results, findings, known } = report;
  const run = {
    results: results.map((result) => ({ ...result, remedy: shownRemedy(result, known) })),
    counted: new Set(findings.map(resultKey)),
    recorded: new Map(
      findings
        .filter((finding) => isKnown(finding, known))
        .map((finding) => [resultKey(finding), knownAs(finding, known)] as const),
    ),
  };
  const { standing, text } = bannerOf(report);
  return htmlPage({
    title: `wirebin check ${target}`,
    summary: text,
    look: standing,
    lead: [
      ...[...endLines(report), worstLine(report) ?? []]
        .flat()
        .map((line) => element('p', {}, line)),
      ...countElements(results, runText(report)),
    ],
    facts: findingCounts(report),
    elements: [
      ...capabilityElements(capabilitiesIn(report)),
      ...listElement(factLines(report), 'facts'),
      ...resultElements(run, { heading: 2, fragment: '', hasTopics: true }),
    ],
    hasFilter: true,
  });
}
