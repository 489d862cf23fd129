import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { announcement, stop } from './processes.ts';
import { compiled, repository } from './servers.ts';
import { faultyTraffic } from './soak/faults.ts';
import { growing, picture, usageOf, type Sample } from './soak/sample.ts';
import { honestTraffic, type Tally } from './soak/traffic.ts';

// npm run soak -- --minutes N: mixed traffic on all transports, with faults; ends with 1 when an honest
// client saw an error, the service ended, or memory or descriptors grow.

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' } },
});
const duration = Number(values.minutes) * 60_000;
if (!(duration > 0)) {
  process.stderr.write('soak: --minutes N is above 0\n');
  process.exit(2);
}
/** Samples of a run, however long it is. */
const SAMPLES = 60;

const service = spawn(
  process.execPath,
  ['--import', compiled('soak/loop-delay.js'), repository('dist/main.js'), '--port=0'],
  { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, WIREBIN_HOST: '127.0.0.1' } },
);
process.on('exit', () => service.kill('SIGKILL'));
const line = await announcement(service);
const port = typeof line === 'object' && line !== null && 'port' in line ? Number(line.port) : 0;
service.stdout?.resume();

/** The exit code or signal; null while it runs. */
const ended = (): number | string | null => service.exitCode ?? service.signalCode;

let delay = 0;
service.on('message', (message) => {
  if (typeof message === 'object' && message !== null && 'delay' in message) {
    delay = Math.max(delay, Number(message.delay));
  }
});

const tally: Tally = { requests: 0, errors: [] };
const over = new AbortController();
const began = performance.now();
const honest = honestTraffic(port, tally, over.signal);
const faulty = faultyTraffic(port, over.signal);

const samples: Sample[] = [];
while (performance.now() - began < duration && ended() === null) {
  await pause(duration / SAMPLES);
  if (service.pid === undefined || ended() !== null) break;
  const sample = { ...usageOf(service.pid), delay };
  samples.push(sample);
  const seconds = (performance.now() - began) / 1000;
  const { requests, errors } = tally;
  process.stderr.write(
    `${seconds.toFixed(0)} s: ${sample.memory.toFixed(1)} MiB, ${sample.descriptors} descriptors, ` +
      `${delay.toFixed(1)} ms late, ${requests} requests, ${errors.length} errors\n`,
  );
  delay = 0;
}
const end = ended();
over.abort();
const [, faults] = await Promise.all([honest, faulty]);
await stop(service);

const problems = [
  ...(end === null ? [] : [`the service ended with ${end}`]),
  ...new Set(tally.errors),
  ...growing(samples),
];
process.stdout.write(`${picture(samples)}\n\n`);
process.stdout.write(
  `${tally.requests} requests, ${faults} faults, ${tally.errors.length} errors\n`,
);
for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
