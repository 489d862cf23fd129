// What the files that browsers load have in common.
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Leaves out white space. */
export function compactCss(css) {
  return css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':');
}

/** Writes a file for each content coding, since compressing takes longer than the first visitor would wait. */
export function writeCompressed(file, content) {
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
