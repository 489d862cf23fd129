import type { Check, Members, Report, Table } from './report-json.ts';

/** More than any report has; so many can still be shown. */
const MAX_CHECKS = 5000;
const MAX_EVIDENCE = 100;
/** Characters of names that the table and the list show in one line. */
const MAX_NAME = 200;
const MAX_SUMMARY = 1000;

/** Outcomes in the order of the table and the list. */
export const OUTCOMES = [
  'fail',
  'differs',
  'error',
  'flaky',
  'blocked',
  'pass',
  'not-applicable',
] as const;

export const LEVELS = ['must', 'should', 'quality', 'info'];
/** As the reports of the command order them. */
const RISKS = ['data-loss', 'security', 'interop', 'latency'];

/** What a report of `wirebin check` says. */
export function checkReport(report: Members): Report {
  const facts = report.object('facts');
  const [origin, server] = [facts.text('origin_protocol'), facts.text('server')];
  const checks = report.objects('checks', MAX_CHECKS).map(checkOf(report.object('known')));
  // Not all that failed: which levels count, and which findings are known, the command was told.
  const findings = report.texts('findings', MAX_CHECKS);
  return {
    summary: report.text('summary_text', MAX_SUMMARY) || `${findings.length} findings`,
    isBad: findings.length > 0,
    facts: [
      report.text('target'),
      report.text('started_at'),
      server && `Server: ${server}`,
      origin && `origin: ${origin}`,
      facts.text('pooling'),
      report.isTrue('interrupted') ? 'interrupted' : '',
    ].filter(Boolean),
    failures: [],
    table: outcomesByTopic(checks),
    notes: [],
    checks: checks.toSorted(byImportance(findings)),
  };
}

/** @param known the product whose recorded report has some of the findings, too */
function checkOf(known: Members): (check: Members) => Check {
  const recorded = new Set(known.texts('findings', MAX_CHECKS));
  const record = `${known.text('product', MAX_NAME)} ${known.text('version', MAX_NAME)}`;
  return (check) => {
    const section = check.text('section');
    const [front, id] = [check.text('front', MAX_NAME), check.text('id', MAX_NAME)];
    const isBytes = front === 'http/1.1';
    return {
      id,
      front,
      outcome: check.text('outcome', MAX_NAME),
      level: check.text('level', MAX_NAME),
      risk: check.text('risk', MAX_NAME),
      note: recorded.has(keyOf({ front, id })) ? `as recorded of ${record}` : '',
      rule: check.text('rule') + (section && ` (${section})`),
      expected: check.text('expected'),
      found: check.text('found') || check.text('reason'),
      evidence: check.objects('evidence', MAX_EVIDENCE).map((each) => ({
        sent: visible(each.text('sent'), isBytes),
        origin: visible(each.text('origin'), true),
        received: visible(each.text('received'), isBytes),
      })),
    };
  };
}

/** As the report names a result. */
const keyOf = ({ front, id }: Pick<Check, 'front' | 'id'>): string => `${front} ${id}`;

/** Findings first: those that count, in the order of the report, then by outcome, level and risk. */
function byImportance(findings: readonly string[]): (one: Check, other: Check) => number {
  const places = new Map(findings.map((key, at) => [key, at]));
  const ranksOf = (check: Check): readonly number[] => [
    places.get(keyOf(check)) ?? findings.length,
    OUTCOMES.findIndex((name) => name === check.outcome),
    LEVELS.indexOf(check.level),
    RISKS.indexOf(check.risk),
  ];
  return (one, other) => {
    const others = ranksOf(other);
    const differences = ranksOf(one).map((rank, at) => rank - (others[at] ?? 0));
    return differences.find((each) => each !== 0) ?? 0;
  };
}

/** How many of each outcome a topic has. */
function outcomesByTopic(checks: readonly Check[]): Table {
  const shown = OUTCOMES.filter((name) => checks.some(({ outcome }) => outcome === name));
  const topics = new Map<string, Map<string, number>>();
  for (const { id, outcome } of checks) {
    const topic = id.split('/')[0] ?? '';
    const counts = topics.get(topic) ?? new Map<string, number>();
    topics.set(topic, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }
  const rows = Array.from(topics, ([topic, counts]) => [
    topic,
    ...shown.map((name) => String(counts.get(name) ?? '')),
  ]);
  return { caption: 'Outcomes by topic', head: ['Topic', ...shown], rows };
}

/** Text with its control characters escaped; line ends of bytes are also shown. */
export function visible(text: string, isBytes: boolean): string {
  return text.replace(/\r?\n|[^\x20-\x7e\u00a1-\uffff]/g, (found) => {
    if (found === '\n' && !isBytes) return found;
    if (found.endsWith('\n')) return `${found.length > 1 ? String.raw`\r\n` : String.raw`\n`}\n`;
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** Where two texts differ: what they begin with, what only each has, what they end with. */
export function difference(one: string, other: string): [string, string, string, string] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [
    one.slice(0, start),
    one.slice(start, one.length - end),
    other.slice(start, other.length - end),
    one.slice(one.length - end),
  ];
}
