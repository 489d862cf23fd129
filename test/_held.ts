import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process holds once its garbage is collected. */
export interface Held {
  /** MiB in use. */
  readonly memory: number;
  /** Those that keep the process. */
  readonly timers: number;
}

/** Options of Node for a process that `heldBy` asks, which has to be spawned with a channel for messages. */
export const TELLS_WHAT_IT_HOLDS = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('_held.mjs', import.meta.url)),
];

/** @param question 'how many timers?' is answered at once, without collecting garbage */
export async function heldBy(
  child: ChildProcess,
  question: 'what do you hold?' | 'how many timers?' = 'what do you hold?',
): Promise<Held> {
  const answer = once(child, 'message');
  child.send(question);
  const [held] = (await answer) as [Held];
  return held;
}
