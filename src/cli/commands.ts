import { options as checkOptions, variableOf as checkVariableOf } from '../check/options.ts';
import type { Setting } from '../settings/setting.ts';
import { settings, variableOf } from '../settings/settings.ts';
import { SHELLS } from './completion/shells.ts';

/** A command, for completions and the manual page. */
export interface Command {
  readonly name: string;
  /** What follows `wirebin`; each way of use, and what it does. */
  readonly usage: readonly (readonly [arguments: string, summary: string])[];
  readonly options: Readonly<Record<string, Setting<unknown>>>;
  /** Environment variable of an option. */
  readonly variableOf: (option: string) => string;
  /** What can be its first argument. */
  readonly words: readonly string[];
  /** Those of the words that files follow. */
  readonly wordsBeforeFiles: readonly string[];
}

const { port, host, transports, proxyProtocol, clientCert, tlsMin, tlsMax, tlsCiphers } = settings;

/** All commands. The first one is the default. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: [['[serve] [options]', 'Serve on one port. This is the default.']],
    options: settings,
    variableOf,
    words: [],
    wordsBeforeFiles: [],
  },
  {
    name: 'check',
    usage: [
      ['check URL [options]', 'Say what the intermediary at URL changes.'],
      ['check --self', 'Check a wirebin of its own, with nothing between.'],
      ['check --list', 'List the checks.'],
      ['check explain ID', 'Say what a check is for.'],
      ['check show REPORT [ID]', 'Show a JSON report, or one check with its evidence.'],
      ['check diff OLD NEW', 'Compare two JSON reports.'],
    ],
    options: checkOptions,
    variableOf: checkVariableOf,
    words: ['explain', 'show', 'diff'],
    wordsBeforeFiles: ['show', 'diff'],
  },
  {
    name: 'health',
    usage: [
      ['health', 'Ask the wirebin that runs here whether it is ready.'],
      ['health [options of serve]', 'Ask one that was started with these options.'],
    ],
    options: { port, host, transports, proxyProtocol, clientCert, tlsMin, tlsMax, tlsCiphers },
    variableOf,
    words: [],
    wordsBeforeFiles: [],
  },
  {
    name: 'completion',
    usage: [['completion SHELL', `Print completions for a shell: ${SHELLS.join(', ')}.`]],
    options: {},
    variableOf,
    words: SHELLS,
    wordsBeforeFiles: [],
  },
];
