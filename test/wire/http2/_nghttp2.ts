import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('nghttp2-inflate.py', import.meta.url));

export interface Inflated {
  /** The name and version of the library. */
  readonly decoder: string;
  /** For each block. */
  readonly lines: readonly string[];
}

/**
 * Decodes blocks with nghttp2's own decoder (libnghttp2 through Python's ctypes).
 *
 * @param commands the script says which there are, and what it writes of a block
 * @throws if Python or the library is missing
 */
export function inflate(commands: readonly string[]): Inflated {
  const { stdout, stderr, error, status } = spawnSync('python3', [SCRIPT], {
    input: commands.map((command) => `${command}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 31,
  });
  if (error || status !== 0) {
    throw new Error(
      `nghttp2's decoder cannot run: it needs python3 and libnghttp2, which Debian has as libnghttp2-14. ${error?.message ?? stderr}`,
    );
  }
  const [decoder = '', ...lines] = stdout.trimEnd().split('\n');
  return { decoder, lines };
}
