import { readFileSync, writeFileSync } from 'node:fs';
import { inTurn } from '../src/bench/measure.ts';
import { median } from '../src/bench/ratio.ts';
import { errorText } from '../src/net/error-text.ts';
import { begin, pairsOf, ratiosOf, type Measured } from './measure.ts';
import { readOptions } from './options.ts';
import { withText } from './page.ts';
import { costTable } from './peers/costs.ts';
import { goHttpbin } from './peers/go-httpbin.ts';
import { bareGo } from './peers/go.ts';
import { httpbin } from './peers/gunicorn.ts';
import { nginx } from './peers/nginx.ts';
import type { Peer } from './peers/peer.ts';
import { findProgram, pinToLoad } from './processes.ts';
import { describeMachine, figure, table } from './report.ts';
import { filtered, scenarios, type Scenario } from './scenarios.ts';
import { makeWorkspace, repository, startBare, startWirebin, type Server } from './servers.ts';

// npm run bench:peers: wirebin beside what a user would take instead, as a page; --write writes
// results/peers.md and a table of docs/measured/benchmarking.md.

const PEERS: readonly Peer[] = [goHttpbin, httpbin, nginx, bareGo];

const options = readOptions({ seconds: 1, rounds: 5 });
const { seconds, rounds } = options;
const workspace = await makeWorkspace();
const wirebin = await startWirebin(workspace, {});
const lean = await startWirebin(workspace, { name: 'wirebin --lean', settings: ['--lean'] });
const servers: Server[] = [wirebin, lean, await startBare(workspace)];
const notes: string[] = [];
for (const peer of PEERS) {
  try {
    const program = findProgram(peer.program);
    if (program !== undefined) servers.push(...(await peer.start(program, workspace)));
    else notes.push(`${peer.name} is not on this machine: ${peer.needs}`);
  } catch (error) {
    notes.push(`${peer.name} did not start: ${errorText(error)}`);
  }
}
pinToLoad();

/** What each server has done, by its name. One that fails is left out, with a note. */
async function measure(scenario: Scenario): Promise<ReadonlyMap<string, Measured>> {
  const measured = new Map<string, Measured>();
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      notes.push(errorText(error));
      measured.delete(name);
    }
  };
  for (const server of servers) {
    await attempt(server.name, async () => {
      const begun = await begin(server, scenario, seconds);
      if (begun) measured.set(server.name, begun);
    });
  }
  await inTurn([...measured.keys()], rounds, (name) =>
    attempt(name, async () => measured.get(name)?.take()),
  );
  return measured;
}

const rows: (readonly [scenario: string, ReadonlyMap<string, Measured>])[] = [];
const wanted = filtered(scenarios, options.filter);
for (const [at, scenario] of wanted.entries()) {
  process.stderr.write(`[${at + 1}/${wanted.length}] ${scenario.id}\n`);
  rows.push([scenario.id, await measure(scenario)]);
}
await Promise.all(servers.map((server) => server.stop()));

function ratioCell(ours: Measured | undefined, theirs: Measured | undefined): string {
  if (!ours || !theirs) return '–';
  const { economy, speed } = pairsOf(ours.samples, theirs.samples);
  return `${figure(economy && median(ratiosOf(economy)))} (${figure(median(ratiosOf(speed)))})`;
}

const rate = (side: Measured | undefined): string =>
  figure(side && median(side.samples.map(({ requestsPerSecond }) => requestsPerSecond)));

const names = [...new Set(servers.map(({ name }) => name))];
const [, ...others] = names;
const ratios = rows.map(([scenario, by]) => [
  scenario,
  ...others.map((name) => ratioCell(by.get(wirebin.name), by.get(name))),
]);
const rates = rows.map(([scenario, by]) => [scenario, ...names.map((name) => rate(by.get(name)))]);
const date = new Date().toISOString().slice(0, 10);
const written = `Written by \`npm run bench:peers -- --write\`, ${date}: ${rounds} rounds of ${seconds} s in turn, medians.`;
const place = `${describeMachine()}.`;
const page = `# wirebin beside its peers

${written} What is measured and how to read it: ../README.md.

${place}

## wirebin to each: responses for the same CPU time, and (in brackets) requests per second

Above 1 wirebin is better. Where the load is slower than both servers, requests per second say nothing and CPU time says all.

${table(['scenario', ...others], ratios)}

## Requests per second

${table(['scenario', ...names], rates)}
${notes.length > 0 ? `\n## Missing\n\n${notes.map((note) => `- ${note}`).join('\n')}\n` : ''}`;
process.stdout.write(page);
if (options.isWriting) {
  const docs = repository('docs/measured/benchmarking.md');
  const text = `${costTable(new Map(rows))}\n\n${written} ${place}`;
  writeFileSync(docs, withText(readFileSync(docs, 'utf8'), 'costs', text));
  writeFileSync(repository('bench/results/peers.md'), page);
}
