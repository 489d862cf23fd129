/** Characters of a line up to which a padded table can be read as text. */
const WIDTH = 120;

/**
 * A Markdown table; empty without rows. Its columns are padded as the formatter pads them. Of wide ones they are not:
 * one longer cell would change every line, and the formatter is told to leave them.
 */
export function table(header: string[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const all = [header, header.map(() => '---'), ...escaped];
  const widths = header.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const isWide = widths.reduce((sum, width) => sum + width + 3, 1) > WIDTH;
  const lines = all.map((row, line) => {
    const cells = widths.map((width, at) =>
      (row[at] ?? '').padEnd(isWide ? 0 : width, line === 1 ? '-' : ' '),
    );
    return `| ${cells.join(' | ')} |`;
  });
  if (isWide) lines.unshift('<!-- prettier-ignore -->');
  return `\n${lines.join('\n')}\n`;
}

/** Inline code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
