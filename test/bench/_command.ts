import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBench } from '../../src/bench/command.ts';
import { reportSchema } from '../../src/bench/report/report.ts';
import { guard } from '../../src/server/schema.ts';
import { streams } from '../_streams.ts';

const isReport = guard(reportSchema);

/**
 * Runs the command as on a machine with nothing beside it.
 *
 * @param given `waited` is the share of each load in which other processes had the core
 * @returns its exit code, what it has written, and its report
 */
export async function runCommand(
  args: readonly string[],
  { signal = new AbortController().signal, environment = {}, waited = 0 } = {},
) {
  let out = '';
  let error = '';
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
  const json = join(directory, 'report.json');
  try {
    const code = await runBench(
      [...args, '--report', `json=${json}`],
      streams({
        out: (text) => void (out += text),
        error: (text) => void (error += text),
        environment,
        signal,
      }),
      (measured) => ({
        ...measured,
        waited,
        pressure: undefined,
        queued: 0,
        origin: measured.origin && { ...measured.origin, waited: 0 },
      }),
    );
    const report: unknown = out === '' ? undefined : JSON.parse(readFileSync(json, 'utf8'));
    if (report !== undefined && !isReport(report)) throw new Error('the report is not as declared');
    return { code, out, error, report };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
