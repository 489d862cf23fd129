import type { Comparison } from '../comparison.ts';
import type { BenchOptions } from '../options.ts';
import { costMeterOf, type CostMeter } from './cost-meter.ts';
import { pidsByName } from './pids.ts';

/** What measures the costs of the sides. That of the direct side is the origin's. */
export interface Costs {
  readonly target: CostMeter;
  readonly baseline: CostMeter | undefined;
}

/** @throws SettingsError if --pid names no side, or a process that does not run */
export async function costMeters(
  { target, baseline, direct, names }: Comparison,
  { pid }: BenchOptions,
): Promise<Costs> {
  const pids = pidsByName(pid, names ? [names.baseline, names.target] : []);
  const of = (name: string): readonly number[] => pids.get(name) ?? [];
  return {
    target: await costMeterOf(target, of(names?.target ?? ''), direct),
    baseline: baseline && (await costMeterOf(baseline, of(names?.baseline ?? ''), direct)),
  };
}
