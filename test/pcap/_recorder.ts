import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { CaptureConnection } from '../../src/inspect/capture-connection.ts';
import type { Sender } from '../../src/inspect/protocol-reader.ts';
import { interfaceDescription, sectionHeader } from '../../src/inspect/pcapng.ts';

/** One connection: all bytes, and the capture of them. */
export interface Recording {
  readonly bytes: Record<Sender, Buffer[]>;
  readonly packets: Buffer[];
  readonly closed: Promise<void>;
}

export interface Recorder {
  readonly port: number;
  readonly recordings: readonly Recording[];
  close(): void;
}

/** Passes every byte on as it is, and captures it. */
export async function startRecorder(to: number): Promise<Recorder> {
  const recordings: Recording[] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    recordings.push(record(client, connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { port, recordings, close: () => server.close() };
}

function record(client: Socket, server: Socket): Recording {
  const capture = new CaptureConnection(
    { address: client.remoteAddress ?? '', port: client.remotePort ?? 0 },
    { address: client.localAddress ?? '', port: client.localPort ?? 0 },
  );
  const bytes: Record<Sender, Buffer[]> = { client: [], server: [] };
  const packets = [capture.open(Date.now())];
  for (const [side, from, to] of [
    ['client', client, server],
    ['server', server, client],
  ] as const) {
    from.on('data', (chunk: Buffer) => {
      bytes[side].push(chunk);
      packets.push(capture.data(side, chunk, Date.now()));
      to.write(chunk);
    });
    from.on('end', () => {
      packets.push(capture.close(side, 'fin', Date.now()));
      to.end();
    });
    from.on('error', () => to.destroy());
  }
  const closed = Promise.all(
    [client, server].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
  );
  return { bytes, packets, closed: closed.then(() => undefined) };
}

/** What a file begins with. */
export function fileHeader(): Buffer {
  return Buffer.concat([sectionHeader('wirebin'), interfaceDescription('wirebin')]);
}
