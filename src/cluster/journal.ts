import { setTimeout as pause } from 'node:timers/promises';
import type { JournalStorage } from '../telemetry/journal/storage.ts';
import type { Channel } from './channel.ts';
import { isBoolean, isCount, isJournal, isNothing } from './messages.ts';

/** Milliseconds between batches, so that many requests cost the primary no more than a few batches. */
const BATCH_INTERVAL = 10;

/** The journal storage of the primary, as used by a worker. */
export function remoteJournal(channel: Channel): JournalStorage {
  return {
    async write(batch) {
      const sent = new Promise<void>((resolve) => {
        channel.notify({ kind: 'journal', batch }, resolve);
      });
      await Promise.all([sent, pause(BATCH_INTERVAL, undefined, { ref: false })]);
    },
    nextAttempt: (key, client) => channel.request({ type: 'count-attempt', key, client }, isCount),
    read: (key, after, limit) =>
      channel.request({ type: 'read-journal', key, after, limit }, isJournal),
    async forget(key) {
      await channel.request({ type: 'forget-journal', key }, isNothing);
    },
    wait: (goal, timeout) =>
      channel.request({ type: 'await-journal', goal, timeout: Math.ceil(timeout) }, isBoolean),
  };
}
