import { resultKey } from '../check/front.ts';
import { resultElements, type ShownResult } from '../check/report/results.ts';
import { listElement } from '../pages/element.ts';
import type { Members, Report } from './report-json.ts';

/** Maximum number of checks, far more than a report has. */
const MAX_CHECKS = 5000;
const MAX_EVIDENCE = 100;
/** Maximum characters of names that table and list show in one line. */
const MAX_NAME = 200;
const MAX_SUMMARY = 1000;

/** The page's view of a `wirebin check` report, like that in HTML. */
export function checkReport(report: Members): Report {
  const facts = report.object('facts');
  const [origin, server] = [facts.text('origin_protocol'), facts.text('server')];
  const known = report.object('known');
  const recorded = new Set(known.texts('findings', MAX_CHECKS));
  // Only findings that count: levels and baseline were options of the command.
  const findings = new Set(report.texts('findings', MAX_CHECKS));
  const run = {
    results: report.objects('checks', MAX_CHECKS).map(resultOf),
    isCounted: (finding: ShownResult) => findings.has(resultKey(finding)),
    isRecorded: (finding: ShownResult) => recorded.has(resultKey(finding)),
    record: `${known.text('product', MAX_NAME)} ${known.text('version', MAX_NAME)}`,
  };
  const lines = [
    report.text('target'),
    report.text('started_at'),
    server && `Server: ${server}`,
    origin && `origin: ${origin}`,
    facts.text('pooling'),
    report.isTrue('interrupted') ? 'interrupted' : '',
  ];
  return {
    summary: report.text('summary_text', MAX_SUMMARY) || `${findings.size} findings`,
    isBad: findings.size > 0,
    elements: [
      ...listElement(lines.filter(Boolean), 'hint'),
      ...resultElements(run, { heading: 3, fragment: 'reports/' }),
    ],
  };
}

function resultOf(check: Members): ShownResult {
  return {
    id: check.text('id', MAX_NAME),
    front: check.text('front', MAX_NAME),
    outcome: check.text('outcome', MAX_NAME),
    level: check.text('level', MAX_NAME),
    risk: check.text('risk', MAX_NAME),
    section: check.text('section'),
    rule: check.text('rule'),
    expected: check.text('expected') || undefined,
    found: check.text('found') || undefined,
    reason: check.text('reason') || undefined,
    evidence: check.objects('evidence', MAX_EVIDENCE).map((each) => ({
      sent: each.text('sent'),
      origin: each.text('origin') || undefined,
      received: each.text('received'),
    })),
  };
}
