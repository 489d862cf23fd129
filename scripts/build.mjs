// Makes dist/ of src/ and docs/, unless it is what they make: who reads it meanwhile misses no file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Has the digest of what dist/ was made of. It is not packed. */
const STAMP = join(root, 'dist/.made-of');
const INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json'];

function filesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Of sources and dist/, by content: times change with a checkout, and do not with some editors. */
function digest() {
  const hash = createHash('sha256');
  const inputs = INPUTS.map((name) => join(root, name)).filter((file) => existsSync(file));
  const folders = ['scripts', 'src', 'docs', 'dist'].filter((name) => existsSync(join(root, name)));
  for (const file of [...inputs, ...folders.flatMap(filesOf)]) {
    if (file === STAMP) continue;
    const content = readFileSync(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function isMade() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest();
}

if (!isMade()) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  // A build that fails leaves no stamp.
  writeFileSync(STAMP, '');
  const start = statSync(STAMP).mtimeMs;
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  for (const args of [
    [compiler, '-p', join(root, 'src/tsconfig.build.json')],
    [join(root, 'scripts/browser.mjs')],
    [join(root, 'scripts/docs.mjs')],
  ]) {
    try {
      execFileSync(process.execPath, args, { stdio: 'inherit' });
    } catch {
      // The compiler has said why.
      process.exit(1);
    }
  }
  // All files were written anew: older ones are those of sources that are gone.
  for (const file of filesOf('dist')) if (statSync(file).mtimeMs < start) rmSync(file);
  writeFileSync(STAMP, digest());
}
