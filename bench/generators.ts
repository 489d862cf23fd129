import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inTurn } from '../src/bench/measure.ts';
import { median } from '../src/bench/ratio.ts';
import { errorText } from '../src/net/error-text.ts';
import type { Figures, Generator, Load } from './generators/generator.ts';
import { isHttp1 } from './generators/generator.ts';
import { h2load } from './generators/h2load.ts';
import { oha } from './generators/oha.ts';
import { wirebinBench } from './generators/own.ts';
import { caddy, envoy, haproxy, nginx, startProxy } from './generators/proxies.ts';
import { vegeta } from './generators/vegeta.ts';
import { wrk, wrk2 } from './generators/wrk.ts';
import { readOptions } from './options.ts';
import { withText } from './page.ts';
import { findProgram, pinToLoad } from './processes.ts';
import { describeMachine, figure, table } from './report.ts';
import type { Protocol } from './scenarios.ts';
import { makeWorkspace, repository, startWirebin, type Server } from './servers.ts';

// npm run bench:generators: what wirebin bench says of proxies beside what other load generators say, as a table; --write
// writes it to docs/measured/benchmarking.md.

const GENERATORS: readonly Generator[] = [wirebinBench, wrk, wrk2, h2load, oha, vegeta];
const PROXIES = [nginx, haproxy, envoy, caddy];
const PROTOCOLS: readonly Protocol[] = ['http/1.1', 'https/1.1', 'h2c', 'h2'];
/** Share of the requests per second of wirebin bench at which latencies are measured. */
const RATE = 0.4;

const options = readOptions({ seconds: 3, rounds: 3 });
const { seconds, rounds } = options;
const workspace = await makeWorkspace();
const origin = await startWirebin(workspace, { settings: ['--lean', '--metrics-enabled'] });
const originPort = origin.ports['http/1.1'] ?? 0;
const notes: string[] = [];
const servers: Server[] = [];
for (const proxy of PROXIES) {
  const program = findProgram(proxy.program);
  try {
    if (program === undefined) throw new Error(`it is not on this machine: ${proxy.needs}`);
    servers.push(await startProxy(proxy, program, originPort, workspace));
  } catch (error) {
    notes.push(`${proxy.name}: ${errorText(error)}`);
  }
}
const generators = GENERATORS.flatMap((generator) => {
  const program = generator === wirebinBench ? process.execPath : findProgram(generator.program);
  if (program === undefined)
    notes.push(`${generator.name} is not on this machine: ${generator.needs}`);
  return program === undefined ? [] : [{ generator, program }];
});
// Generators inherit the core of this process.
pinToLoad();

const run = promisify(execFile);
let files = 0;

/** Runs a generator once. @throws if it fails or says no figures */
async function take(
  { generator, program }: (typeof generators)[number],
  load: Load,
): Promise<Figures> {
  const file = join(workspace.directory, `load-${++files}`);
  const { stdout } = await run('sh', ['-c', generator.command(program, load, file)], {
    maxBuffer: 2 ** 26,
  });
  try {
    return generator.read(stdout, file);
  } finally {
    rmSync(file, { force: true });
  }
}

/** The figures of each generator that can make this load, in rounds in turn. */
async function measure(load: Load): Promise<Map<Generator, Figures[]>> {
  const measured = new Map<Generator, Figures[]>();
  const able = generators.filter(({ generator }) => generator.does(load));
  await inTurn(able, rounds, async (each) => {
    const figures = measured.get(each.generator) ?? [];
    measured.set(each.generator, figures);
    try {
      figures.push(await take(each, load));
    } catch (error) {
      notes.push(`${each.generator.name} failed with ${load.url}: ${errorText(error)}`);
    }
  });
  return measured;
}

function loadOf({ ports }: Server, protocol: Protocol): Load | undefined {
  const port = ports[protocol];
  const scheme = protocol === 'h2' || protocol === 'https/1.1' ? 'https' : 'http';
  const load = { url: `${scheme}://127.0.0.1:${port}/healthz`, protocol, seconds, rate: undefined };
  if (port === undefined) return undefined;
  return isHttp1({ ...load, connections: 1, streams: 1 })
    ? { ...load, connections: 32, streams: 1 }
    : { ...load, connections: 8, streams: 16 };
}

/** Empty where a generator does not make that load. */
const cell = (value: number): string => (Number.isNaN(value) ? '' : figure(value));

const medianOf = (figures: readonly Figures[] | undefined, name: keyof Figures): number =>
  median((figures ?? []).map((each) => each[name]));

/** A row for each generator: its requests per second, its percentiles at the same rate, and failures. */
async function rowsOf(server: Server, protocol: Protocol): Promise<string[][]> {
  const load = loadOf(server, protocol);
  if (!load) return [];
  process.stderr.write(`${server.name} ${protocol}\n`);
  const full = await measure(load);
  const own = medianOf(full.get(wirebinBench), 'requestsPerSecond');
  const rate = Math.round((own * RATE) / 100) * 100;
  const fixed = Number.isNaN(own) ? new Map() : await measure({ ...load, rate });
  return GENERATORS.flatMap((generator) => {
    const [atFull, atRate] = [full.get(generator), fixed.get(generator)];
    const most = medianOf(atFull, 'requestsPerSecond');
    const failures = [...(atFull ?? []), ...(atRate ?? [])].reduce(
      (sum, each) => sum + each.failures,
      0,
    );
    const name = [server.name, protocol, generator.name];
    const cells = [cell(most), cell(most / own), cell(rate)];
    const late = [cell(medianOf(atRate, 'p50')), cell(medianOf(atRate, 'p99'))];
    return atFull || atRate
      ? [[...name, ...cells, ...late, failures === 0 ? '' : String(failures)]]
      : [];
  });
}

const rows: string[][] = [];
for (const server of servers) {
  for (const protocol of PROTOCOLS) {
    const name = `${server.name} ${protocol}`;
    const isWanted = (options.filter ?? '').split(',').some((text) => name.includes(text));
    if (isWanted) rows.push(...(await rowsOf(server, protocol)));
  }
}
await Promise.all([...servers, origin].map((server) => server.stop()));
const date = new Date().toISOString().slice(0, 10);
const head = [
  'proxy',
  'protocol',
  'generator',
  'requests/s',
  'of ours',
  'at /s',
  'p50 ms',
  'p99 ms',
  'failed',
];
const text = [
  table(head, rows),
  `Written by \`npm run bench:generators -- --write\`, ${date}: ${rounds} rounds of ${seconds} s in turn, medians. ${describeMachine()}.`,
  ...notes.map((note) => `- ${note}`),
].join('\n\n');
process.stdout.write(`${text}\n`);
if (options.isWriting) {
  const docs = repository('docs/measured/benchmarking.md');
  writeFileSync(docs, withText(readFileSync(docs, 'utf8'), 'generators', text));
}
