import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldPairs } from '../../src/http/fields.ts';
import { trailersOf } from '../../src/server/payload.ts';
import { LARGE_CONTENT, MIN_COUNTED_SIZE } from '../../src/server/request-cost.ts';
import { answerTo, combined, largestCalls, type Answer } from './_largest.ts';

const UNIMPLEMENTED = 'is unimplemented on purpose';
/** Methods that answer no call of the walk with OK or a message, and why. A new method answers, or is one of them. */
const UNANSWERED: ReadonlyMap<string, string> = new Map([
  ['/grpc.testing.TestService/UnimplementedCall', UNIMPLEMENTED],
  ['/grpc.testing.UnimplementedService/UnimplementedCall', UNIMPLEMENTED],
  ['/gateway_api_conformance.echo_basic.grpcecho.GrpcEcho/EchoThree', UNIMPLEMENTED],
  ['/grpcbin.GRPCBin/RandomError', 'fails at random'],
]);

/** Paths of all methods, as the .proto files declare them. */
function declared(): string[] {
  const files = readdirSync('proto', { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.proto'))
    .flatMap((name) => {
      const text = readFileSync(join('proto', name), 'utf8');
      const [, group = ''] = /^package ([\w.]+);/m.exec(text) ?? [];
      return Array.from(text.matchAll(/^service (\w+) \{\n(.*?)^\}/gms)).flatMap(
        ([, service = '', body = '']) =>
          Array.from(
            body.matchAll(/rpc (\w+)\(/g),
            ([, each = '']) => `/${group}.${service}/${each}`,
          ),
      );
    });
}

test('the walk has every method of every .proto file', () => {
  expect(largestCalls.map(([path]) => path).toSorted()).toEqual(declared().toSorted());
  expect(declared()).toEqual(expect.arrayContaining([...combined, ...UNANSWERED.keys()]));
});

/** Bytes of the first message of a response; 0 without one, or in base64. */
function firstMessage({ reply, pieces: [first] }: Answer): number {
  if (!(first instanceof Uint8Array) || reply?.status !== 200 || first.length < 5) return 0;
  return Buffer.from(first).readUInt32BE(1);
}

/** Whether a call ended with OK or has a message. */
function isAnswered({ reply, pieces }: Answer): boolean {
  if (!reply || pieces.length > 0) return pieces.length > 0;
  const trailers = (reply.payload === undefined ? undefined : trailersOf(reply.payload)) ?? [];
  return [...fieldPairs([...reply.fields, ...trailers])].some(
    (pair) => pair.join() === 'grpc-status,0',
  );
}

test.each(largestCalls)(
  '%s passes on no more than 64 KiB, of reserved memory',
  async (path, asked) => {
    let answers = 0;
    for (const each of asked) {
      const answer = await answerTo(each, 4);
      expect(Math.max(0, ...answer.pieces.map(({ length }) => length))).toBeLessThanOrEqual(
        LARGE_CONTENT,
      );
      // The fault that declares another length.
      const length = firstMessage(answer);
      if (length < 2 ** 32 - 1)
        expect(length).toBeLessThanOrEqual(Math.max(answer.reserved, MIN_COUNTED_SIZE));
      if (isAnswered(answer)) answers++;
    }
    if (!UNANSWERED.has(path)) expect(answers).toBeGreaterThan(0);
  },
);
