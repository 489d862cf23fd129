import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { startService } from '../../_service.ts';
import { bridge } from './_bridge.ts';

const run = promisify(execFile);

/** The cases of RFC 6455; 8 and 11 do not exist. */
const FRAMES = ['1', '2', '3', '4', '5', '6', '7', '9', '10'].map((group) => `${group}.*`);
/** Those of RFC 7692: 1,000 messages each, so all of them take some 20 minutes on each protocol. */
const isWhole = process.env['WIREBIN_TEST_WHOLE'] !== undefined;
const groups = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
const DEFLATE = isWhole
  ? ['12.*', '13.*']
  : [
      ...groups(1, 5).map((group) => `12.${group}.1`),
      '12.1.6',
      '12.3.12',
      ...groups(1, 7).flatMap((group) => [`13.${group}.1`, `13.${group}.3`]),
    ];

/** Cases without a right answer: to end with data after Close, and with codes above 4999. */
const INFORMATIONAL = new Set(['7.1.6', '7.13.1', '7.13.2']);

interface Result {
  readonly behavior: string;
  readonly behaviorClose: string;
}

type Results = Readonly<Record<string, Readonly<Record<string, Result>>>>;

/** Runs the fuzzing client of Autobahn's suite. */
async function fuzz(wstest: string, port: number, cases: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-autobahn-'));
  const specification = join(directory, 'fuzzingclient.json');
  const servers = [{ agent: 'wirebin', url: `ws://127.0.0.1:${port}/websocket/echo` }];
  const given = { outdir: directory, servers, cases, 'exclude-cases': [] };
  writeFileSync(specification, JSON.stringify({ ...given, 'exclude-agent-cases': {} }));
  await run(wstest, ['-m', 'fuzzingclient', '-s', specification], {
    cwd: directory,
    maxBuffer: 64 * 1024 ** 2,
  });
  const results = JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8')) as Results;
  rmSync(directory, { recursive: true });
  return Object.entries(results['wirebin'] ?? {});
}

describe.each([
  ['HTTP/1.1', false],
  ['HTTP/2, by extended CONNECT', true],
])('Autobahn over %s', (_, isHttp2) => {
  test.each([
    ['RFC 6455', FRAMES, 301, []],
    ['RFC 7692', DEFLATE, isWhole ? 216 : 21, ['--websocket-deflate']],
  ])(
    '%s',
    async (name, cases, count, settings) => {
      const wstest = findProgram('wstest');
      if (wstest === undefined) {
        console.warn('not run: there is no wstest on the PATH; see test/foreign/README.md');
        return;
      }
      const limits = ['--max-body-size=16M', '--h2-enable-connect-protocol'];
      const { port, service } = await startService(...limits, ...settings);
      const bridged = isHttp2 ? await bridge(port) : undefined;
      const results = await fuzz(wstest, bridged?.port ?? port, cases);
      bridged?.close();
      service.close();
      const others = results.filter(([id, { behavior, behaviorClose }]) => {
        const expected = INFORMATIONAL.has(id) ? 'INFORMATIONAL' : 'OK';
        return behavior !== expected || (behaviorClose !== expected && behaviorClose !== 'OK');
      });
      console.log(`${name}: ${results.length} cases`);
      expect(results).toHaveLength(count);
      expect(others).toEqual([]);
    },
    2 * 60 * 60_000,
  );
});
