import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { completeEndpoints } from '../../src/endpoints/all.ts';
import { sharedPlace } from '../_everywhere.ts';
import { hasProgram } from '../_programs.ts';

const SETTINGS = ['--allow-raw', '--metrics-enabled', '--control=token'];

const { running } = sharedPlace('http/1.1', ...SETTINGS);

interface Outcome {
  /** Exit statuses of curl: 1 unsupported protocol, 18 partial file, 56 failed receive, 92 stream. */
  readonly status: readonly number[];
  /** What stdout and stderr contain, apart from the status. */
  readonly shows?: RegExp;
}

const authenticated: Outcome = { status: [0], shows: /"authenticated": true/ };

/** What the curl commands show, by path. */
const SHOWN: Readonly<Record<string, Outcome>> = {
  '/basic-auth/{user}/{passwd}': authenticated,
  '/bearer': authenticated,
  '/cookies': { status: [0], shows: /"flavour": "oat"/ },
  '/digest-auth/{qop}/{user}/{passwd}': authenticated,
  '/digest-auth/{qop}/{user}/{passwd}/{algorithm}': authenticated,
  '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}': authenticated,
  '/hidden-basic-auth/{user}/{passwd}': authenticated,
  '/http2': { status: [0], shows: /"akamai_fingerprint": "/ },
  '/tls': { status: [0], shows: /"ja4": "t/ },
  '/fault/close': { status: [18], shows: /with 5120 bytes remaining/ },
  '/fault/reset': { status: [56], shows: /reset/i },
  '/fault/truncate-tls': { status: [18, 56] },
  '/fault/stall': { status: [18] },
  '/fault/rst-stream': { status: [92], shows: /CANCEL/ },
  '/fault/goaway': { status: [16, 18, 56, 92], shows: /GOAWAY, error=11/ },
  '/fault/content-length': { status: [18], shows: /with 16 bytes remaining/ },
  '/fault/chunk': { status: [56] },
  '/fault/head': { status: [1, 8] },
  '/fault/slow-head': { status: [0], shows: /^HTTP\/1\.1 200 / },
  '/fault/garbage': { status: [1] },
  // At least the second in which curl could send no more.
  // curl sends no trailer fields.
  '/fault/request-trailers': { status: [0], shows: /^HTTP\/1\.1 200 / },
  '/fault/no-read': { status: [0], shows: /^[1-9]\d*\.\d+ s\n$/ },
  '/early': { status: [0], shows: /^HTTP\/1\.1 413 .*^Connection: close\r$/ms },
  '/expect': {
    status: [0],
    shows: /^HTTP\/1\.1 100 .*^HTTP\/1\.1 200 .*"continue_ms": \d.*"bytes_received": 588888,/ms,
  },
  '/frames': { status: [0], shows: /^HTTP\/2 200/ },
  '/h2/ping': { status: [0], shows: /"times_ms": \[\s*[\d.]+,\s*[\d.]+,\s*[\d.]+\s*\]/ },
  '/h2/settings': { status: [0], shows: /"max_concurrent_streams": 1\s.*"acknowledged": true/s },
  '/informational/{codes}': {
    status: [0],
    shows: /^(?:HTTP\/1\.1 103 .*?HTTP\/1\.1 102 .*?\r\nx: y\r\n\r\n){2}HTTP\/1\.1 200 /s,
  },
  '/journal/{key}': { status: [0], shows: /"count": 1,.*"target": "\/get"/s },
  '/raw': { status: [0], shows: /^HTTP\/1\.1 299 Raw\r\n\r\nraw$/ },
  '/respond': { status: [0], shows: /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n.*\r\n\r\nno$/s },
  // The first attempt is repeated by curl.
  '/respond/{key}': { status: [0], shows: /done$/ },
  '/sse': {
    status: [0],
    shows: /^HTTP\/1\.1 200 .*\r\nX-Accel-Buffering: no\r\n.*(?:event: ping\ndata: .*?\n\n){3}$/s,
  },
  '/retry/{key}': { status: [0], shows: /^HTTP\/1\.1 503 .*HTTP\/1\.1 503 .*HTTP\/1\.1 200 /s },
};

/** Runs a command as the index has it. */
function outcomeOf(command: string): Promise<{ status: unknown; output: string }> {
  const here = command.replaceAll('localhost:8080', `127.0.0.1:${running().port}`);
  return new Promise((resolve) => {
    execFile('sh', ['-c', here], { encoding: 'latin1' }, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, output: stdout + stderr });
    });
  });
}

const declared = completeEndpoints().filter(({ curl }) => curl !== undefined);

test('what every command shows is tested', () => {
  expect(declared.map(({ path }) => path).toSorted()).toEqual(Object.keys(SHOWN).toSorted());
});

describe.runIf(hasProgram('curl'))('curl', () => {
  test.concurrent.each(declared.map(({ path, curl = '' }) => [path, curl] as const))(
    '%s',
    async (path, command) => {
      const { status, output } = await outcomeOf(command);
      expect(SHOWN[path]?.status).toContain(status);
      expect(output).toMatch(SHOWN[path]?.shows ?? /^/);
    },
  );
});
