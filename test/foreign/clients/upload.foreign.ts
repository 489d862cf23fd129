import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { transports } from '../../_client.ts';
import { build, curl } from './_curl.ts';
import { startedOrigin } from './_origin.ts';

const GiB = 1024 ** 3;
/** SHA-256 of so many zeros. */
const ZEROS = '49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14';
interface Upload {
  readonly bytes_received: number;
  readonly sha256: string;
}

/** Bytes that the service may take more while it reads a GiB. */
const MOST = 64 * 1024 ** 2;

/** Bytes of memory that a process has had at the most. */
function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
}

const built = await build();
if (!built) console.log('curl: not run, there is none');

const origin = startedOrigin();
let file: string;
beforeAll(() => {
  file = origin().file('gibibyte');
  const descriptor = openSync(file, 'w');
  ftruncateSync(descriptor, GiB);
  closeSync(descriptor);
});

describe.runIf(built).each(transports)('1 GiB to /upload over %s', (transport) => {
  test.each(['-T', '-F'])('%s, in constant memory', async (way) => {
    const args = way === '-T' ? ['-T', file] : ['-F', `file=@${file}`];
    await curl(origin(), transport, '/upload', '--data', 'warm');
    // The most resident memory counts from now on.
    writeFileSync(`/proc/${origin().pid}/clear_refs`, '5');
    const before = peakMemory(origin().pid);
    const began = performance.now();
    const { http_code: status, body } = await curl(origin(), transport, '/upload', ...args);
    const seconds = (performance.now() - began) / 1000;
    const grown = peakMemory(origin().pid) - before;
    const { bytes_received: bytes, sha256 } = JSON.parse(body.toString()) as Upload;
    console.log(
      `${way} over ${transport}: ${(bytes / seconds / 1e6).toFixed(0)} MB/s, ` +
        `${(before / 1024 ** 2).toFixed(0)} MiB and ${(grown / 1024 ** 2).toFixed(1)} more`,
    );
    expect(status).toBe(200);
    if (way === '-T') expect([bytes, sha256]).toEqual([GiB, ZEROS]);
    // What a form adds: two delimiters and the head of the part.
    else expect(bytes - GiB).toBeGreaterThan(100);
    expect(grown).toBeLessThan(MOST);
  });
});
