import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('nghttp2-hpack.py', import.meta.url));

export interface Coded {
  /** The name and version of the library. */
  readonly library: string;
  /** For each block, and each list of fields. */
  readonly lines: readonly string[];
}

/**
 * Decodes blocks and encodes fields with nghttp2's own HPACK (libnghttp2 through Python's ctypes).
 *
 * @param commands the script says which there are, and what it writes of each
 * @throws if Python or the library is missing
 */
export function codeByNghttp2(commands: readonly string[]): Coded {
  const { stdout, stderr, error, status } = spawnSync('python3', [SCRIPT], {
    input: commands.map((command) => `${command}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 31,
  });
  if (error || status !== 0) {
    throw new Error(
      `nghttp2's HPACK cannot run: it needs python3 and libnghttp2, which Debian has as libnghttp2-14. ${error?.message ?? stderr}`,
    );
  }
  const [library = '', ...lines] = stdout.trimEnd().split('\n');
  return { library, lines };
}
