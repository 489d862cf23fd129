import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Files from '../../../src/grpc/files.ts';
import { Directory } from '../../proxies/_proxy-process.ts';
import { startService } from '../../_service.ts';
import { conformance, ServerCompatRequest, ServerCompatResponse } from './_conformance.ts';
import { missing, run } from './_program.ts';

vi.mock('../../../src/grpc/files.ts', async (original) => {
  const files = await original<typeof Files>();
  return { servedFiles: (state: Files.FilesState) => [...files.servedFiles(state), conformance] };
});

const directory = new Directory();
let control: Server;
beforeAll(async () => {
  control = createServer((socket) => void serve(socket).catch((error) => socket.destroy(error)));
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
});
afterAll(() => {
  control.close();
  directory.remove();
});

/** What connectconformance runs as a server: its input and output are those of a connection to here. */
const RELAY = `
  const { createConnection } = require('node:net');
  const socket = createConnection(Number(process.argv[1]), '127.0.0.1');
  process.stdin.pipe(socket, { end: false }).pipe(process.stdout);
`;

/** Starts a service as a request says, and stops it when the connection ends. */
async function serve(socket: Socket): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let bytes = Buffer.alloc(0);
  while (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE(0)) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, piece]);
  }
  socket.on('error', () => undefined).resume();
  const request = ServerCompatRequest.decode(bytes.subarray(4));
  const { server_creds: own, client_tls_cert: trusted, message_receive_limit: limit } = request;
  const name = `${directory.path}/${Math.random()}`;
  const settings: string[] = [];
  const file = (flag: string, content: Uint8Array): void => {
    writeFileSync(`${name}${flag}`, content);
    settings.push(`--${flag}=${name}${flag}`);
  };
  if (own?.cert && own.key) {
    file('tls-cert', own.cert);
    file('tls-key', own.key);
  }
  if (trusted) {
    file('tls-ca', trusted);
    settings.push('--client-cert=require');
  }
  if (limit) settings.push(`--max-body-size=${limit}`);
  const { port, service } = await startService(...settings);
  const told = ServerCompatResponse.encode({ host: '127.0.0.1', port, pem_cert: own?.cert });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(told.length);
  socket.write(Buffer.concat([length, told]));
  await closed;
  await service.stop();
}

const CONFIGURATION = `
features:
  versions: [HTTP_VERSION_1, HTTP_VERSION_2]
  protocols: [PROTOCOL_GRPC, PROTOCOL_GRPC_WEB]
  codecs: [CODEC_PROTO]
  compressions: [COMPRESSION_IDENTITY, COMPRESSION_GZIP]
  supports_h2c: true
  supports_tls: true
  supports_tls_client_certs: true
  supports_trailers: true
  supports_half_duplex_bidi_over_http1: true
  supports_connect_get: false
  supports_message_receive_limit: true
`;

describe.skipIf(missing('connectconformance'))('connectconformance', () => {
  test('gRPC and gRPC-Web', async () => {
    const file = join(directory.path, 'conf.yaml');
    writeFileSync(file, CONFIGURATION);
    const { port } = control.address() as { port: number };
    const command = [process.execPath, '-e', RELAY, String(port)];
    const flags = [
      '-v',
      '--mode',
      'server',
      '--conf',
      file,
      '--max-servers',
      '1',
      '--parallel',
      '4',
    ];
    const { code, stdout, stderr } = await run('connectconformance', [...flags, '--', ...command]);
    const summary = stdout.split('\n').slice(-5).join('\n');
    console.log(summary);
    expect(code, `${stdout.slice(-5000)}${stderr.slice(-2000)}`).toBe(0);
  });
});
