import { appendFileSync } from 'node:fs';
import { gapText } from '../gaps.ts';
import type { Streams } from '../streams.ts';
import { markdownReport } from './markup.ts';
import { escapeControlsInLine } from '../escape-controls.ts';
import { type Report } from './report.ts';

/** Prints annotations for GitHub Actions, and appends the report to the job summary. */
export function githubAnnotations(report: Report, { out, environment }: Streams): void {
  for (const { id, front, rule, section, expected, found } of report.findings) {
    const text = `${rule} (${section}) Expected: ${escapeControlsInLine(expected ?? '')}. Found: ${escapeControlsInLine(found ?? '')}.`;
    out(`::error title=${escapeProperty(`${id} (${front})`)}::${escapeData(text)}\n`);
  }
  for (const gap of report.gaps) {
    const title = escapeProperty(`${gap.id} (${gap.kind})`);
    out(`::error title=${title}::${escapeData(escapeControlsInLine(gapText(gap)))}\n`);
  }
  const summary = environment['GITHUB_STEP_SUMMARY'];
  if (summary) appendFileSync(summary, markdownReport(report));
}

/** Escapes data of a workflow command. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
