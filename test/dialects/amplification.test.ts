import { once } from 'node:events';
import { constants, type ClientHttp2Session } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { openClient } from '../_client.ts';
import { extremeTargets } from '../_extremes.ts';
import { operationsOf } from '../_openapi.ts';
import { startService } from '../_service.ts';
import { everyNth } from '../_whole.ts';
import { endsOthers } from './_targets.ts';

// SECURITY.md: the response to a request without content has at most 10 MiB.

const MAX = 10 * 1024 ** 2;
/** Characters that become longer in JSON. */
const FIELDS = { 'x-long': '"'.repeat(40_000) };
const AT_ONCE = 8;
/** Node 20 ends a session with 1,000 cancelled streams, whatever --max-resets says. */
const PER_SESSION = 500;

test.each([
  ['wirebin', 50],
  ['httpbin', 50],
  ['go-httpbin', 50],
  // It has few parameters.
  ['postman-echo', 20],
])(
  'in %s no response is longer than 10 MiB',
  async (dialect, fewest) => {
    const { port } = await startService(
      `--dialect=${dialect}`,
      '--max-duration=0',
      '--max-body-size=16M',
      '--max-header-size=200K',
      // Each response is cancelled, hundreds within a second.
      '--max-resets=100000',
    );
    const client = openClient('h2c', port);
    const { body } = await client.request('/openapi.json');
    client.close();
    const targets = Object.entries(operationsOf(JSON.parse(body.toString()))).flatMap(
      ([path, { get }]) =>
        get && !endsOthers(path) ? everyNth(5, extremeTargets(path, get).toReversed()) : [],
    );
    const tooLong: string[] = [];
    for (let done = 0; done < targets.length; done += PER_SESSION) {
      const session = connectHttp2(`http://127.0.0.1:${port}`, {
        settings: { initialWindowSize: 2 ** 20 },
      });
      onTestFinished(() => session.destroy());
      const next = targets.slice(done, done + PER_SESSION).values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const target of next) {
            if ((await lengthOf(session, target)) > MAX) tooLong.push(target);
          }
        }),
      );
      session.destroy();
    }
    expect(targets.length).toBeGreaterThan(fewest);
    expect(tooLong).toEqual([]);
  },
  60_000,
);

/**
 * Length of a response: that of its Content-Length field, or of what is read of one without.
 * Every test with an HTTP/1.1 client fails if content is not as long as its field says.
 */
async function lengthOf(session: ClientHttp2Session, path: string): Promise<number> {
  const stream = session.request({ ':path': path, ...FIELDS });
  // Of a stream reset with NO_ERROR, Node's server waits for the response to be sent.
  const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
  let bytes = 0;
  stream.on('response', ({ 'content-length': length }) => {
    if (length === undefined) return;
    bytes = Number(length);
    cancel();
  });
  stream.on('data', ({ length }: Buffer) => {
    if (!stream.closed) bytes += length;
    if (bytes > MAX) cancel();
  });
  await once(stream, 'close');
  return bytes;
}
