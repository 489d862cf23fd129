import { createWorkspace } from './certificate.ts';
import { compare } from './endpoints/ask.ts';
import { load } from './endpoints/load.ts';
import { nameOf, scenarios, type Scenario } from './endpoints/scenarios.ts';
import { readOptions } from './options.ts';
import { announcement, findProgram, start } from './processes.ts';
import { describeMachine, endProgress, figure, progress, table } from './report.ts';
import { filtered, type Protocol } from './scenarios.ts';
import { beside, serverOf, startWirebin, type Server } from './servers.ts';
import { median, medianInterval, pairRatios } from './statistics.ts';
import { cpuSeconds } from './usage.ts';

// npm run bench:endpoints: those that httpbin and go-httpbin have, beside bare handlers that do the same.

const GOAL = 0.85;

const options = readOptions({ seconds: 1, rounds: 7 });
const { seconds, rounds } = options;
const programs = { wrk: needed('wrk'), h2load: needed('h2load') };
process.env['WIREBIN_BENCH'] = 'a';
const workspace = await createWorkspace();
const effort = { seconds: Math.ceil(seconds), directory: workspace.directory };
const wirebin = await startWirebin(workspace, 0, '--env-prefix=WIREBIN_B', '--hostname-enabled');
const bare = await startBareHandlers();

function needed(name: string): string {
  const program = findProgram(name);
  if (program !== undefined) return program;
  process.stderr.write(`there is no ${name}; on Debian: apt-get install wrk nghttp2-client\n`);
  return process.exit(2);
}

async function startBareHandlers(): Promise<Server> {
  const child = start('server', process.execPath, [beside('./endpoints/bare.js')]);
  const ports = (await announcement(child)) as Partial<Record<Protocol, number>>;
  return serverOf({ name: 'bare handler', child, ports });
}

/** Microseconds of the server's CPU for each request of one run. */
async function costOfRun(server: Server, protocol: Protocol, scenario: Scenario): Promise<number> {
  const before = cpuSeconds(server.pid) ?? Number.NaN;
  const answered = await load(programs, protocol, portOf(server, protocol), scenario, effort);
  return (((cpuSeconds(server.pid) ?? Number.NaN) - before) / answered) * 1e6;
}

/** The same, tried again where a busy machine had no time for any request of a run. */
async function cost(server: Server, protocol: Protocol, scenario: Scenario): Promise<number> {
  const attempt = (): Promise<number> => costOfRun(server, protocol, scenario);
  return attempt().catch(attempt).catch(attempt);
}

function portOf({ ports, name }: Server, protocol: Protocol): number {
  const port = ports[protocol];
  if (port === undefined) throw new Error(`${name} does not speak ${protocol}`);
  return port;
}

/** A row of the table: in turn, as what slows the machine for a while then slows both. */
async function measure(protocol: Protocol, scenario: Scenario): Promise<string[]> {
  await compare(portOf(wirebin, 'http/1.1'), portOf(bare, 'http/1.1'), scenario);
  await cost(wirebin, protocol, scenario);
  await cost(bare, protocol, scenario);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${protocol} ${nameOf(scenario)}: ${round} of ${rounds}`);
    ours.push(await cost(wirebin, protocol, scenario));
    theirs.push(await cost(bare, protocol, scenario));
  }
  const ratios = pairRatios(theirs, ours);
  const ratio = median(ratios);
  const [low, high] = medianInterval(ratios);
  return [
    `${protocol} ${nameOf(scenario)}`,
    figure(median(ours)),
    figure(median(theirs)),
    figure(ratio),
    `${figure(low)}–${figure(high)}`,
    // What others do on the machine only ever adds to a cost.
    figure(Math.min(...theirs) / Math.min(...ours)),
    ratio < GOAL ? 'below' : '',
  ];
}

const all = scenarios.flatMap((scenario) =>
  (scenario.protocols ?? (['http/1.1'] as const)).map((protocol) => {
    return { scenario, protocol, name: `${protocol} ${nameOf(scenario)}` };
  }),
);
const rows: string[][] = [];
for (const { scenario, protocol } of filtered(all, options.filter)) {
  try {
    const row = await measure(protocol, scenario);
    progress(row.join(' | '));
    rows.push(row);
  } catch (error) {
    process.exitCode = 1;
    rows.push([`${protocol} ${nameOf(scenario)}`, String(error)]);
  }
}
await Promise.all([wirebin.stop(), bare.stop()]);
endProgress();
const head = ['endpoint', 'µs', 'bare µs', 'economy', '90 %', 'of the least', `goal ${GOAL}`];
process.stdout.write(`${table(head, rows)}\n\n${JSON.stringify(describeMachine())}\n`);
