import { usage as benchUsage } from '../bench/help.ts';
import { options as benchOptions, variableOf as benchVariableOf } from '../bench/options.ts';
import { usage as checkUsage } from '../check/help.ts';
import { options as checkOptions, variableOf as checkVariableOf } from '../check/options.ts';
import type { Setting } from '../settings/setting.ts';
import { settings, variableOf } from '../settings/settings.ts';
import { SHELLS } from './completion/shells.ts';

/** A command, as described in completions and in the manual page. */
export interface Command {
  readonly name: string;
  /** Arguments after `wirebin` for each way to call it, with a summary. */
  readonly usage: readonly (readonly [arguments: string, summary: string])[];
  readonly options: Readonly<Record<string, Setting<unknown>>>;
  /** The environment variable of an option. */
  readonly variableOf: (option: string) => string;
  /** Words that the first argument can be. */
  readonly words: readonly string[];
  /** Those `words` after which files follow. */
  readonly wordsBeforeFiles: readonly string[];
}

const { port, host, transports, proxyProtocol, clientCert, tlsMin, tlsMax, tlsCiphers } = settings;

/** All commands. The first one is the default. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: [['[serve] [options]', 'serve on one port; this is the default']],
    options: settings,
    variableOf,
    words: [],
    wordsBeforeFiles: [],
  },
  {
    name: 'check',
    usage: checkUsage,
    options: checkOptions,
    variableOf: checkVariableOf,
    words: ['explain', 'show', 'diff'],
    wordsBeforeFiles: ['show', 'diff'],
  },
  {
    name: 'bench',
    usage: benchUsage,
    options: benchOptions,
    variableOf: benchVariableOf,
    words: ['show'],
    wordsBeforeFiles: ['show'],
  },
  {
    name: 'health',
    usage: [
      ['health', 'ask the wirebin that runs here whether it is ready'],
      ['health live', 'ask it whether it is alive: it may be draining, or full'],
      ['health [live] [options of serve]', 'ask one that was started with these options'],
    ],
    options: { port, host, transports, proxyProtocol, clientCert, tlsMin, tlsMax, tlsCiphers },
    variableOf,
    words: ['live'],
    wordsBeforeFiles: [],
  },
  {
    name: 'completion',
    usage: [['completion SHELL', `print completions for a shell: ${SHELLS.join(', ')}`]],
    options: {},
    variableOf,
    words: SHELLS,
    wordsBeforeFiles: [],
  },
];
