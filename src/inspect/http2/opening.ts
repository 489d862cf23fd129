import type { Priority, Setting } from '../../wire/http2/frame-payload.ts';
import type { ClientOpening } from '../../net/fingerprints.ts';
import type { Frame } from './frames.ts';

/** PRIORITY frames that are kept; browsers send up to six. */
const MAX_PRIORITIES = 64;

/** Collects what a client's HTTP/2 fingerprint is made of, PRIORITY frames after its first request included. */
export class OpeningCollector implements ClientOpening {
  readonly priorities: (Priority & { readonly stream: number })[] = [];
  prioritiesLeftOut = 0;
  #settings: readonly Setting[] | undefined;
  #increment: number | undefined;

  get settings(): readonly Setting[] {
    return this.#settings ?? [];
  }

  get increment(): number {
    return this.#increment ?? 0;
  }

  add({ from, stream, payload }: Frame): void {
    if (from !== 'client') return;
    if (payload.kind === 'settings' && !payload.ack) this.#settings ??= payload.settings;
    else if (payload.kind === 'window-update' && stream === 0) {
      this.#increment ??= payload.increment;
    } else if (payload.kind === 'priority') {
      if (this.priorities.length === MAX_PRIORITIES) this.prioritiesLeftOut++;
      else this.priorities.push({ stream, ...payload.priority });
    }
  }
}
