import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { readInvocation } from '../../src/cli/command-line.ts';
import { Primary } from '../../src/cluster/primary.ts';
import { joinCluster } from '../../src/cluster/worker.ts';
import type { Service } from '../../src/service/service.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { until } from '../_adapters.ts';
import { INSPECTED } from '../_inspected.ts';

type OnSent = (error: Error | null) => void;

/** An end of the channel between the primary and a worker. Messages arrive as JSON, sockets in a new object. */
class End extends EventEmitter {
  peer: End | undefined;
  readonly id: number;
  /** What has arrived while it is stopped; undefined while it is not. */
  #waiting: (() => void)[] | undefined;

  constructor(id: number) {
    super();
    this.id = id;
  }

  send(message: unknown, handle: Socket | undefined, _options: unknown, onSent: OnSent): void {
    const json = JSON.stringify(message);
    setImmediate(() => {
      const { peer } = this;
      if (!peer) {
        onSent(new Error('the channel is closed'));
        return;
      }
      const moved = handle && moveHandle(handle);
      onSent(null);
      peer.#receive(() => peer.emit('message', JSON.parse(json), moved));
    });
  }

  #receive(emit: () => void): void {
    if (this.#waiting) this.#waiting.push(emit);
    else emit();
  }

  /** Takes no more messages. */
  stop(): void {
    this.#waiting ??= [];
  }

  continue(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const emit of waiting ?? []) emit();
  }
}

/** As Node does between processes: the sender keeps an object that no longer has the connection. */
function moveHandle(socket: Socket): Socket | undefined {
  const { _handle: handle } = socket as unknown as { _handle: object | null };
  if (!handle) return undefined;
  Object.assign(socket, { _handle: null });
  return new Socket({ handle, readable: true, writable: true } as object);
}

/** A worker of the cluster that is no process, as the primary sees it. */
export class FakeWorker extends End {
  /** Killed without a word, as by SIGKILL. */
  readonly process = { pid: 1, kill: (signal: string) => this.die(null, signal) };
  /** The types of the requests that it has sent to the primary. */
  readonly asked: unknown[] = [];
  readonly #own: End;
  #service: Service | undefined;
  hasExited = false;

  constructor(id: number, join: (own: Worker, onCreated: (service: Service) => void) => void) {
    super(id);
    this.#own = new End(id);
    this.#own.peer = this;
    this.peer = this.#own;
    this.on('message', ({ request }: { request?: { type: string } }) => {
      if (request) this.asked.push(request.type);
    });
    join(this.#own as unknown as Worker, (service) => {
      this.#service = service;
      if (this.hasExited) service.close();
    });
  }

  disconnect(): void {
    this.die(0);
  }

  /** Lets it take no messages of the primary. */
  override stop(): void {
    this.#own.stop();
  }

  override continue(): void {
    this.#own.continue();
  }

  /** Ends it, with all its connections. */
  die(code: number | null, signal: string | null = null): void {
    if (this.hasExited) return;
    this.hasExited = true;
    this.#service?.close();
    this.peer = undefined;
    this.#own.peer = undefined;
    this.#own.emit('disconnect');
    setImmediate(() => {
      this.emit('disconnect');
      this.emit('exit', code, signal);
    });
  }
}

/** A primary and its workers, all in this process. */
export class Cluster {
  readonly lines: Record<string, unknown>[] = [];
  readonly workers: FakeWorker[] = [];
  /** The codes that /control/exit was asked for. */
  readonly exits: number[] = [];
  readonly settings: Settings;
  /** Called before a worker is forked; may throw. */
  onFork: () => void = () => undefined;
  /** Called with each worker that has been forked. */
  onForked: (worker: FakeWorker) => void = () => undefined;
  primary!: Primary;
  port = NaN;

  constructor(args: readonly string[]) {
    const all = ['--port', '0', '--host', '127.0.0.1', '--workers', '2', ...args];
    const invocation = readInvocation([...all, ...(INSPECTED ? ['--inspect'] : [])], {});
    if (invocation.command !== 'serve') throw new Error('the arguments start no service');
    this.settings = invocation.settings;
  }

  /** @param grace milliseconds that a worker gets to finish and to exit */
  async start(grace = 2000): Promise<this> {
    const exit = (code: number): void => void this.exits.push(code);
    const fork = (): Worker => this.#fork();
    this.primary = await Primary.create(this.settings, this.#log(null), { exit, fork, grace });
    this.port = (await this.primary.listen()).port;
    return this;
  }

  /** The lines with this message. */
  said(message: string): Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }

  close(): void {
    this.primary.close();
  }

  #fork(): Worker {
    const id = this.workers.length + 1;
    this.onFork();
    const worker = new FakeWorker(id, (own, onCreated) => {
      const writeLine = (line: string): void => void this.lines.push({ line });
      joinCluster(own, this.settings, { log: this.#log({ worker: id }), writeLine }, onCreated);
    });
    this.workers.push(worker);
    this.onForked(worker);
    return worker as unknown as Worker;
  }

  #log(base: Record<string, unknown> | null) {
    const formatters = { level: (label: string) => ({ level: label }) };
    const write = (line: string): void =>
      void this.lines.push(JSON.parse(line) as Record<string, unknown>);
    return pino({ level: this.settings.logLevel, base, formatters }, { write });
  }
}

/** Two workers, unless the arguments say otherwise, until the test ends. */
export async function startCluster(...args: readonly string[]): Promise<Cluster> {
  const cluster = await new Cluster(args).start();
  onTestFinished(() => cluster.close());
  return cluster;
}

/** The same for all tests of a file. */
export function sharedCluster(...args: readonly string[]): () => Cluster {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await new Cluster(args).start();
  });
  afterAll(() => cluster.close());
  return () => cluster;
}

/** Kills a worker, and waits until another one has taken its place. */
export async function replace(cluster: Cluster, worker: FakeWorker | undefined): Promise<void> {
  const before = cluster.said('worker restarted').length;
  worker?.die(null, 'SIGKILL');
  await until(() => cluster.said('worker restarted').length > before);
}
