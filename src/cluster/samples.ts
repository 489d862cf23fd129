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
  /** Counters of workers that have exited. */
  #past = emptySample();

  constructor(pool: () => Pick<WorkerPool, 'requestAll' | 'has'>) {
    this.#pool = pool;
  }

  /** One read at a time, so that an exited worker is not counted twice. */
  readonly read = coalesce(() => this.#read());

  /** Reads all samples. If a worker does not respond, its last sample counts. */
  async #read(): Promise<Sample> {
    const pool = this.#pool();
    const results = await pool.requestAll({ type: 'sample' }, isWorkerSample);
    for (const result of results) if (result) this.#last.set(result.worker, result.sample);
    for (const [worker, sample] of this.#last) {
      if (pool.has(worker)) continue;
      this.#past = addSamples(this.#past, countedBy(sample));
      this.#last.delete(worker);
    }
    // The primary serves no requests, so its connections and event loop are left out.
    const primary = { ...emptySample(), process: await readProcess() };
    return addSamples(primary, this.#past, ...this.#last.values());
  }
}
