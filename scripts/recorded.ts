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
    const findingsOn = (front: string): string => {
      const keys = [...outcomes].flatMap(([key, outcome]) => (outcome === 'fail' ? [key] : []));
      return wrapped(
        keys.map((key) => key.split(' ')).flatMap(([on, id = '']) => (on === front ? [id] : [])),
      );
    };
    return `  '${proxy.name}': {
    version: '${version}',
    origin: '${origin}',
    findings: {
      'http/1.1': \`${findingsOn('http/1.1')}\`,
      h2: \`${findingsOn('h2')}\`,
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
  /** The checks that failed, of all levels. */
  readonly findings: Readonly<Record<FrontName, string>>;
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
