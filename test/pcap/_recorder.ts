import { CaptureConnection } from '../../src/inspect/capture-connection.ts';
import type { Sender } from '../../src/inspect/protocol-reader.ts';
import { interfaceDescription, sectionHeader } from '../../src/inspect/pcapng.ts';
import { startForwarder, type Forwarder, type Opened } from '../_forwarder.ts';

/** One connection: all bytes, and the capture of them. */
export interface Recording {
  readonly bytes: Record<Sender, Buffer[]>;
  readonly packets: Buffer[];
  readonly closed: Promise<unknown>;
}

export interface Recorder extends Forwarder {
  readonly recordings: readonly Recording[];
}

/** Passes every byte on as it is, and captures it. */
export async function startRecorder(to: number): Promise<Recorder> {
  const recordings: Recording[] = [];
  const forwarder = await startForwarder(
    to,
    (...connection) => void recordings.push(record(...connection)),
  );
  return { ...forwarder, recordings };
}

function record(...[client, server, closed]: Parameters<Opened>): Recording {
  const capture = new CaptureConnection(
    { address: client.remoteAddress ?? '', port: client.remotePort ?? 0 },
    { address: client.localAddress ?? '', port: client.localPort ?? 0 },
  );
  const bytes: Record<Sender, Buffer[]> = { client: [], server: [] };
  const packets = [capture.open(Date.now())];
  for (const [side, socket] of [
    ['client', client],
    ['server', server],
  ] as const) {
    socket.on('data', (chunk: Buffer) => {
      bytes[side].push(chunk);
      packets.push(capture.data(side, chunk, Date.now()));
    });
    socket.on('end', () => packets.push(capture.close(side, 'fin', Date.now())));
  }
  return { bytes, packets, closed };
}

/** What a file begins with. */
export function fileHeader(): Buffer {
  return Buffer.concat([sectionHeader('wirebin'), interfaceDescription('wirebin')]);
}
