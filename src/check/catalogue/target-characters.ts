import type { Check, FamilyRule } from '../check.ts';
import { pass } from '../verdict.ts';
import { judgeRefusal } from './refusal.ts';

/**
 * A check of characters that clients send unencoded, but that a path must not contain (RFC 3986 3.3). The target may
 * refuse, encode or forward them, but must not change the path otherwise (RFC 9110 7.7).
 */
function pathIsKept({
  characters,
  ...rule
}: FamilyRule & { readonly characters: readonly string[] }): Check {
  return {
    section: 'RFC 9110 7.7',
    level: 'must',
    risk: 'security',
    needs: ['gateway'],
    ...rule,
    observes: 'refusal',
    async run(session) {
      const found = new Map<string, string>();
      for (const character of characters) {
        const target = `/anything/a${character}b`;
        const encoded = `/anything/a${percentEncoded(character)}b`;
        const verdict = await judgeRefusal(
          session,
          () => session.echo({ target }),
          () => session.echo({ target: encoded }),
          {
            expected: `refused, ${shown(target)} or ${encoded}`,
            isSafe: ({ path }) => path === target || path.toUpperCase() === encoded.toUpperCase(),
            found: ({ path }) => `${shown(target)} arrives as ${shown(path)}`,
            mayForward: true,
          },
        );
        if (verdict.outcome !== 'pass') return verdict;
        found.set(shown(character), verdict.found ?? '');
      }
      const [first, ...others] = new Set(found.values());
      if (others.length === 0) return pass(first);
      return pass(Array.from(found, ([character, what]) => `${character} ${what}`).join(', '));
    },
  };
}

/** Percent-encodes all bytes. @param text one character per byte */
const percentEncoded = (text: string): string =>
  Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&').toUpperCase();

/** Text with unprintable bytes as `\x7f`. */
const shown = (text: string): string =>
  text.replace(/[^!-~]/g, (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`);

/** Checks of characters that must be percent-encoded in a URI (RFC 3986 2). */
export const targetCharacterChecks: readonly Check[] = [
  pathIsKept({
    id: 'target/braces',
    rule: 'A path with one of {, }, |, ^ and ` is refused, or arrives unchanged or percent-encoded.',
    characters: ['{', '}', '|', '^', '`'],
  }),
  pathIsKept({
    id: 'target/delimiters',
    rule: 'A path with one of ", < and > is refused, or arrives unchanged or percent-encoded.',
    characters: ['"', '<', '>'],
  }),
  pathIsKept({
    id: 'target/non-ascii',
    rule: 'A path with UTF-8 or other bytes beyond ASCII is refused, or arrives unchanged or percent-encoded.',
    characters: ['\u00c3\u00a9', '\u00e9'],
  }),
];
