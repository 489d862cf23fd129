import {
  addSamples,
  countedBy,
  emptySample,
  readProcess,
  type Sample,
} from '../telemetry/sample.ts';
import { coalesce } from './coalesce.ts';
import { isWorkerSample } from './messages.ts';
import type { WorkerPool } from './pool.ts';

/** The state of the primary and all workers together. */
export class WorkerSamples {
  readonly #pool: () => Pick<WorkerPool, 'requestAll' | 'has'>;
  /** The last sample of each worker, by its id. */
  readonly #last = new Map<number, Sample>();
  /** What workers that have exited had counted. */
  #past = emptySample();

  constructor(pool: () => Pick<WorkerPool, 'requestAll' | 'has'>) {
    this.#pool = pool;
  }

  /** One after another: what a worker has left must not be counted twice. */
  readonly read = coalesce(() => this.#read());

  /** Of a worker that does not respond, the last sample counts. */
  async #read(): Promise<Sample> {
    const pool = this.#pool();
    const results = await pool.requestAll({ type: 'sample' }, isWorkerSample);
    for (const result of results) if (result) this.#last.set(result.worker, result.sample);
    for (const [worker, sample] of this.#last) {
      if (pool.has(worker)) continue;
      this.#past = addSamples(this.#past, countedBy(sample));
      this.#last.delete(worker);
    }
    // The primary serves no requests: neither connections nor its event loop are of interest.
    const primary = { ...emptySample(), process: await readProcess() };
    return addSamples(primary, this.#past, ...this.#last.values());
  }
}
