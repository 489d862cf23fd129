import { flagOf, settings } from '../settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What to write after an error that options without the two hyphens may have caused; '' if npm did not start this. */
export function npmHint(environment: Environment): string {
  return isNpmStart(environment)
    ? '; options of npm start follow two hyphens: npm start -- -p 9000'
    : '';
}

/**
 * Returns a warning if npm has taken options that were meant for wirebin: `npm start --port=9000` sets
 * `npm_config_port`, and the argument is gone.
 */
export function npmWarnings(environment: Environment): string[] {
  if (!isNpmStart(environment)) return [];
  const flags = Object.keys(settings).flatMap((name) => [flagOf(name), `no-${flagOf(name)}`]);
  const taken = flags.filter((flag) => environment[variableOf(flag)] !== undefined);
  // npm takes `-p9000` for a name.
  const short = Object.keys(environment).filter((name) => /^npm_config_p\d+$/.test(name));
  const options = [
    ...taken.map((flag) => `--${flag}`),
    ...short.map((name) => name.replace('npm_config_', '-')),
  ];
  if (options.length === 0) return [];
  return [`npm has taken ${options.join(' ')} for itself, so it is ignored${npmHint(environment)}`];
}

/** Whether the script `start` of a package runs this. */
export function isNpmStart(environment: Environment): boolean {
  return environment['npm_lifecycle_event'] === 'start';
}

function variableOf(flag: string): string {
  return `npm_config_${flag.replaceAll('-', '_')}`;
}
