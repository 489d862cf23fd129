import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Checkout, withPorts, type ScriptRun } from './_checkout.ts';

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A step of the workflow with `run`. */
export interface StepRun extends Omit<ScriptRun, 'code'> {
  readonly name: string;
  /** Undefined if its condition was false. */
  readonly code: number | null | undefined;
}

interface Job {
  readonly services: { readonly wirebin: { readonly env: Readonly<Record<string, string>> } };
  readonly steps: readonly Step[];
}

/** What a runner of GitHub has as a container is a process here: nginx, with the folder that is mounted. */
const DOCKER = `#!/bin/sh
set -e
cd "$RUNNER_TEMP"
case $1 in
  run)
    for word; do
      case $word in *:/etc/nginx:ro) folder=\${word%:/etc/nginx:ro} ;; esac
    done
    if [ "$(id -u)" = 0 ]; then user='user root;'; fi
    exec nginx -p "$folder" -c nginx.conf -e "$PWD/error.log" -g "pid $PWD/nginx.pid; $user"
    ;;
  logs) exec cat error.log ;;
  *) exit 64 ;;
esac
`;

/** Runs the steps of the workflow in docs/recipes/github-actions/, in a folder of its own. */
export class Workflow {
  readonly checkout: Checkout;
  readonly #job: Job;

  /** @param ports those to use in place of those of the workflow */
  constructor(ports: ReadonlyMap<number, number> = new Map()) {
    this.checkout = new Checkout({ docker: DOCKER }, withPorts(ports));
    this.#job = parse(this.checkout.recipe('github-actions/gateway.yaml')).jobs.check;
  }

  /** The variables of the service container. */
  get serviceVariables(): Readonly<Record<string, string>> {
    return this.#job.services.wirebin.env;
  }

  /** What the steps have added to the summary of the job. */
  get summary(): string {
    return readFileSync(this.checkout.beside('summary'), 'utf8');
  }

  /**
   * Runs the steps in their order, as GitHub does without `shell`.
   *
   * @param main the compiled main.js, which npx runs
   * @param variables more of them for each step
   */
  async run(
    main: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<readonly StepRun[]> {
    const summary = this.checkout.beside('summary');
    writeFileSync(summary, '');
    const environment = { GITHUB_STEP_SUMMARY: summary, ...variables };
    const runs: StepRun[] = [];
    for (const { name = '', run, env, if: condition } of this.#job.steps) {
      if (run === undefined) continue;
      const hasFailed = runs.some(({ code }) => code !== undefined && code !== 0);
      runs.push(
        isMet(condition, hasFailed)
          ? { name, ...(await this.checkout.run(run, main, { ...environment, ...env })) }
          : { name, code: undefined, output: '' },
      );
    }
    return runs;
  }
}

function isMet(condition: string | undefined, hasFailed: boolean): boolean {
  switch (condition) {
    case undefined:
      return !hasFailed;
    case 'failure()':
      return hasFailed;
    default:
      throw new Error(`the condition '${condition}' is not known here`);
  }
}
