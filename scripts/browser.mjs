// Makes what the page at `/` loads of src/browser: `node scripts/browser.mjs [directory]`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { chartsOf } from './charts.mjs';

// Untyped, since the types of others would come along, for the linter to hold against all scripts.
const { minifySync } = await import(import.meta.resolve('vite'));

const root = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(root, 'dist/browser')] = process.argv.slice(2);
const uPlot = readFileSync(join(root, 'node_modules/uplot/dist/uPlot.esm.js'), 'utf8');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const project = join(root, 'src/browser/tsconfig.build.json');
execFileSync(process.execPath, [compiler, '-p', project, '--outDir', directory], {
  stdio: 'inherit',
});
writeFileSync(join(directory, 'uplot.js'), chartsOf(uPlot));
for (const name of readdirSync(directory).filter((other) => other.endsWith('.js'))) {
  const file = join(directory, name);
  writeFileSync(file, minifySync(name, readFileSync(file, 'utf8'), { module: true }).code);
}
const css = readFileSync(join(root, 'src/browser/page.css'), 'utf8');
const compact = css
  .replace(/\s+/g, ' ')
  .replace(/ ?([{};,>]) ?/g, '$1')
  .replace(/: /g, ':');
writeFileSync(join(directory, 'page.css'), compact);
// Now, since it takes longer than the first visitor would wait.
for (const name of readdirSync(directory).filter((other) => /\.(?:js|css)$/.test(other))) {
  const file = join(directory, name);
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
