import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A commit of this repository, built in a directory of its own. */
export interface BuiltCommit {
  /** Its abbreviated hash. */
  readonly name: string;
  /** Its `dist/main.js`. */
  readonly main: string;
  remove(): void;
}

/**
 * Builds a commit with the dependencies it asks for itself.
 *
 * @param revision anything that `git rev-parse` knows
 * @throws where there is no such commit, or it does not build
 */
export function buildCommit(revision: string): BuiltCommit {
  const name = git('rev-parse', '--short', '--verify', `${revision}^{commit}`);
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
  const remove = (): void => {
    git('worktree', 'remove', '--force', directory);
    rmSync(directory, { recursive: true, force: true });
  };
  git('worktree', 'add', '--quiet', '--detach', directory, name);
  try {
    for (const args of [
      ['ci', '--silent'],
      ['run', '--silent', 'build'],
    ]) {
      execFileSync('npm', args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { name, main: join(directory, 'dist/main.js'), remove };
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
