import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A directory for one run, and in it the certificate that every server of the run uses. */
export interface Workspace {
  readonly directory: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** EC P-256, as wirebin makes its own. The directory goes when the process ends. */
export async function createWorkspace(): Promise<Workspace> {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
  });
  const certFile = join(directory, 'bench.crt');
  const keyFile = join(directory, 'bench.key');
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { directory, certFile, keyFile };
}
