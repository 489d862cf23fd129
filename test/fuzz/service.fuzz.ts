import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Installation, type Running } from '../_process.ts';
import { attack, HEADER_TIMEOUT, honest } from './attack.ts';
import { PATIENCE } from '../_adapters.ts';
import { INPUTS, SEED } from './form.ts';
import { approaches, type Approach, type Input } from './wire-inputs.ts';

const BATCH = 32;
const SETTINGS =
  '--port 0 --host 127.0.0.1 --proxy-protocol optional --trust-proxy 127.0.0.0/8 --metrics-enabled ' +
  `--header-timeout ${HEADER_TIMEOUT / 1000} ` +
  '--request-timeout 2 --idle-timeout 1 --max-duration 1';

let installation: Installation;
let service: Running;
let descriptors: number;
beforeAll(async () => {
  installation = new Installation();
  service = installation.run(SETTINGS.split(' '));
  while (service.lines.length === 0) await pause(100);
  await honest(service.port);
  await pause(1000);
  descriptors = openDescriptors();
});
afterAll(() => {
  service.child.kill('SIGKILL');
  installation.remove();
});

const share = Math.ceil(INPUTS / approaches.length);

// At once: most of the time is waiting for time limits of the service to run out.
test.concurrent.each(approaches)(`$name: ${share} inputs`, async (approach) => {
  const batch = fc.array(approach.input, { minLength: BATCH, maxLength: BATCH });
  const held = fc.asyncProperty(batch, (inputs) => hold(approach, inputs));
  // Each find names its input, which shrinking could only lose.
  await fc.assert(held, { numRuns: Math.ceil(share / BATCH), seed: SEED, endOnFailure: true });
});

test('nothing of it is left in the end', async () => {
  const end = performance.now() + PATIENCE;
  while (openDescriptors() > descriptors && performance.now() < end) await pause(500);
  expect(openDescriptors()).toBeLessThanOrEqual(descriptors);
  service.child.kill('SIGTERM');
  expect(await Promise.race([service.exit, pause(PATIENCE, 'it still runs')])).toBe(0);
});

async function hold(approach: Approach, inputs: readonly Input[]): Promise<void> {
  const faults = await Promise.all(
    inputs.map(async (input) => {
      const fault = await attack(service.port, approach, input);
      return fault && `${fault}: ${written(input)}`;
    }),
  );
  const found = faults.filter(Boolean);
  if (found.length > 0) throw new Error(found.join('\n'));
  const all = inputs.map(written).join('\n');
  if (service.ended !== undefined) {
    throw new Error(`the service has ended with ${service.ended}:\n${service.stderr}${all}`);
  }
  if (/"level":"(?:error|fatal)"/.test(service.stdout) || service.stderr !== '') {
    throw new Error(`the service says ${service.stdout}${service.stderr}:\n${all}`);
  }
  await honest(service.port);
}

/** The bytes, as a test can have them. */
function written({ pieces, ends }: Input): string {
  const texts = pieces.map((piece) => `Buffer.from('${piece.toString('base64')}', 'base64')`);
  return `{ pieces: [${texts.join(', ')}], ends: ${ends} }`;
}

function openDescriptors(): number {
  try {
    return readdirSync(`/proc/${service.child.pid}/fd`).length;
  } catch {
    return 0;
  }
}
