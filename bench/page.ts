/**
 * The page with this text between the markers of a name.
 *
 * @throws if it has no such markers
 */
export function withText(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [before, rest] = page.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`the page has no markers of ${name}`);
  return `${before}${start}\n${text}\n\n${end}${after}`;
}
