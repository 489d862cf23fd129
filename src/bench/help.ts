import { optionsFileName, optionsHelp } from '../check/command-options.ts';
import { options } from './options.ts';
import { requestText, scenarios } from './scenarios.ts';

/** Each way of use, and what it does. */
export const usage = [
  ['bench URL [options]', 'measure the proxy at URL'],
  ['bench URL --direct URL', 'compare it with a direct connection to the origin'],
  ['bench A=URL B=URL', 'compare B with A: two proxies, or two builds of one'],
  ["bench URL --find 'p99<5ms'", 'find the highest rate at which it holds'],
  ['bench show A.json [B.json]', 'show a JSON report, or compare B with A'],
  ['bench --self', 'measure a wirebin of its own'],
] as const;

const HEAD = `${usage.map(([args, summary]) => `wirebin ${args.padEnd(27)}${summary}`).join('\n')}

The URL must lead to a wirebin behind the proxy:

  wirebin --port 9000 --lean --metrics-enabled &      # point the proxy at it
  wirebin bench https://lb.example --direct http://localhost:9000

In a clone, \`wirebin\` is \`npm start --\`.
`;

const scenarioLines = (isOnRequest: boolean): string =>
  scenarios
    .filter((scenario) => (scenario.isOnRequest ?? false) === isOnRequest)
    .map((scenario) => `  ${scenario.id.padEnd(21)}${requestText(scenario)}`)
    .join('\n');

const TAIL = `
Scenarios:
${scenarioLines(false)}

With --only:
${scenarioLines(true)}

A flag counts more than its variable, which counts more than ${optionsFileName('bench')} in this folder; its keys are
the flags without their dashes. DURATION is in seconds, or has units: 500ms, 1m. Exit codes: 0 measured, 1 requests
failed or a limit is missed, 2 usage error, 3 no wirebin found, a row is invalid or the command of --during failed, 4 a fault
of wirebin bench itself, 130 interrupted.
`;

/** The text of `wirebin bench --help`. */
export function benchHelp(): string {
  return `${HEAD}\n${optionsHelp('bench', options)}\n${TAIL}`;
}
