import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Makes what the page loads, as `npm run build` does, unless it is newer than its sources. */
export default function setup(): void {
  const made = newest('dist/browser');
  const sources = ['src/browser', 'src/pages', 'src/check', 'src/check/report', 'src/bench/report'];
  if (made > Math.max(...sources.concat('scripts').map(newest))) return;
  execFileSync(process.execPath, ['scripts/browser.mjs'], { cwd: ROOT });
}

/** When the newest file of a directory was written; 0 if there is none. */
function newest(directory: string): number {
  try {
    const path = join(ROOT, directory);
    return Math.max(0, ...readdirSync(path).map((name) => statSync(join(path, name)).mtimeMs));
  } catch {
    return 0;
  }
}
