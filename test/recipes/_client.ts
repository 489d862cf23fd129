import type { IncomingHttpHeaders } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { expect, vi } from 'vitest';

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The content as it arrived. */
  readonly pieces: readonly Buffer[];
  readonly trailers: NodeJS.Dict<string>;
}

interface Sent {
  /** Default: true. */
  readonly secure?: boolean;
  readonly content?: Buffer;
}

/** Sends a request by HTTP/1.1, on a connection of its own: GET, or POST with content. */
export function receive(
  port: number,
  path: string,
  { secure = true, content }: Sent = {},
): Promise<Received> {
  const { request } = secure ? https : http;
  return new Promise((resolve, reject) => {
    const method = content ? 'POST' : 'GET';
    const options = { host: '127.0.0.1', port, path, method, rejectUnauthorized: false };
    const sent = request({ ...options, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject);
      response.on('end', () => {
        const { statusCode: status, headers, trailers } = response;
        resolve({ status, headers, pieces, trailers });
      });
    });
    sent.on('error', reject).end(content);
  });
}

/** A proxy can listen before it has read its routes, or before its health check has succeeded. */
export async function untilServed(port: number, secure: boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      expect((await receive(port, '/healthz', { secure })).status).toBe(200);
    },
    { timeout: 10_000, interval: 50 },
  );
}
