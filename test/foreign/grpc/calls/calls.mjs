// What the programs of clients for Node have in common. test/foreign/grpc/calls/_program.ts has the format of the calls
// on standard input, and of the lines that are printed.
import { createInterface } from 'node:readline/promises';

function callOf(line) {
  const [name, address, method, kind, request, metadata, timeout] = line.split('\t');
  return {
    name,
    address,
    method,
    isUnary: kind === 'unary',
    request: Buffer.from(request, 'hex'),
    metadata: metadata === '' ? [] : metadata.split(', ').map((text) => text.split(': ')),
    timeout: Number(timeout),
  };
}

/** Makes all calls. @param make fills in `code`, `messages`, `text` and `seen` of a report */
export async function makeAll(make) {
  const made = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const call = callOf(line);
    const report = { code: '', messages: 0, text: '', seen: [] };
    const print = () => {
      const { code, messages, text, seen } = report;
      const words = text.replaceAll(/\s+/g, ' ');
      const values = seen.map((value) => Buffer.from(value).toString('hex')).join(', ');
      console.log([call.name, code, messages, words, values].join('\t'));
    };
    made.push(make(call, report).then(print));
  }
  await Promise.all(made);
  process.exit(0);
}
