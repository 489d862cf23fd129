import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { outputOf } from './_suite.ts';

/** An interpreter with packages of its own, and the directory that they are in. */
export interface Python {
  readonly program: string;
  readonly directory: string;
  /** Runs pip. */
  readonly pip: (...words: string[]) => Promise<string>;
}

/**
 * Makes one where there is none yet.
 *
 * @returns what is missing, in words for a person, where it cannot be made
 */
export async function python(
  name: string,
  install: (environment: Python) => Promise<unknown>,
): Promise<string | Python> {
  const place = new URL(`../../node_modules/.cache/foreign/${name}`, import.meta.url);
  const directory = fileURLToPath(place);
  const program = `${directory}/bin/python`;
  const complete = `${directory}/complete`;
  const pip = (...words: string[]): Promise<string> =>
    outputOf({ program, arguments: ['-m', 'pip', '--quiet', ...words] });
  const environment = { program, directory, pip };
  if (existsSync(complete)) return environment;
  try {
    mkdirSync(directory, { recursive: true });
    await outputOf({ program: 'python3', arguments: ['-m', 'venv', directory] });
    await install(environment);
    writeFileSync(complete, '');
    return environment;
  } catch (error) {
    return `it needs Python 3 with venv and pip, and a package registry (${String(error)})`;
  }
}
