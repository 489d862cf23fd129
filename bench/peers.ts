import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createWorkspace } from './certificate.ts';
import { measureInTurn, mediansOf, ratiosOf, type Ratios, type Sample } from './measure.ts';
import { readOptions } from './options.ts';
import { costTable, withCosts } from './peers/costs.ts';
import { goHttpbin } from './peers/go-httpbin.ts';
import { bareGo } from './peers/go.ts';
import { httpbin } from './peers/gunicorn.ts';
import { nginx } from './peers/nginx.ts';
import type { Peer } from './peers/peer.ts';
import { describeMachine, endProgress, figure, progress, table } from './report.ts';
import { filtered, scenarios } from './scenarios.ts';
import { beside, startBare, startWirebin, type Server } from './servers.ts';
import { median } from './statistics.ts';

// npm run bench:peers: wirebin beside what a user would take instead; writes results/peers.md, and with
// --write a table of docs/benchmarking.md.

const PEERS: readonly Peer[] = [goHttpbin, httpbin, nginx, bareGo];

const options = readOptions({ seconds: 1, rounds: 5 });
const workspace = await createWorkspace();
const wirebin = await startWirebin(workspace);
const lean = { ...(await startWirebin(workspace, 0, '--lean')), name: 'wirebin --lean' };
const servers: Server[] = [wirebin, lean, await startBare(workspace)];
const notes: string[] = [];
for (const peer of PEERS) {
  progress(`starting ${peer.name}`);
  try {
    const started = await peer.start(workspace);
    if (started) servers.push(...started);
    else notes.push(`${peer.name} is not on this machine: ${peer.needs}`);
  } catch (error) {
    notes.push(`${peer.name} did not start: ${String(error)}`);
  }
}
const names = [...new Set(servers.map(({ name }) => name))].slice(1);

interface Row {
  readonly scenario: string;
  readonly medians: ReadonlyMap<string, Sample>;
  /** wirebin's to each server's. */
  readonly ratios: ReadonlyMap<string, Ratios>;
}

const rows: Row[] = [];
const wanted = filtered(scenarios, options.filter);
for (const [at, scenario] of wanted.entries()) {
  progress(`[${at + 1}/${wanted.length}] ${scenario.name}`);
  const onWrong = (what: string): unknown => notes.push(what);
  const effort = { ...options, latencies: false, onProgress: progress, onWrong };
  const samples = await measureInTurn(servers, scenario, effort);
  const ours = samples.get(wirebin);
  const medians = new Map<string, Sample>();
  const ratios = new Map<string, Ratios>();
  for (const [{ name }, theirs] of samples) {
    medians.set(name, mediansOf(theirs));
    if (ours) ratios.set(name, ratiosOf(ours, theirs));
  }
  rows.push({ scenario: scenario.name, medians, ratios });
}
await Promise.all(servers.map((server) => server.stop()));
endProgress();

const speeds = rows.map(({ scenario, medians }) => [
  scenario,
  ...[wirebin.name, ...names].map((name) => figure(medians.get(name)?.requestsPerSecond)),
]);
const ratios = rows.map(({ scenario, ratios: byName }) => [
  scenario,
  ...names.map((name) => {
    const found = byName.get(name);
    if (!found) return '–';
    return `${figure(found.economy && median(found.economy))} (${figure(median(found.speed))})`;
  }),
]);
const machine = describeMachine();
const date = new Date().toISOString().slice(0, 10);
const effort = `${options.rounds} rounds of ${options.seconds} s in turn, medians. One core for each server, another for the load`;
const place = `${machine.processor}, ${machine.cores} cores, ${machine.system}, Node ${machine.versions['node']}, TCP ${machine.congestionControl}.`;
const page = `# wirebin beside its peers

Written by \`npm run bench:peers\`, ${date}: ${effort}. What is measured and how to read it: ../README.md.

${place}

## wirebin to each: answers for the same CPU time, and (in brackets) requests per second

Above 1 wirebin is better. Where the load is slower than both servers, requests per second say nothing and CPU time says all.

${table(['scenario', ...names], ratios)}

## Requests per second

${table(['scenario', wirebin.name, ...names], speeds)}
${notes.length > 0 ? `\n## Missing\n\n${notes.map((note) => `- ${note}`).join('\n')}\n` : ''}`;
const file = options.out ?? beside('../bench/results/peers.md');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, page);
process.stdout.write(`${page}\nwritten to ${file}\n`);
if (options.isWriting) {
  const docs = beside('../docs/benchmarking.md');
  const costs = costTable(new Map(rows.map(({ scenario, medians }) => [scenario, medians])));
  const text = `${costs}\n\nWritten by \`npm run bench:peers -- --write\`, ${date}: ${effort}. ${place}`;
  writeFileSync(docs, withCosts(readFileSync(docs, 'utf8'), text));
  process.stdout.write(`written to ${docs}\n`);
}
if (options.json !== undefined) {
  const plain = rows.map(({ scenario, medians, ratios: byName }) => {
    return { scenario, medians: Object.fromEntries(medians), ratios: Object.fromEntries(byName) };
  });
  const results = { date: new Date().toISOString(), machine, rows: plain, notes };
  writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
}
