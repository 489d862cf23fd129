import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { H2_ENGINES } from '../../../src/settings/settings.ts';
import type { Transport } from '../../_client.ts';
import { runScript } from '../clients/_script.ts';
import { outputOf, type Command } from '../_suite.ts';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/foreign/http2', import.meta.url));
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A client that is built, of the sources in a folder of its language. */
interface Built {
  readonly name: string;
  readonly transports: readonly Transport[];
  readonly folder: string;
  readonly needs: string;
  /** Builds it in a directory, which has the sources. */
  readonly build: (directory: string) => Promise<unknown>;
  readonly command: (directory: string) => Command;
}

const java = (client: string): Pick<Built, 'folder' | 'needs' | 'build' | 'command'> => ({
  folder: 'java',
  needs: 'Maven, a JDK and its central repository',
  async build(directory) {
    const copy = ['dependency:copy-dependencies', '-DoutputDirectory=lib'];
    await outputOf({ program: 'mvn', arguments: ['-q', '-B', '-f', directory, ...copy] });
    const sources = readdirSync(directory).filter((name) => name.endsWith('.java'));
    const files = sources.map((name) => `${directory}/${name}`);
    const flags = ['-d', directory, '-cp', `${directory}/lib/*`];
    await outputOf({ program: 'javac', arguments: [...flags, ...files] });
  },
  command: (directory) => ({
    program: 'java',
    arguments: ['-Xmx512m', '-cp', `${directory}:${directory}/lib/*`, client],
  }),
});

const CLIENTS: readonly Built[] = [
  {
    name: 'Go x/net/http2 0.62.0',
    transports: ['h2c', 'h2'],
    folder: 'go',
    needs: 'Go and a module proxy',
    build: (directory) =>
      outputOf({
        program: 'go',
        arguments: ['-C', directory, 'build', '-mod=mod', '-o', 'client', '.'],
      }),
    command: (directory) => ({ program: `${directory}/client`, arguments: [] }),
  },
  {
    name: 'hyper 1.12.0',
    transports: ['h2c', 'h2'],
    folder: 'hyper',
    needs: 'Cargo and a registry',
    build: (directory) =>
      outputOf({
        program: 'cargo',
        arguments: ['build', '--quiet', '--manifest-path', `${directory}/Cargo.toml`],
      }),
    command: (directory) => ({ program: `${directory}/target/debug/hyper-client`, arguments: [] }),
  },
  // It asks for an upgrade in cleartext.
  { name: 'java.net.http', transports: ['h2'], ...java('NetHttp') },
  { name: 'OkHttp 4.12.0', transports: ['h2c', 'h2'], ...java('Ok') },
];

async function prepared({ folder, needs, build, command }: Built): Promise<string | Command> {
  const directory = `${CACHE}/${folder}`;
  mkdirSync(directory, { recursive: true });
  cpSync(here(folder), directory, { recursive: true });
  try {
    if (!existsSync(`${directory}/complete`)) await build(directory);
    writeFileSync(`${directory}/complete`, '');
    return command(directory);
  } catch (error) {
    return `it needs ${needs} (${String(error)})`;
  }
}

describe.each(H2_ENGINES)('--h2-engine %s', (engine) => {
  describe.each(CLIENTS)('$name', (client) => {
    runScript({
      name: client.name,
      transports: client.transports,
      settings: [`--h2-engine=${engine}`, '--h2-enable-connect-protocol'],
      prepare: () => prepared(client),
    });
  });
});
