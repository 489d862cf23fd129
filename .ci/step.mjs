// A step as a process group, so that nothing of it outlives it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Milliseconds in which a process may end after SIGTERM. */
const GRACE = 3000;

/**
 * @param {import('./schedule.mjs').Step} step
 * @param {object} options
 * @param {NodeJS.ProcessEnv} options.environment
 * @param {number} options.limit seconds; a step that takes longer has failed
 * @param {(text: string) => void} options.onOutput
 */
export function startStep({ run }, { environment, limit, onOutput }) {
  const began = performance.now();
  const script = `. .ci/steps.sh\n${run}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output.push(text);
      onOutput(text);
    });
  }
  /** @type {string | undefined} */
  let stopped;
  const stop = (reason) => {
    stopped ??= reason;
    signal(child, 'SIGTERM');
    setTimeout(signal, GRACE, child, 'SIGKILL').unref();
  };
  const timer = setTimeout(() => stop(`took longer than ${limit} s`), limit * 1000);
  // What the step has left behind may hold its output open.
  child.once('exit', () => signal(child, 'SIGKILL'));
  const ended = new Promise((resolve) => {
    const end = (status, reason) => {
      clearTimeout(timer);
      const seconds = (performance.now() - began) / 1000;
      resolve({ status: status ?? undefined, stopped: reason, seconds, output: output.join('') });
    };
    child.once('error', (error) => end(undefined, error.message));
    child.once('close', (status, name) =>
      end(status, stopped ?? (name ? `ended by ${name}` : undefined)),
    );
  });
  return { ended, stop };
}

/** Sends a signal to all that is left of a step. */
function signal({ pid }, name) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing is.
  }
}
