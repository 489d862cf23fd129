import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** An end of a connection in a recording. */
export interface RecordedEnd {
  readonly by: 'client' | 'wirebin';
  readonly how: 'fin' | 'rst';
}

/** Records the packets of a port on the loopback interface by `tshark`, which may need privileges. */
export class PacketRecorder {
  readonly #tshark: ChildProcessByStdio<null, Readable, null>;
  readonly #port: number;
  readonly #lines: string[] = [];
  #rest = '';
  #hasEnded = false;

  private constructor(port: number) {
    this.#port = port;
    const fields = ['tcp.srcport', 'tcp.dstport', 'tcp.flags'].flatMap((name) => ['-e', name]);
    const filter = `tcp port ${port} and tcp[tcpflags] & (tcp-syn|tcp-fin|tcp-rst) != 0`;
    const args = ['-i', 'lo', '-f', filter, '-n', '-l', '-T', 'fields', ...fields];
    this.#tshark = spawn('tshark', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    for (const event of ['error', 'exit']) {
      this.#tshark.once(event, () => (this.#hasEnded = true));
    }
    this.#tshark.stdout.setEncoding('latin1').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
    });
  }

  /** @returns undefined if `tshark` is missing or may not record */
  static async start(port: number): Promise<PacketRecorder | undefined> {
    const recorder = new PacketRecorder(port);
    await recorder.#flushed();
    return recorder.#hasEnded ? undefined : recorder;
  }

  /** The ends of a connection so far, in order, up to the end of both directions. @param port of the client */
  async endsOf(port: number): Promise<RecordedEnd[]> {
    await this.#flushed();
    const ends: RecordedEnd[] = [];
    for (const line of this.#lines) {
      const [source, destination, flags] = line.split('\t').map(Number);
      if (source !== port && destination !== port) continue;
      const by = source === port ? 'client' : 'wirebin';
      const how = ((flags ?? 0) & 4) !== 0 ? 'rst' : ((flags ?? 0) & 1) !== 0 ? 'fin' : undefined;
      const isOver = ends.length === 2 || ends[0]?.how === 'rst';
      if (!how || isOver || (how === 'fin' && ends[0]?.by === by)) continue;
      ends.push({ by, how });
    }
    return ends;
  }

  close(): void {
    this.#tshark.kill();
  }

  /** Waits until a connection that is opened now was recorded: packets are recorded in order. */
  async #flushed(): Promise<void> {
    while (!this.#hasEnded) {
      const socket = connect(this.#port, '127.0.0.1');
      await once(socket, 'connect');
      const start = `${socket.localPort}\t`;
      socket.destroy();
      // The first ones may precede the recording.
      for (let attempts = 0; attempts < 50; attempts++) {
        if (this.#lines.some((line) => line.startsWith(start))) return;
        await pause(20);
      }
    }
  }
}
