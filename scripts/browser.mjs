// Makes what the page at `/` and reports load of src/browser: `node scripts/browser.mjs [directory]`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCss, writeCompressed } from './compact.mjs';

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
const styles = join(root, 'src/browser/style');
writeFileSync(join(directory, 'page.css'), readCss(join(styles, 'page.css')));
for (const name of readdirSync(directory)) {
  const file = join(directory, name);
  writeCompressed(file, readFileSync(file));
}
// It is not served: reports include it.
writeFileSync(join(directory, 'html-report.css'), readCss(join(styles, 'html-report.css')));
