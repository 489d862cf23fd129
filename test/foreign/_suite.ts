import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isHttp2, isSecure, transports, type Transport } from '../_client.ts';
import { startService } from '../_service.ts';

const run = promisify(execFile);
const MOST_OUTPUT = 256 * 1024 ** 2;

export type Outcome = 'passed' | 'failed' | 'skipped';
export type Outcomes = ReadonlyMap<string, Outcome>;

/** The suite of another project, ready to be run against a service. */
export interface Suite {
  /** What it is called in docs/coming-from/. */
  readonly name: string;
  /** Flags of the service, without their hyphens. */
  readonly settings: Readonly<Record<string, string>>;
  /** Makes it ready; @returns what is missing, in words for a person, or how to run it */
  prepare(): Promise<string | Command>;
  outcomes(output: string): Outcomes;
}

export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface Told {
  readonly name: string;
  readonly outcome: Outcome;
}

/** What a program tells in a line of JSON for each test. */
export function toldOutcomes(output: string): Outcomes {
  const lines = output.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Told);
  return new Map(told.map(({ name, outcome }) => [name, outcome]));
}

/** Runs a program; @returns what it prints, whatever its exit code is */
export async function outputOf({ program, ...rest }: Command): Promise<string> {
  const env = { ...process.env, ...rest.environment };
  const options = { env, maxBuffer: MOST_OUTPUT };
  try {
    return (await run(program, rest.arguments, options)).stdout;
  } catch (error) {
    // A suite of which some tests fail ends with a code above 0.
    if (error instanceof Error && 'stdout' in error && error.stdout !== '') {
      return String(error.stdout);
    }
    throw error;
  }
}

/** Runs a suite over every transport: what fails has to be what the page of differences says. */
export function runSuite(suite: Suite): void {
  describe.each(transports)(`${suite.name} over %s`, (transport) => {
    test('every test passes, or stands in docs/coming-from/', async (context) => {
      const prepared = await suite.prepare();
      if (typeof prepared === 'string') {
        context.skip(`not run: ${prepared}`);
        return;
      }
      const settings = Object.entries(suite.settings).flatMap(([name, value]) => [
        `--${name}`,
        value,
      ]);
      const { port, service } = await startService(...settings);
      const scheme = isSecure(transport) ? 'https' : 'http';
      const environment = {
        ...prepared.environment,
        FOREIGN_URL: `${scheme}://127.0.0.1:${port}`,
        FOREIGN_HTTP: isHttp2(transport) ? '2' : '1.1',
      };
      const check = async (): Promise<void> => {
        const outcomes = suite.outcomes(await outputOf({ ...prepared, environment }));
        const failed = namesOf(outcomes, 'failed');
        const count = namesOf(outcomes, 'passed').length;
        console.log(`${suite.name} over ${transport}: ${count} passed, ${failed.length} failed`);
        expect(count).toBeGreaterThan(0);
        expect(failed).toEqual(differences(suite.name, transport, outcomes));
      };
      // Some of theirs give a connection 100 ms, which a busy machine does not keep.
      await check().catch(check).catch(check);
      service.close();
    });
  });
}

export function namesOf(outcomes: Outcomes, wanted: string): string[] {
  const found = [...outcomes].filter(([, outcome]) => outcome === wanted);
  return found.map(([name]) => name).toSorted();
}

/**
 * The tests of a suite that fail by docs/coming-from/: those named between the suite's markers.
 * `TestX/*` is all below it that failed; a row that says HTTP/2 is not for HTTP/1.1.
 */
export function differences(suite: string, transport: Transport, outcomes: Outcomes): string[] {
  const folder = new URL('../../docs/coming-from/', import.meta.url);
  const pages = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const [, section = ''] = pages.join('').split(`<!-- tests of ${suite} -->`);
  const rows = section.split('<!-- /tests -->')[0]?.split('\n') ?? [];
  const cells = rows
    .filter((row) => isHttp2(transport) || !row.includes('HTTP/2 only'))
    .map((row) => row.split('|')[1] ?? '');
  const named = Array.from(cells.join('\n').matchAll(/`([^`]+)`/g), ([, name = '']) => name);
  const failed = namesOf(outcomes, 'failed');
  return named
    .flatMap((name) => {
      const below = failed.filter(
        (candidate) => name.endsWith('*') && candidate.startsWith(name.slice(0, -1)),
      );
      // A row that nothing fails by is out of date.
      return below.length > 0 ? below : [name];
    })
    .toSorted();
}
