import { flagOf, settings } from '../settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Hint after an error that may come from options before `--`; empty unless started by npm. */
export function npmHint(environment: Environment): string {
  return isNpmStart(environment)
    ? '; options of npm start follow two hyphens: npm start -- -p 9000'
    : '';
}

/**
 * A warning if npm has taken options that were meant for wirebin: `npm start --port=9000` sets `npm_config_port`, and
 * removes the argument.
 */
export function npmWarnings(environment: Environment): string[] {
  if (!isNpmStart(environment)) return [];
  const flags = Object.keys(settings).flatMap((name) => [flagOf(name), `no-${flagOf(name)}`]);
  const taken = flags.filter((flag) => environment[variableOf(flag)] !== undefined);
  // npm treats `-p9000` as an option name.
  const short = Object.keys(environment).filter((name) => /^npm_config_p\d+$/.test(name));
  const options = [
    ...taken.map((flag) => `--${flag}`),
    ...short.map((name) => name.replace('npm_config_', '-')),
  ];
  if (options.length === 0) return [];
  return [`npm has taken ${options.join(' ')} for itself, so it is ignored${npmHint(environment)}`];
}

/** Whether npm runs this process as the script `start` of a package. */
export function isNpmStart(environment: Environment): boolean {
  return environment['npm_lifecycle_event'] === 'start';
}

function variableOf(flag: string): string {
  return `npm_config_${flag.replaceAll('-', '_')}`;
}
