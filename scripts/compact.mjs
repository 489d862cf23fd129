// What the files that browsers load have in common.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Reads a style sheet with those that it imports, without comments and needless white space. */
export function readCss(file) {
  return readFileSync(file, 'utf8')
    .replace(/@import '(.+)';/g, (_, name) => readCss(join(dirname(file), name)))
    .replace(/\/\*.*?\*\//gs, '')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':');
}

/** Writes a file for each content coding, since compressing takes longer than the first visitor would wait. */
export function writeCompressed(file, content) {
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
