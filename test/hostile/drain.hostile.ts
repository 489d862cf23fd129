import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { CertificateFiles } from '../_certificates.ts';
import { until } from '../_adapters.ts';
import { isHttp2, openClient, transports, type Client, type Transport } from '../_client.ts';
import { installed, type Running } from '../_process.ts';
import { childrenOf } from '../cluster/_workers.ts';

/** How often each number of workers is stopped under load, and the milliseconds a stop may take. */
const DRAINS = Number(process.env['HOSTILE_DRAINS'] ?? 2);
const TIME = 60_000 + DRAINS * 30_000;
/** Requests in flight on each transport, and streams of a session among them. */
const IN_FLIGHT = 500;
const STREAMS = 100;
const WORKERS = [1, 2];

const installation = installed();

async function serve(workers: number, ...args: string[]): Promise<Running> {
  const common = ['--port=0', '--host=127.0.0.1', `--workers=${workers}`];
  const running = installation().run([...common, ...args]);
  await running.listens();
  return running;
}

/** Connections of a transport for that many requests at once. */
function clientsFor(transport: Transport, port: number): { client: Client; requests: number }[] {
  const requests = isHttp2(transport) ? STREAMS : 1;
  return Array.from({ length: IN_FLIGHT / requests }, () => ({
    client: openClient(transport, port),
    requests,
  }));
}

test.each(WORKERS)(
  'SIGTERM with 2,000 requests in flight, %d worker(s): none lost',
  async (workers) => {
    let slowest = 0;
    for (let round = 0; round < DRAINS; round++) {
      const running = await serve(workers, '--drain-timeout=10');
      const all = transports.flatMap((transport) => clientsFor(transport, running.port));
      await Promise.all(all.map(({ client }) => client.request('/ip')));
      let answered = 0;
      const answers = all.flatMap(({ client, requests }) =>
        Array.from({ length: requests }, async () => {
          const outcome = await client.request('/delay/1.5').catch(String);
          answered++;
          return typeof outcome === 'string' ? outcome : outcome.status;
        }),
      );
      await pause(700);
      expect(answered).toBe(0);
      const began = performance.now();
      running.child.kill('SIGTERM');
      const outcomes = await Promise.all(answers);
      expect(await running.exit).toBe(0);
      slowest = Math.max(slowest, performance.now() - began);
      expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
      expect(outcomes).toHaveLength(4 * IN_FLIGHT);
      expect(running.said('stopped')).toMatchObject([{ cut: 0 }]);
      expect(running.stderr).toBe('');
      for (const { client } of all) client.close();
    }
    expect(slowest).toBeLessThan(10_000);
    report(
      `${DRAINS} stops, ${workers} worker(s): 0 of 2,000 lost each; ${slowest.toFixed(0)} ms at most`,
    );
  },
  TIME,
);

test.each(WORKERS)(
  'SIGHUP under load, %d worker(s): a new certificate and no error',
  async (workers) => {
    const files = new CertificateFiles(installation().root);
    await files.renew();
    const running = await serve(workers, ...files.settings);
    const { port } = running;
    const before = await fingerprint(port);
    const load = new Load(port);
    for (let round = 1; round <= 3; round++) {
      await pause(500);
      await files.renew();
      running.child.kill('SIGHUP');
      await until(() => running.said('certificate reloaded').length === round);
    }
    await pause(500);
    const { requests, errors } = await load.end();
    expect(errors).toEqual([]);
    for (let at = 0; at < 4; at++) expect(await fingerprint(port)).not.toBe(before);
    expect(await fingerprint(port)).toBe(await fingerprint(port));
    report(`3 new certificates, ${workers} worker(s): ${requests} requests, 0 errors`);
  },
);

test('SIGKILL of one of two workers under load: only what it held is lost', async () => {
  const beforeStart = performance.now();
  const running = await serve(2);
  const startTime = performance.now() - beforeStart;
  const { port } = running;
  const held = transports.flatMap((transport) =>
    Array.from({ length: 25 }, () => openClient(transport, port)),
  );
  const workers = await Promise.all(held.map(async (client) => workerOf(client)));
  const load = new Load(port);
  const answers = held.map(async (client) =>
    client.request('/delay/1').then(
      ({ status }) => status,
      () => 'lost',
    ),
  );
  await pause(500);
  const [victim = 0] = childrenOf(running);
  const began = performance.now();
  process.kill(victim, 'SIGKILL');
  await until(() => running.said('worker restarted').length === 1);
  const replaced = performance.now() - began;
  const [{ worker: dead } = {}] = running.said('worker died');
  expect(await Promise.all(answers)).toEqual(workers.map((id) => (id === dead ? 'lost' : 200)));
  expect(workers.filter((id) => id === dead).length).toBeGreaterThan(0);
  await pause(300);
  const { requests, errors } = await load.end();
  // One request of each loop at the most was in the worker that died.
  expect(errors.length).toBeLessThanOrEqual(LOOPS);
  // A busy machine takes longer, for the start of both processes as well.
  expect(replaced).toBeLessThan(Math.max(1000, 2 * startTime));
  for (const client of held) client.close();
  report(
    `SIGKILL: replaced in ${replaced.toFixed(0)} ms; lost ` +
      `${workers.filter((id) => id === dead).length} held of 100 and ${errors.length} of ${requests} others`,
  );
});

/** Requests of a loop that are on one connection before it opens the next. */
const KEPT = 10;
/** Milliseconds between a loop's requests: a starting worker is to find some of the machine free. */
const BREATH = 10;
const LOOPS = 2 * transports.length;

/** Loops of requests on all transports, on kept connections and on new ones. */
class Load {
  readonly #loops: Promise<void>[];
  readonly #errors: string[] = [];
  #requests = 0;
  #ends = false;

  constructor(port: number) {
    this.#loops = [...transports, ...transports].map(async (transport) => {
      while (!this.#ends) {
        const client = openClient(transport, port);
        for (let left = KEPT; left > 0 && !this.#ends; left--) {
          await pause(BREATH);
          const outcome = await client.request('/anything').catch(String);
          this.#requests++;
          if (typeof outcome !== 'string' && outcome.status === 200) continue;
          this.#errors.push(
            `${transport}: ${typeof outcome === 'string' ? outcome : outcome.status}`,
          );
          break;
        }
        client.close();
      }
    });
  }

  async end(): Promise<{ requests: number; errors: readonly string[] }> {
    this.#ends = true;
    await Promise.all(this.#loops);
    return { requests: this.#requests, errors: this.#errors };
  }
}

/** Of the certificate that a new connection is shown. */
function fingerprint(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

async function workerOf(client: Client): Promise<number | undefined> {
  const { body } = await client.request('/anything');
  const [, worker] = /"worker": (\d+)/.exec(body.toString()) ?? [];
  return worker === undefined ? undefined : Number(worker);
}

function report(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
