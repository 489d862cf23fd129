import { VERSION } from '../version.ts';
import { hasFailed } from './attempts.ts';
import type { Baseline } from './baseline.ts';
import { checks } from './catalogue/all.ts';
import type { Check } from './check.ts';
import { counting } from './counting.ts';
import { unlessInterrupted } from './exit.ts';
import { knownProduct } from './known.ts';
import type { CheckOptions } from './options.ts';
import { NotTestable, probe } from './probe.ts';
import { Progress } from './progress.ts';
import { ownFirst } from './report/findings.ts';
import { byImportance } from './report/importance.ts';
import { protocolsText, type Report } from './report/report.ts';
import { traceText } from './report/terminal.ts';
import type { Result } from './result.ts';
import { plan, Runner } from './runner.ts';
import type { Streams } from './streams.ts';
import type { Target } from './target.ts';
import { watchOf } from './watched.ts';

/**
 * Runs the chosen checks against the target.
 *
 * @throws NotTestable
 */
export async function runChecks(
  target: Target,
  chosen: readonly Check[],
  options: CheckOptions,
  baseline: Baseline | undefined,
  streams: Streams,
): Promise<Report> {
  const time = options.timeout * 1000;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const facts = await unlessInterrupted(probe(target, time), streams.signal);
  expectOwnOrigin(target, options);
  const planned = plan(chosen, facts, checks);
  const watch = watchOf(target, facts, time, streams.signal);
  const progress = new Progress(planned.length, 'checks', streams);
  const failed = new FailedSoFar();
  const runner = new Runner(target, facts, {
    time,
    concurrency: options.concurrency,
    rate: options.self ? Infinity : options.rate,
    repeat: options.repeat,
    destructive: options.destructive || options.self,
    slow: options.slow,
    signal: watch.signal,
    watch,
    onResult: (result, done) => progress.update(done, failed.add(result)),
    onTransfers: options.trace
      ? (each, transfers) => streams.out(traceText(each, transfers))
      : undefined,
  });
  watch.start();
  const results = await runner.run(planned).finally(() => watch.stop());
  progress.end();
  const known = knownProduct(options.known, facts, protocolsText(facts));
  const stopped =
    watch.gone && `${watch.gone}; ${results.length} of ${planned.length} checks are finished`;
  const isWhole = stopped === undefined && !streams.signal.aborted;
  const ended = { results, chosen, isWhole };
  const { failOn, findings, gaps, notes } = counting(ended, options, baseline, known);
  for (const note of notes) streams.error(`${note}\n`);
  return {
    target: target.name,
    startedAt,
    duration: performance.now() - start,
    version: VERSION,
    facts: { ...facts, instances: target.instances.count },
    results,
    isInterrupted: streams.signal.aborted,
    stopped,
    inFlight: runner.inFlight,
    failOn,
    findings: ownFirst(findings, known),
    gaps,
    acceptsKnown: options.acceptKnown,
    known,
  };
}

/** How many results have failed so far, and the worst of them. */
class FailedSoFar {
  #count = 0;
  #worst: Result | undefined;

  /** @returns both in words */
  add(result: Result): string {
    if (hasFailed(result)) {
      this.#count++;
      const [worst] = byImportance(this.#worst ? [this.#worst, result] : [result]);
      this.#worst = worst;
    }
    if (!this.#worst) return ', none failed';
    const { level, front, id } = this.#worst;
    return `, ${this.#count} failed, the worst of them ${level} ${front} ${id}`;
  }
}

/** Checks that the target leads to the origin of --serve. @throws NotTestable if it leads to another wirebin */
function expectOwnOrigin({ name, instances }: Target, { serve }: CheckOptions): void {
  if (serve === 0 || instances.hasReached) return;
  throw new NotTestable(
    `${name} leads to another wirebin than that of --serve ${serve}: point it at port ${serve}`,
  );
}
