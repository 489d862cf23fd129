// Makes dist/ of src/ and docs/: `node scripts/build.mjs [--if-changed]`.
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

/** By content: times change with a checkout, and do not with some editors. */
function digest() {
  const hash = createHash('sha256');
  const inputs = INPUTS.map((name) => join(root, name)).filter((file) => existsSync(file));
  for (const file of [...inputs, ...['scripts', 'src', 'docs'].flatMap(filesOf)]) {
    const content = readFileSync(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  // A file of dist/ that was deleted is made again.
  const made = existsSync(join(root, 'dist')) ? filesOf('dist') : [];
  const others = made.filter((file) => file !== STAMP);
  return hash.update(others.join('\n')).digest('hex');
}

function isMade() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest();
}

if (!process.argv.includes('--if-changed') || !isMade()) {
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
