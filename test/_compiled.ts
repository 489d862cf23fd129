import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import makePage from './_browser.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory that wirebin has been compiled into, a file for each source, as it is published. */
    compiled: string;
    /** The same in three files: a process takes half of the CPU time to start. */
    bundled: string;
    /** Where processes write what they have covered; empty unless coverage is counted. */
    processCoverage: string;
  }
}

/** Compiles wirebin, once for all tests that run it as a process. */
export default async function setup({ provide, vitest }: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-compiled-'));
  const compiled = join(directory, 'compiled');
  const bundled = join(directory, 'bundled');
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  // `npm run types` checks the types.
  const options = ['-p', 'src/tsconfig.build.json', '--noCheck', '--outDir', compiled];
  execFileSync(process.execPath, [compiler, ...options], { cwd: ROOT });
  makePage();
  // Where both find it.
  for (const to of [compiled, bundled]) {
    for (const name of ['browser', 'docs']) {
      cpSync(join(ROOT, 'dist', name), join(to, name), { recursive: true });
    }
  }
  provide('compiled', compiled);
  const { enabled, reportsDirectory } = vitest.config.coverage;
  // scripts/coverage-provider.mjs reads it, and vitest clears the folder.
  const processCoverage = resolve(ROOT, reportsDirectory, '.tmp/processes');
  provide('processCoverage', enabled ? processCoverage : '');
  // Coverage is counted of a file for each source.
  if (!enabled) await bundle(bundled);
  provide('bundled', enabled ? compiled : bundled);
  return () => rmSync(directory, { recursive: true });
}

/** Sources find package.json and certs/ by their own path, so both chunks are where those sources are. */
async function bundle(directory: string): Promise<void> {
  const output = {
    entryFileNames: 'main.js',
    chunkFileNames: ({ name }: { readonly name: string }) =>
      name === 'version' ? 'version.js' : 'cli/run.js',
    codeSplitting: {
      groups: [
        { name: 'version', test: /\/src\/version\.ts$/ },
        { name: 'run', test: /\/src\/(?!main\.ts$)/ },
      ],
    },
  };
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: 'src/main.ts',
      target: 'node20',
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      // What is imported dynamically is in the same chunk on purpose.
      rolldownOptions: { output, checks: { ineffectiveDynamicImport: false } },
    },
  });
}
