import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { runBench } from '../../src/bench/command.ts';
import { Side } from '../../src/bench/measure.ts';
import { reportSchema, type Report, type SideView } from '../../src/bench/report/report.ts';
import { guard } from '../../src/server/schema.ts';
import { streams } from '../_streams.ts';

const isReport = guard(reportSchema);

/** Has every load measured under these conditions, and as if nothing else were amiss. */
function measureUnder(conditions: { readonly waited: number; readonly busy: number }): void {
  const told = ({ fullLoads, rateRounds }: Side): void => {
    for (const round of [...fullLoads, ...rateRounds]) {
      const origin = round.origin && { ...round.origin, busy: 0.5, waited: 0 };
      Object.assign(round, { ...conditions, pressure: undefined, queued: 0, lagP99: 0, origin });
    }
  };
  const side = Side.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- each is called on the side that it is replaced on
  const { measureFullLoad, measureLatencies } = side;
  vi.spyOn(side, 'measureFullLoad').mockImplementation(async function (this: Side, ...args) {
    await measureFullLoad.apply(this, args);
    told(this);
  });
  vi.spyOn(side, 'measureLatencies').mockImplementation(async function (this: Side, ...args) {
    await measureLatencies.apply(this, args);
    told(this);
  });
}

/**
 * Runs the command as on a machine with nothing beside it.
 *
 * @param given `waited` is the share of each load in which other processes had the core, `busy` that in which the load
 * generator had something to do
 * @returns its exit code, what it has written, and its report
 */
export async function runCommand(
  args: readonly string[],
  { signal = new AbortController().signal, environment = {}, waited = 0, busy = 0.5 } = {},
) {
  let out = '';
  let error = '';
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
  const json = join(directory, 'report.json');
  measureUnder({ waited, busy });
  try {
    const code = await runBench(
      [...args, '--report', `json=${json}`],
      streams({
        out: (text) => void (out += text),
        error: (text) => void (error += text),
        environment,
        signal,
      }),
    );
    const report: unknown = out === '' ? undefined : JSON.parse(readFileSync(json, 'utf8'));
    if (report !== undefined && !isReport(report)) throw new Error('the report is not as declared');
    return { code, out, error, report };
  } finally {
    vi.restoreAllMocks();
    rmSync(directory, { recursive: true });
  }
}

/** What a wirebin responds to /version. */
export const VERSION = '{"name":"wirebin","version":"0.1.0","process":""}';

const SHORT = ['--duration', '100ms', '--rounds', '1', '--connections', '2', '--streams', '2'];
/** A rate that any machine keeps. */
export const SLOW = ['--rate', '10'];

/** Runs the command with short loads. */
export function runShort(...[args, given]: Parameters<typeof runCommand>) {
  return runCommand([...SHORT, ...(args.includes('--rate') ? [] : SLOW), ...args], given);
}

/** The target of the first row. */
export function sideOf(report: Report | undefined): SideView {
  const [row] = report?.rows ?? [];
  if (!row) throw new Error('there is no row');
  return row.target;
}
