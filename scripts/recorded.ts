import { ANSWERS, type Seen, type SeenRun } from '../src/check/capability.ts';
import { capabilitiesOf, QUESTIONS } from '../src/check/capabilities.ts';
import { OUTCOMES } from '../src/check/check.ts';
import { FRONTS } from '../src/check/front.ts';
import type { StoredReport } from '../src/check/report/stored.ts';
import type { KnownProxy } from '../test/known/_known-proxy.ts';
import { knownProxies } from '../test/known/_proxies.ts';
import { idOf, recorded } from '../test/known/_records.ts';

/** Characters of a line. */
const WIDTH = 240;

/** The facts of a record, as far as capabilities that rest on checks depend on them. */
function factsOf(proxy: KnownProxy, record: StoredReport): SeenRun['facts'] {
  return {
    fronts: FRONTS.filter((front) => record.some((result) => result.front === front)),
    tls: proxy.isCleartext ? undefined : { version: 'TLSv1.3', alpn: 'h2' },
    settings: undefined,
    origins: new Map(),
    pooling: 'pooled',
    ignoresQuery: false,
    met: { 'http/1.1': new Set(), h2: new Set() },
  };
}

/** Those that rest on checks. Sizes are in the words of a pass, which records do not have. */
const RESTED = new Set(
  QUESTIONS.filter(({ id, sources }) => sources.length > 0 && !id.startsWith('largest-')).map(
    ({ id }) => id,
  ),
);

/** What a record says of the capabilities that rest on checks. */
function capabilitiesIn(proxy: KnownProxy, record: StoredReport) {
  const results = record.flatMap(({ id, front, outcome: name, found }): Seen[] => {
    const outcome = OUTCOMES.find((each) => each === name);
    return outcome ? [{ id, front, outcome, found }] : [];
  });
  const run = { facts: factsOf(proxy, record), results, isInterrupted: false };
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

/** The findings of records in docs/proxies/ as a module, since the package has no data files. @param name of its export */
export function recordedModule(name: string, proxies: readonly KnownProxy[]): string {
  const records = proxies.flatMap((proxy) => {
    const record = recorded(proxy);
    if (!record) return [];
    const { version, origin, outcomes, results } = record;
    const failed = [...outcomes].filter(([, outcome]) => outcome === 'fail').map(([key]) => key);
    const idsOn = (front: string): string[] =>
      failed.filter((key) => key.startsWith(`${front} `)).map((key) => key.slice(front.length + 1));
    const [h1, h2] = [idsOn('http/1.1'), idsOn('h2')];
    const without = (ids: string[], others: string[]): string =>
      wrapped(ids.filter((id) => !others.includes(id)));
    const capabilities = capabilitiesIn(proxy, results);
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
  return `import type { Records } from './recorded.ts';

/** \`npm run docs\` writes this file. */
export const ${name}: Records = {
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
