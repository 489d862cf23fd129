import { knownProxies } from '../test/known/_proxies.ts';
import { recorded } from '../test/known/_records.ts';

/** Characters of a line. */
const WIDTH = 100;

/** The findings of the records in docs/proxies/ as a module, since the package has no data files. */
export function recordedModule(): string {
  const records = knownProxies.flatMap((proxy) => {
    const record = recorded(proxy);
    if (!record) return [];
    const { version, origin, outcomes } = record;
    const failed = [...outcomes].filter(([, outcome]) => outcome === 'fail').map(([key]) => key);
    const idsOn = (front: string): string[] =>
      failed.filter((key) => key.startsWith(`${front} `)).map((key) => key.slice(front.length + 1));
    const [h1, h2] = [idsOn('http/1.1'), idsOn('h2')];
    const without = (ids: string[], others: string[]): string =>
      wrapped(ids.filter((id) => !others.includes(id)));
    return `  '${proxy.name}': {
    version: '${version}',
    origin: '${origin}',
    findings: {
      both: \`${wrapped(h1.filter((id) => h2.includes(id)))}\`,
      'http/1.1': \`${without(h1, h2)}\`,
      h2: \`${without(h2, h1)}\`,
    },
  },
`;
  });
  return `import type { FrontName } from './front.ts';

/** What a recorded report has. */
export interface Recorded {
  /** Of the product. */
  readonly version: string;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  /** The checks that failed, of all levels: on both front sides, or on one only. */
  readonly findings: Readonly<Record<FrontName | 'both', string>>;
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
