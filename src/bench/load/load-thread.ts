import { parentPort } from 'node:worker_threads';
import { receivedPlan, type Call, type Reply } from './load-messages.ts';
import { ThreadGenerator } from './thread-generator.ts';

// The program of a thread of the load.

/** The thread is ended from outside. */
const { signal } = new AbortController();
let generator: ThreadGenerator | undefined;

async function replyTo(call: Call): Promise<Reply> {
  if (call.kind === 'open') {
    generator = new ThreadGenerator(receivedPlan(call.plan), signal);
    await generator.open();
    return { kind: 'open' };
  }
  if (!generator) throw new Error('there is no load');
  switch (call.kind) {
    case 'full':
      return { kind: 'full', load: await generator.fullOfThread(call.times) };
    case 'fixed':
      return {
        kind: 'fixed',
        load: await generator.fixedOfThread(call.times, call.rate, call.offset),
      };
    case 'finish': {
      const { latencies, ...counts } = await generator.finish();
      return { kind: 'finish', counts, latencies: latencies.histogram };
    }
    case 'close':
      generator.close();
      return { kind: 'close' };
  }
}

parentPort?.on('message', (call: Call) => {
  void replyTo(call)
    .catch((error: unknown): Reply => ({ kind: 'failed', reason: String(error) }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, and no window
    .then((reply) => parentPort?.postMessage(reply));
});
