import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BROWSER = ['src/browser', 'src/pages', 'src/check', 'src/check/report', 'src/bench/report'];

/** Makes what browsers load, as `npm run build` does, unless it is newer than its sources. */
export default function setup(): void {
  make('browser', BROWSER);
  make('docs', ['docs', 'src/browser']);
}

function make(name: string, sources: readonly string[]): void {
  const made = newest(`dist/${name}`);
  if (made > Math.max(...[...sources, 'scripts'].map(newest))) return;
  execFileSync(process.execPath, [`scripts/${name}.mjs`], { cwd: ROOT });
}

/** When the newest file of a directory was written; 0 if there is none. */
function newest(directory: string): number {
  try {
    const path = join(ROOT, directory);
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return Math.max(0, ...files.map((name) => statSync(join(path, name)).mtimeMs));
  } catch {
    return 0;
  }
}
