import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../processes.ts';
import type { Protocol } from '../scenarios.ts';
import type { Scenario } from './scenarios.ts';

/** What asks; the light ones, as the server is to have a core to itself. */
export interface Programs {
  readonly wrk: string;
  readonly h2load: string;
}

/** Where wrk's script goes: what its command line has no words for. */
export interface Effort {
  readonly seconds: number;
  readonly directory: string;
}

/** Few at once where the content is long. */
const connectionsOf = ({ upload = 0 }: Scenario): string => (upload > 65_536 ? '4' : '16');

/** @returns how many requests were answered, whatever with */
export async function load(
  programs: Programs,
  protocol: Protocol,
  port: number,
  scenario: Scenario,
  { seconds, directory }: Effort,
): Promise<number> {
  const url = `http://127.0.0.1:${port}${scenario.path}`;
  const { method, headers = {}, upload } = scenario;
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const most = ['-c', connectionsOf(scenario)];
  if (protocol === 'h2c') {
    const args = ['-D', `${seconds * 1000}ms`, ...most, '-m', '32', ...fields, url];
    return count(await run('load', programs.h2load, args), /, (\d+) done,/);
  }
  const script = join(directory, 'wrk.lua');
  const lines = [
    method === undefined ? '' : `wrk.method = "${method}"`,
    upload === undefined ? '' : `wrk.body = string.rep("x", ${upload})`,
  ];
  writeFileSync(script, lines.join('\n'));
  const args = ['-t1', ...most, `-d${seconds}s`, '-s', script, ...fields, url];
  return count(await run('load', programs.wrk, args), /(\d+) requests in/);
}

function count(output: string, pattern: RegExp): number {
  const found = Number(pattern.exec(output)?.[1]);
  if (!(found > 0)) throw new Error(`no request was answered: ${output}`);
  return found;
}
