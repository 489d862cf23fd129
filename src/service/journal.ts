import { isDisabled } from '../endpoints/all.ts';
import { Journal } from '../telemetry/journal/journal.ts';
import type { JournalStorage } from '../telemetry/journal/storage.ts';
import { JournalStore, type JournalLimits } from '../telemetry/journal/store.ts';
import { SECOND } from './limits.ts';
import { MB } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';

/** Converts settings to the limits of the journal. */
export function journalLimitsOf(settings: Settings): JournalLimits {
  return {
    keys: settings.journalKeys,
    entries: settings.journalEntries,
    bytes: settings.journalMemory * MB,
    lifetime: settings.journalTime * SECOND,
  };
}

/** The journal of a worker as one of several. */
export interface JournalMembership {
  readonly worker: number;
  readonly journal: JournalStorage;
  /** The id of the running service. */
  readonly process: string;
}

interface JournalParts {
  /** The id of the running service. */
  readonly process: string;
  readonly settleRejections: () => Promise<void>;
  readonly membership: JournalMembership | undefined;
}

/** Creates the journal; undefined in dialects without /retry. Only wirebin's own shows entries. */
export function createJournal(
  settings: Settings,
  { process, settleRejections, membership }: JournalParts,
): Journal | undefined {
  const { dialect, disable, journalEntries, journalSecrets: secrets } = settings;
  const isShown = dialect === 'wirebin' && !isDisabled('/journal/{key}', disable);
  if (dialect !== 'wirebin' && dialect !== 'gateway-api') return undefined;
  const storage = membership?.journal ?? new JournalStore(journalLimitsOf(settings), process);
  return new Journal(storage, String(membership?.worker ?? 0), {
    secrets,
    settleRejections: membership ? undefined : settleRejections,
    keepsEntries: journalEntries > 0 && isShown,
  });
}
