import { ANSWERS, type Seen, type SeenRun } from '../src/check/capability.ts';
import { capabilitiesOf, QUESTIONS } from '../src/check/capabilities.ts';
import { OUTCOMES } from '../src/check/check.ts';
import { FRONTS } from '../src/check/front.ts';
import type { StoredReport } from '../src/check/report/stored.ts';
import { knownProxies, type KnownProxy } from '../test/known/_proxies.ts';
import { idOf, recorded } from '../test/known/_records.ts';

/** Characters of a line. */
const WIDTH = 100;

/** The facts of the records, as far as capabilities that rest on checks depend on them: TLS, and both protocols. */
const FACTS: SeenRun['facts'] = {
  fronts: FRONTS,
  tls: { version: 'TLSv1.3', alpn: 'h2' },
  settings: undefined,
  origins: new Map(),
  pooling: 'pooled',
  ignoresQuery: false,
  met: { 'http/1.1': new Set(), h2: new Set() },
};

/** Those that rest on checks. Sizes are in the words of a pass, which records do not have. */
const RESTED = new Set(
  QUESTIONS.filter(({ id, sources }) => sources.length > 0 && !id.startsWith('largest-')).map(
    ({ id }) => id,
  ),
);

/** What a record says of the capabilities that rest on checks. */
function capabilitiesIn(record: StoredReport) {
  const results = record.flatMap(({ id, front, outcome: name, found }): Seen[] => {
    const outcome = OUTCOMES.find((each) => each === name);
    return outcome ? [{ id, front, outcome, found }] : [];
  });
  const run = { facts: FACTS, results, isInterrupted: false };
  return capabilitiesOf(run).filter(({ id }) => RESTED.has(id));
}

/** The member that names a later version, if there is a record of one. @param failed fronts and ids of checks */
function laterOf({ name, versions }: KnownProxy, failed: readonly string[]): string {
  const [base = ''] = /^.*(?=-\d[\d.]*$)/.exec(name) ?? [];
  const newer = versions && knownProxies.find((other) => other.name === base);
  const record = newer && recorded(newer);
  if (!record) return '';
  const open = new Set(
    failed.filter((key) => record.outcomes.get(key) !== 'pass').map((key) => idOf(key)),
  );
  const passes = new Set(failed.map(idOf).filter((id) => !open.has(id)));
  return `    later: { version: '${record.version}', passes: \`${wrapped([...passes])}\` },\n`;
}

/** The findings of the records in docs/proxies/ as a module, since the package has no data files. */
export function recordedModule(): string {
  const records = knownProxies.flatMap((proxy) => {
    const record = recorded(proxy);
    if (!record) return [];
    const { version, origin, outcomes, results } = record;
    const failed = [...outcomes].filter(([, outcome]) => outcome === 'fail').map(([key]) => key);
    const idsOn = (front: string): string[] =>
      failed.filter((key) => key.startsWith(`${front} `)).map((key) => key.slice(front.length + 1));
    const [h1, h2] = [idsOn('http/1.1'), idsOn('h2')];
    const without = (ids: string[], others: string[]): string =>
      wrapped(ids.filter((id) => !others.includes(id)));
    const capabilities = capabilitiesIn(results);
    const later = laterOf(proxy, failed);
    const answered = ANSWERS.flatMap((answer) => {
      const ids = capabilities.filter((each) => each.answer === answer).map(({ id }) => id);
      const isSaid = answer !== 'not seen' && ids.length > 0;
      return isSaid ? [`      ${answer}: \`${wrapped(ids)}\`,\n`] : [];
    });
    return `  '${proxy.name}': {
    version: '${version}',
    origin: '${origin}',
    findings: {
      both: \`${wrapped(h1.filter((id) => h2.includes(id)))}\`,
      'http/1.1': \`${without(h1, h2)}\`,
      h2: \`${without(h2, h1)}\`,
    },
    capabilities: {
${answered.join('')}    },
${later}  },
`;
  });
  return `import type { Answer } from './capability.ts';
import type { FrontName } from './front.ts';

/** What a recorded report has. */
export interface Recorded {
  /** Of the product. */
  readonly version: string;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  /** The checks that failed, of all levels: on both front sides, or on one only. */
  readonly findings: Readonly<Record<FrontName | 'both', string>>;
  /** What the product does: ids of capabilities by their answers. */
  readonly capabilities: Readonly<Partial<Record<Answer, string>>>;
  /** A later version with the same configuration, and which of the checks that failed pass there. */
  readonly later?: { readonly version: string; readonly passes: string };
}

/** The records in docs/proxies/, by folder. \`npm run docs\` writes this file. */
export const recorded: Readonly<Record<string, Recorded>> = {
${records.join('')}};
`;
}

/** Words in lines. */
function wrapped(words: readonly string[]): string {
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[0] = word;
    else if (line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
