import { readdirSync, readFileSync } from 'node:fs';

const directory = new URL('client-prefaces/', import.meta.url);

/**
 * The first bytes that clients of late 2026 sent: preface, frames, and the HEADERS of a GET of
 * /http2. The numbered browsers were imitated by curl_cffi 0.16.
 */
export const prefaces = readdirSync(directory)
  .filter((file) => file.endsWith('.bin'))
  .map((file) => file.slice(0, -'.bin'.length));

export function preface(name: string): Buffer {
  return readFileSync(new URL(`${name}.bin`, directory));
}

/**
 * Their fingerprints and MD5 according to the Python packages hyperframe and hpack. Those of
 * Chromium, Firefox, Safari and Edge match the published ones.
 */
export const fingerprints: readonly [name: string, text: string, hash: string][] = [
  [
    'chromium',
    '1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p',
    '52d84b11737d980aef856699f885ca86',
  ],
  ['curl', '3:100;4:33554432;2:0|33488897|0|m,p,s,a', 'fd07c74c4990fc43ef9f4b3277cf3cf2'],
  [
    'edge101',
    '1:65536;3:1000;4:6291456;6:262144|15663105|0|m,a,s,p',
    '4f04edce68a7ecbe689edce7bf5f23f3',
  ],
  [
    'firefox147',
    '1:65536;2:0;4:131072;5:16384|12517377|0|m,p,a,s',
    '6ea73faa8fc5aac76bded7bd238f6433',
  ],
  [
    'go',
    '2:0;4:4194304;5:16384;6:10485760|1073741824|0|a,m,p,s',
    'cbcbfae223bb97a0cc79109588321a5c',
  ],
  ['h2load', '2:0;4:1073741823|1073676288|0|p,s,a,m', '0005898fe204011dcb8c6bd86f87516a'],
  [
    'httpx',
    '1:4096;2:0;4:65535;5:16384;3:100;6:65536|16777216|0|m,a,s,p',
    '29e6a0e9b360185223ec1278a845fdb1',
  ],
  [
    'nghttp',
    '3:100;4:65535|00|3:0:0:201,5:0:0:101,7:0:0:1,9:0:7:1,11:0:3:1|m,p,s,a',
    'ada93706ea1b5cca53f2b62779d154cd',
  ],
  ['node', '|00|0|p,m,a,s', '38e36840395e07ae27bae1632ddc8b92'],
  ['safari155', '4:4194304;3:100|10485760|0|m,s,p,a', 'dda308d35f4e5db7b52a61720ca1b122'],
  ['safari260', '2:0;3:100;4:2097152;9:1|10420225|0|m,s,a,p', 'c52879e43202aeb92740be6e8c86ea96'],
];
