import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { handshakes, messages, outcomeOf } from '../../dialects/go-httpbin/_websockets.ts';

const program = findProgram('go-httpbin');
const PORT = 20_000 + (process.pid % 10_000);
const server =
  program === undefined
    ? undefined
    : spawn(program, ['-host=127.0.0.1', `-port=${PORT}`, '-max-body-size=1024'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
const listens = server && once(server.stderr, 'data');
if (!listens) console.warn('not run: there is no go-httpbin on the PATH');

afterAll(() => server?.kill());

/** What the tests of the dialect expect is what go-httpbin itself does. */
test.skipIf(!listens).each([...handshakes, ...messages])(
  'go-httpbin: ?%s, %j, %j: %s',
  async (...row) => {
    await listens;
    expect(await outcomeOf(PORT, row)).toBe(row[3]);
  },
);
