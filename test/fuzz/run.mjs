// npm run fuzz -- [--inputs N] [--seed N]: N inputs for the parsers, shared out among them, and N for
// the service from outside, shared out among the transports.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const { inputs, seed } = values;
if (![inputs, seed].every((text) => /^\d+$/.test(text))) throw new Error('whole numbers only');
console.log(`${inputs} inputs on Node ${process.versions.node}, seed ${seed}`);
const vitest = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const args = [vitest, 'run', '--config', 'vitest.fuzz.config.ts'];
const env = { ...process.env, WIREBIN_FUZZ_INPUTS: inputs, WIREBIN_FUZZ_SEED: seed };
const child = spawn(process.execPath, args, { stdio: 'inherit', env });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
