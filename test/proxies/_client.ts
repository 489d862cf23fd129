import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { echoOf } from '../_echo.ts';

/** Where clients come from: not from where the proxies do. */
export const CLIENT = '127.0.0.2';

/** A client's connection to a proxy. */
export interface ProxyClient {
  get(path: string): Promise<Echo>;
  /** Where the connection comes from. */
  address(): string;
  close(): void;
}

/** Whatever the certificate is; the name is sent as SNI. */
const TLS = { rejectUnauthorized: false, servername: 'a.example' };

export function http1Client(port: number, secure: boolean): ProxyClient {
  const pool = { keepAlive: true, maxSockets: 1 };
  const agent = secure
    ? new https.Agent({ ...pool, ...TLS, ALPNProtocols: ['http/1.1'] })
    : new http.Agent(pool);
  const { request } = secure ? https : http;
  let address = '';
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, localAddress: CLIENT, agent };
        const sent = request(options, (incoming) => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('end', () => resolve(echoOf(text))).on('error', reject);
        });
        sent.on('socket', (socket) => {
          const know = (): void => {
            address = `${socket.localAddress}:${socket.localPort}`;
          };
          if (socket.connecting) socket.once('connect', know);
          else know();
        });
        sent.on('error', reject).end();
      }),
    address: () => address,
    close: () => agent.destroy(),
  };
}

export async function http2Client(port: number): Promise<ProxyClient> {
  const socket = await new Promise<tls.TLSSocket>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      localAddress: CLIENT,
      ALPNProtocols: ['h2'],
      ...TLS,
    };
    const made = tls.connect(options, () => resolve(made));
    made.once('error', reject);
  });
  const session = connectHttp2('https://a.example', { createConnection: () => socket });
  return {
    async get(path) {
      let text = '';
      for await (const chunk of session
        .request({ ':path': path, ':authority': 'a.example' })
        .setEncoding('utf8'))
        text += String(chunk);
      return echoOf(text);
    },
    address: () => `${socket.localAddress}:${socket.localPort}`,
    close: () => session.destroy(),
  };
}
