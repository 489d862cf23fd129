// Which step runs when, and what came of it.

/**
 * @typedef {object} Step see steps.mjs
 * @property {string} name
 * @property {string} title
 * @property {number} seconds
 * @property {number} [cores]
 * @property {string} run
 * @property {readonly string[]} [needs]
 * @property {readonly string[]} [wants]
 *
 * @typedef {object} Ended
 * @property {number} [status] of exit; none if it was stopped
 * @property {string} [stopped] why
 * @property {number} seconds
 * @property {string} output
 *
 * @typedef {object} Result
 * @property {'passed' | 'failed' | 'skipped'} outcome
 * @property {string} [reason] of failing or skipping
 * @property {readonly string[]} remarks what else is told at the end
 * @property {string} [ending] the last lines of the output of a step that failed
 */

const SKIPPED = 77;
/** Of a step that failed, enough for what vitest says of a test. */
const LAST_LINES = 50;
const TOLD = /^(NOT TESTED|MISSING|NOTE): (.+)$/gm;
// oxlint-disable-next-line no-control-regex -- colours
const COLOURS = /\x1B\[[\d;]*m/g;

/**
 * @param {Ended} ended
 * @param {boolean} isComplete whether everything that the step runs should have been installed
 * @returns {Result}
 */
export function judge({ status, stopped, output }, isComplete) {
  const told = [...output.replaceAll(COLOURS, '').matchAll(TOLD)];
  const textsOf = (wanted) => told.filter(([, kind]) => kind === wanted).map(([, , text]) => text);
  const missing = new Set(textsOf('MISSING').map((text) => `${text} is missing`));
  const untested = new Set(textsOf('NOT TESTED'));
  const remarks = [
    ...missing,
    ...[...untested].map((text) => `not tested: ${text}`),
    ...new Set(textsOf('NOTE')),
  ];
  const ending = output.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  if (stopped) return { outcome: 'failed', reason: stopped, remarks, ending };
  if (status !== 0 && status !== SKIPPED) {
    return { outcome: 'failed', reason: `exit status ${status}`, remarks, ending };
  }
  if (isComplete && missing.size > 0) {
    const reason = `${[...missing].join(', ')}, and was to be installed`;
    return { outcome: 'failed', reason, remarks: remarks.slice(missing.size), ending };
  }
  if (status === 0) return { outcome: 'passed', remarks };
  const reason = [...missing, ...untested].join(', ') || 'it does not say why';
  return { outcome: 'skipped', reason, remarks: [] };
}

/**
 * Runs steps, each as soon as those that it names have ended and there are cores for it.
 *
 * @param {readonly Step[]} steps none before those that it names
 * @param {object} options
 * @param {number} options.cores
 * @param {boolean} options.installs whether programs are installed, so that none may be missing
 * @param {(step: Step) => Promise<Ended>} options.execute
 * @param {AbortSignal} [options.signal] none begins any more
 * @returns {Promise<Map<string, Result>>} by name
 */
export async function runSteps(steps, { cores, installs, execute, signal }) {
  const results = new Map();
  const running = new Map();
  const chosen = new Set(steps.map(({ name }) => name));
  const passed = (name) => results.get(name).outcome === 'passed';
  const named = ({ needs = [], wants = [] }) =>
    [...needs, ...wants].filter((name) => chosen.has(name));
  const coresOf = ({ cores: wanted = 1 }) => Math.min(wanted, cores);

  const begin = async (step) => {
    const ended = await execute(step);
    const wanted = (step.wants ?? []).filter((name) => chosen.has(name));
    results.set(step.name, judge(ended, installs && wanted.every(passed)));
    running.delete(step.name);
  };

  let waiting = steps;
  while (waiting.length > 0 || running.size > 0) {
    for (const step of waiting) {
      if (signal?.aborted || named(step).some((name) => !results.has(name))) continue;
      const lacking = (step.needs ?? []).find((name) => chosen.has(name) && !passed(name));
      if (lacking !== undefined) {
        const was = results.get(lacking).outcome === 'failed' ? 'failed' : 'was skipped';
        const reason = `it needs ${lacking}, which ${was}`;
        results.set(step.name, { outcome: 'skipped', reason, remarks: [] });
        continue;
      }
      const used = [...running.values()].reduce((sum, { step: other }) => sum + coresOf(other), 0);
      if (used + coresOf(step) > cores) continue;
      running.set(step.name, { step, end: begin(step) });
    }
    waiting = waiting.filter(({ name }) => !results.has(name) && !running.has(name));
    if (running.size > 0) await Promise.race([...running.values()].map(({ end }) => end));
    else if (signal?.aborted) break;
  }
  return results;
}
