import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory that wirebin has been compiled into. */
    compiled: string;
  }
}

/** Compiles wirebin, once for all the tests that run it as a process. */
export default function setup({ provide }: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-compiled-'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', directory];
  execFileSync(process.execPath, [compiler, ...options], { cwd: ROOT });
  provide('compiled', directory);
  return () => rmSync(directory, { recursive: true });
}
