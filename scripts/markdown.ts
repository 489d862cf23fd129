/** A Markdown table, its columns padded as the formatter pads them; empty without rows. */
export function table(header: string[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const all = [header, header.map(() => ''), ...escaped];
  const widths = header.map((_, at) => Math.max(3, ...all.map((row) => row[at]?.length ?? 0)));
  const lines = all.map((row, line) => {
    const cells = widths.map((width, at) => (row[at] ?? '').padEnd(width, line === 1 ? '-' : ' '));
    return `| ${cells.join(' | ')} |`;
  });
  return `\n${lines.join('\n')}\n`;
}
