// Sends the requests on standard input (name, method, path and length of the content, separated by tabs) by
// Node's fetch, which is undici, and prints name, status, bytes of content and error of each.
import { createInterface } from 'node:readline/promises';

const [, , base] = process.argv;

/** undici puts the cause below a TypeError. */
function words(error) {
  const { cause = error } = error;
  return [cause.code ?? cause.name, cause.message].join(': ').replaceAll(/\s+/g, ' ');
}

async function send(line) {
  const [name, method, path, length] = line.split('\t');
  let status = '';
  let received = 0;
  try {
    const response = await fetch(base + path, {
      method,
      headers: { 'X-Wirebin-Journal': name, Connection: 'close' },
      signal: AbortSignal.timeout(5000),
      ...(length !== '0' && { body: Buffer.alloc(Number(length)) }),
    });
    ({ status } = response);
    for await (const piece of response.body ?? []) received += piece.length;
    console.log([name, status, received, ''].join('\t'));
  } catch (error) {
    console.log([name, status, received, words(error)].join('\t'));
  }
}

const sent = [];
for await (const line of createInterface({ input: process.stdin })) sent.push(send(line));
await Promise.all(sent);
