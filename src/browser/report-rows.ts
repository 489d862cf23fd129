/** A check of a report. All texts are of the file: any. */
export interface Row {
  readonly id: string;
  readonly topic: string;
  readonly front: string;
  readonly outcome: string;
  readonly level: string;
  readonly rule: string;
  readonly expected: string;
  readonly found: string;
  readonly evidence: readonly {
    readonly sent: string;
    readonly origin: string;
    readonly received: string;
  }[];
}

export interface Report {
  readonly facts: readonly string[];
  readonly rows: readonly Row[];
}

/** More than any report has; so many can still be shown. */
const MAX_CHECKS = 5000;

type Json = Readonly<Record<string, unknown>>;

/** Reads a JSON report of `wirebin check`. @throws Error whose message says what is wrong with the file */
export function parseReport(text: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON (${error instanceof Error ? error.message : ''})`, {
      cause: error,
    });
  }
  const report = objectOf(value);
  const { checks, format } = report;
  if (!Array.isArray(checks)) throw new Error('it is JSON, but no report of wirebin check');
  if (checks.length > MAX_CHECKS) {
    throw new Error(`it has ${checks.length} checks, and this page shows at most ${MAX_CHECKS}`);
  }
  if (!words(format).startsWith('1.')) {
    throw new Error(`its format is ${words(format) || 'unknown'}, and this page reads 1.x`);
  }
  const { origin_protocol: protocol, server, pooling } = objectOf(report['facts']);
  const facts = [
    words(report['target']),
    words(report['started_at']),
    server === undefined ? '' : `Server: ${words(server)}`,
    words(protocol) && `origin: ${words(protocol)}`,
    words(pooling),
    report['interrupted'] === true ? 'interrupted' : '',
  ];
  return { facts: facts.filter(Boolean), rows: checks.map(rowOf) };
}

function rowOf(check: unknown): Row {
  const { id, front, outcome, level, section, rule, expected, found, reason, evidence } =
    objectOf(check);
  const isBytes = front === 'http/1.1';
  return {
    id: words(id),
    topic: words(id).split('/')[0] ?? '',
    front: words(front),
    outcome: words(outcome),
    level: words(level),
    rule: words(rule) + (words(section) && ` (${words(section)})`),
    expected: words(expected),
    found: words(found) || words(reason),
    evidence: (Array.isArray(evidence) ? evidence : []).map((each) => {
      const { sent, origin, received } = objectOf(each);
      return {
        sent: visible(words(sent), isBytes),
        origin: visible(words(origin), true),
        received: visible(words(received), isBytes),
      };
    }),
  };
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value ? { ...value } : {};
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text with its control characters escaped; line ends of bytes are also shown. */
export function visible(text: string, isBytes: boolean): string {
  return text.replace(/\r?\n|[^\x20-\x7e\u00a1-\uffff]/g, (found) => {
    if (found === '\n' && !isBytes) return found;
    if (found.endsWith('\n')) return `${found.length > 1 ? String.raw`\r\n` : String.raw`\n`}\n`;
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** How many of each outcome a topic has. */
export function countByTopic(rows: readonly Row[]): Map<string, Map<string, number>> {
  const topics = new Map<string, Map<string, number>>();
  for (const { topic, outcome } of rows) {
    const counts = topics.get(topic) ?? new Map<string, number>();
    topics.set(topic, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }
  return topics;
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
