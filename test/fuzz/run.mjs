// npm run fuzz -- [--inputs N] [--seed N]: N inputs for the parsers, shared out among them, and N for
// the service from outside, shared out among the transports.
// npm run fuzz -- --minutes N [--seed N] [--valgrind]: HTTP/2 frames for the service, with clients that leave
// in every way and a drain each minute. With --valgrind memcheck looks at each access, about 20 times as slowly.
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    valgrind: { type: 'boolean', default: false },
  },
});
const { inputs, minutes, seed, valgrind } = values;
if (![inputs, seed].every((text) => /^\d+$/.test(text))) throw new Error('whole numbers only');
if (!(Number(minutes) >= 0)) throw new Error('--minutes is a number');
if (valgrind && spawnSync('valgrind', ['--version']).status !== 0) {
  throw new Error('valgrind is missing: install it, on Debian as root by apt-get install valgrind');
}
const amount = Number(minutes) > 0 ? `frames for ${minutes} minutes` : `${inputs} inputs`;
console.log(`${amount} on Node ${process.versions.node}, seed ${seed}`);
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const args = [vitest, 'run', '--project=fuzz', '--reporter=verbose'];
const env = {
  ...process.env,
  WIREBIN_FUZZ_INPUTS: inputs,
  WIREBIN_FUZZ_MINUTES: minutes,
  WIREBIN_FUZZ_SEED: seed,
  ...(valgrind && { WIREBIN_FUZZ_VALGRIND: '1' }),
};
const child = spawn(process.execPath, args, { stdio: 'inherit', env });
child.on('exit', (code, signal) => {
  if (signal) console.error(`ended with ${signal}`);
  process.exitCode = code ?? 1;
});
