// Makes what the page at `/` and reports load of src/browser: `node scripts/browser.mjs [directory]`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

// Untyped, since the types of others would come along, for the linter to hold against all scripts.
const { build } = await import(import.meta.resolve('vite'));

const root = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(root, 'dist/browser')] = process.argv.slice(2);
const moduleOf = (name) => join(root, 'src/browser', `${name}.ts`);
await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  build: {
    // What main.ts imports when it is first shown is a file of its own.
    lib: {
      entry: { main: moduleOf('main'), 'result-filter': moduleOf('result-filter') },
      formats: ['es'],
    },
    target: 'es2023',
    outDir: directory,
    emptyOutDir: true,
    minify: true,
    rolldownOptions: {
      preserveEntrySignatures: 'allow-extension',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', minify: true },
    },
  },
});
const css = readFileSync(join(root, 'src/browser/page.css'), 'utf8');
const compact = css
  .replace(/\s+/g, ' ')
  .replace(/ ?([{};,>]) ?/g, '$1')
  .replace(/: /g, ':');
writeFileSync(join(directory, 'page.css'), compact);
// Now, since it takes longer than the first visitor would wait.
for (const name of readdirSync(directory)) {
  const file = join(directory, name);
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
