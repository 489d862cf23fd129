import { codeByNghttp2 } from '../../wire/http2/_nghttp2.ts';
import type { Frame } from './_http2-frames.ts';

/** The fields of a block in latin1, or undefined if the decoder refuses it. */
export type Fields = readonly (readonly [name: string, value: string])[] | undefined;

/** Decodes the blocks of several directions, each with a table of its own. */
export function decodeBlocks(directions: readonly (readonly string[])[]): Fields[][] {
  const { lines } = codeByNghttp2(directions.flatMap((commands) => ['new', ...commands]));
  let at = 0;
  return directions.map((commands) =>
    commands.filter((command) => command.startsWith('block')).map(() => fieldsOf(lines[at++])),
  );
}

/** Blocks and limits of the table, in the order in which they apply to what one side sends. */
export function commandsOf(frames: readonly Frame[], others: readonly Frame[]): string[] {
  const settings = others.filter(({ type, flags }) => type === 4 && (flags & 1) === 0);
  const commands: string[] = [];
  let acknowledged = 0;
  for (const { type, flags, block } of frames) {
    if (block) commands.push(`block ${block.toString('hex')}`);
    if (type !== 4 || (flags & 1) === 0) continue;
    const payload = settings[acknowledged++]?.payload ?? Buffer.alloc(0);
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) === 1) commands.push(`limit ${payload.readUInt32BE(at + 2)}`);
    }
  }
  return commands;
}

function fieldsOf(line = ''): Fields {
  if (!line.startsWith('ok')) return undefined;
  return line
    .split(' ')
    .slice(1)
    .map((pair) => {
      const [name = '', value = ''] = pair.split(':');
      return [latin1(name), latin1(value)] as const;
    });
}

function latin1(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1');
}
