/**
 * Text with its controls escaped, and the end of each line shown as it is: `\r\n` or `\n`.
 *
 * @param isBytes false for text whose line ends are not part of what is shown, such as a list of frames
 */
export function escaped(text: string, isBytes = true): string {
  const lines = text.split('\n');
  const last = lines.length - 1;
  return lines
    .map((line, at) => {
      if (at === last || !isBytes) return printable(line);
      return line.endsWith('\r')
        ? `${printable(line.slice(0, -1))}\\r\\n`
        : `${printable(line)}\\n`;
    })
    .join('\n');
}

/** The same in one line. */
export function escapedLine(text: string): string {
  return escaped(text).replaceAll('\n', '');
}

/** What changes a terminal or how text is read, and characters that stand for bytes. */
const UNPRINTABLE = /[\x7f-\xff\p{C}\p{Zl}\p{Zp}]/gu;
/** What GitHub Actions takes for a command wherever a job prints it. */
const WORKFLOW_COMMAND = /^(\s*):(?=:.*::)|#(?=#\[)/g;

function printable(line: string): string {
  return line
    .replaceAll('\\', '\\\\')
    .replaceAll(UNPRINTABLE, escapeOf)
    .replaceAll(WORKFLOW_COMMAND, (text, space?: string) =>
      space === undefined ? escapeOf(text) : `${space}${escapeOf(':')}`,
    );
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xff ? `\\u{${digits}}` : `\\x${digits.padStart(2, '0')}`;
}
