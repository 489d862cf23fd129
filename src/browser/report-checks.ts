import type { Check, Members, Report, Table } from './report-json.ts';

/** More than any report has; so many can still be shown. */
const MAX_CHECKS = 5000;
const MAX_EVIDENCE = 100;
/** Characters of names that the table and the list show in one line. */
const MAX_NAME = 200;

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

/** What a report of `wirebin check` says. */
export function checkReport(report: Members): Report {
  const facts = report.object('facts');
  const [origin, server] = [facts.text('origin_protocol'), facts.text('server')];
  const checks = report.objects('checks', MAX_CHECKS).map(checkOf);
  const failed = checks.filter(({ outcome }) => outcome === 'fail').length;
  return {
    summary: `${failed} of ${checks.length} checks failed`,
    isBad: failed > 0,
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
    checks: checks.toSorted((a, b) => rank(a) - rank(b)),
  };
}

function checkOf(check: Members): Check {
  const section = check.text('section');
  const front = check.text('front', MAX_NAME);
  const isBytes = front === 'http/1.1';
  return {
    id: check.text('id', MAX_NAME),
    front,
    outcome: check.text('outcome', MAX_NAME),
    level: check.text('level', MAX_NAME),
    rule: check.text('rule') + (section && ` (${section})`),
    expected: check.text('expected'),
    found: check.text('found') || check.text('reason'),
    evidence: check.objects('evidence', MAX_EVIDENCE).map((each) => ({
      sent: visible(each.text('sent'), isBytes),
      origin: visible(each.text('origin'), true),
      received: visible(each.text('received'), isBytes),
    })),
  };
}

/** Those that failed first. */
function rank({ outcome }: Check): number {
  return OUTCOMES.findIndex((name) => name === outcome);
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
