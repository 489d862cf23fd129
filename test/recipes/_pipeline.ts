import { parse } from 'yaml';
import { Checkout, withPorts, type ScriptRun } from './_checkout.ts';

interface Service {
  readonly alias: string;
  readonly variables: Readonly<Record<string, string>>;
}

interface Job {
  readonly services: readonly [Service];
  readonly variables: Readonly<Record<string, string>>;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly artifacts: {
    readonly paths: readonly string[];
    readonly reports: { readonly junit: string };
  };
}

/** nginx as the package installs it, except that it writes its process id beside the checkout. */
const NGINX = `#!/bin/sh
if [ "$(id -u)" = 0 ]; then user='user root;'; fi
exec /usr/sbin/nginx "$@" -g "pid $RUNNER_TEMP/nginx.pid; $user"
`;

/** Runs the job in docs/recipes/gitlab-ci/, in a folder of its own. */
export class Pipeline {
  readonly checkout: Checkout;
  readonly job: Job;

  /** @param ports those to use in place of those of the job */
  constructor(ports: ReadonlyMap<number, number> = new Map()) {
    const place = withPorts(ports);
    // The configuration of the gateway, which is the one for GitHub, has this address already.
    const local = (text: string): string => place(text).replaceAll('//wirebin:', '//127.0.0.1:');
    this.checkout = new Checkout({ nginx: NGINX, 'apt-get': '#!/bin/sh\n' }, local);
    this.job = parse(this.checkout.recipe('gitlab-ci/.gitlab-ci.yml')).check;
  }

  /** The variables of the service. */
  get serviceVariables(): Readonly<Record<string, string>> {
    const [{ variables }] = this.job.services;
    return variables;
  }

  /**
   * Runs the lines of `before_script` and `script` in one shell, as GitLab does.
   *
   * @param main the compiled main.js, which npx runs
   * @param variables more of them
   */
  run(main: string, variables: Readonly<Record<string, string>> = {}): Promise<ScriptRun> {
    const { before_script: before, script, variables: own } = this.job;
    const lines = [...before, ...script].join('\n');
    return this.checkout.run(lines, main, { ...own, ...variables }, ['-e', '-o', 'pipefail']);
  }
}
