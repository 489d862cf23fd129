import {
  CHUNK_LINE,
  CODING,
  CODING_LINE,
  LENGTH,
  LENGTH_LINE,
  put,
  type Replacement,
} from '../../fuzz/http1/changes.ts';

/** A request whose end two recipients may find in different places. */
export interface Framing {
  readonly name: string;
  /** @param path of the request, below which another one may hide */
  readonly bytes: (path: string) => string;
}

const POST = (path: string, lines: string, content: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n${content}`;
/** What a recipient that finds the end earlier takes for another request. */
const hidden = (path: string): string => `GET ${path}/hidden HTTP/1.1\r\nHost: x\r\n\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked';

function withLength(path: string): string {
  const content = `a${hidden(path)}`;
  return POST(path, `Content-Length: ${content.length}`, content);
}

function withCoding(path: string): string {
  return POST(path, CHUNKED, `0\r\n\r\n${hidden(path)}`);
}

function withBoth(path: string): string {
  const content = `0\r\n\r\n${hidden(path)}`;
  return POST(path, `Content-Length: ${content.length}\r\n${CHUNKED}`, content);
}

function withChunk(path: string): string {
  const data = hidden(path);
  return POST(path, CHUNKED, `${data.length.toString(16)}\r\n${data}\r\n0\r\n\r\n`);
}

/** The message with each of the replacements in the first place that it fits. */
function each(
  kind: string,
  message: (path: string) => string,
  [found, texts]: Replacement,
): Framing[] {
  const first = new RegExp(found.source, found.flags.replace('g', ''));
  return texts.map((text) => ({
    name: `${kind}: ${JSON.stringify(text)}`,
    bytes: (path) =>
      message(path).replace(first, (...match: readonly string[]) => put(text, match)),
  }));
}

/** Valid ones, and those that differ in what decides where they end. */
export const framings: readonly Framing[] = [
  { name: 'Content-Length', bytes: withLength },
  { name: 'chunked', bytes: withChunk },
  { name: 'chunked without content', bytes: withCoding },
  { name: 'both', bytes: withBoth },
  ...each('length', withLength, LENGTH),
  ...each('length', withLength, LENGTH_LINE),
  ...each('coding', withCoding, CODING),
  ...each('coding', withCoding, CODING_LINE),
  ...each('both', withBoth, CODING),
  ...each('chunk', withChunk, CHUNK_LINE),
];
