/**
 * Text with control characters escaped. Line ends are shown as `\r\n` or `\n`, and also break the line.
 *
 * @param isBytes false for text whose line ends were not transmitted, such as a list of frames
 */
export function escapeControls(text: string, isBytes = true): string {
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

/** As `escapeControls()`, but in one line. */
export function escapeControlsInLine(text: string): string {
  return escapeControls(text).replaceAll('\n', '');
}

/** Control and format characters that affect a terminal or change how text reads, and Latin-1 characters for bytes. */
const UNPRINTABLE = /[\x7f-\xff\p{C}\p{Zl}\p{Zp}]/gu;
/** Workflow commands, which GitHub Actions executes wherever a job prints them. */
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
