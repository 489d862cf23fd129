import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { sharedService } from '../../_shared.ts';
import { CASES } from './_interop.ts';
import { runProgram } from './_program.ts';

/** The newest whose dependencies can be had from Maven's central repository. */
const VERSION = '1.76.0';
const PLACE = fileURLToPath(
  new URL(`../../../node_modules/.cache/foreign/grpc-java-${VERSION}`, import.meta.url),
);
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>wirebin</groupId><artifactId>foreign</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.grpc</groupId><artifactId>grpc-interop-testing</artifactId><version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>`;

const maven = findProgram('mvn');
const java = findProgram('java');
/** Beside those of Go. */
const COMPRESSED = [
  'client_compressed_unary',
  'server_compressed_unary',
  'client_compressed_streaming',
  'server_compressed_streaming',
];

describe.skipIf(maven === undefined || java === undefined)("Java's interop client", () => {
  const running = sharedService();
  beforeAll(async () => {
    if (existsSync(`${PLACE}/complete`)) return;
    mkdirSync(PLACE, { recursive: true });
    writeFileSync(`${PLACE}/pom.xml`, POM);
    const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${PLACE}/lib`];
    const words = ['-q', '-B', '-f', `${PLACE}/pom.xml`].concat(copy);
    const { code, stdout } = await runProgram(maven ?? '', words);
    expect(code, stdout).toBe(0);
    writeFileSync(`${PLACE}/complete`, '');
  });

  test.each([...CASES, ...COMPRESSED])('%s', async (name) => {
    const client = ['-cp', `${PLACE}/lib/*`, 'io.grpc.testing.integration.TestServiceClient'];
    const port = `--server_port=${running().port}`;
    const flags = ['--server_host=127.0.0.1', port, '--use_tls=false', `--test_case=${name}`];
    // Its first call has loaded classes for longer than the second that it takes for a failure, beside other steps.
    const patience = ['--soak_per_iteration_max_acceptable_latency_ms=10000'];
    const { code, stderr } = await runProgram(java ?? '', [...client, ...flags, ...patience]);
    expect(code, stderr.slice(-2000)).toBe(0);
  });
});
