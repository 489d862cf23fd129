import { optionsHelp } from './command-options.ts';
import { options, OPTIONS_FILE } from './options.ts';
import { PROFILES } from './profile.ts';

/** Each way of use, and what it does. */
export const usage = [
  ['check URL [options]', 'say what the intermediary at URL changes'],
  ['check --self', 'check a wirebin of its own, with nothing between'],
  ['check --list', 'list the checks'],
  ['check explain ID', 'say what a check sends, and how it judges'],
  ['check show REPORT [ID]', 'show a JSON report, or one check with its evidence'],
  ['check diff OLD NEW', 'compare two JSON reports'],
] as const;

const HEAD = `${usage.map(([args, summary]) => `wirebin ${args.padEnd(27)}${summary}`).join('\n')}

The URL must lead to a wirebin behind the intermediary:

  wirebin --port 9000 --allow-raw &   # point the intermediary at it
  wirebin check https://lb.example

If the URL has a path, all is requested below it: https://lb.example/api/

In a clone, \`wirebin\` is \`npm start --\`.
`;

const PROFILE_LINES = Object.entries(PROFILES)
  .map(([name, { meaning }]) => `  ${name.padEnd(9)}${meaning}`)
  .join('\n');

const TAIL = `
Profiles:
${PROFILE_LINES}

A flag counts more than its variable, which counts more than ${OPTIONS_FILE} in this folder; its keys are
the flags without their dashes. Exit codes: 0 nothing counts, 1 findings or checks without a
verdict that count (--fail-on, --require), 2 usage error, 3 not testable, 4 a fault of wirebin check itself,
130 interrupted. With diff: 1 if something is worse.
`;

/** The text of `wirebin check --help`. */
export function checkHelp(): string {
  return `${HEAD}\n${optionsHelp('check', options)}\n${TAIL}`;
}
