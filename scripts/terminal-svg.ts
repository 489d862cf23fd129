/** Pixels. */
const [WIDTH, HEIGHT, MARGIN] = [7.9, 19, 16];

/** The codes of `styleText` that the report of a check has, without those that end them. */
const STYLES: Readonly<Record<string, string>> = { '1': 'bold', '31': 'red', '32': 'green' };

/** Makes a picture of what a terminal shows, light or dark as the reader's system is. @param text with colors */
export function terminalSvg(text: string): string {
  const lines = text.split('\n').map(runsOf);
  const columns = Math.max(...lines.map((runs) => runs.map((run) => run.text).join('').length));
  const width = Math.ceil(columns * WIDTH) + 2 * MARGIN;
  const height = lines.length * HEIGHT + 2 * MARGIN;
  const shown = lines.map((runs, at) => {
    const spans = runs.map(({ style, text: run }) =>
      style ? `<tspan class="${style}">${escapeSvgText(run)}</tspan>` : escapeSvgText(run),
    );
    return `<text x="${MARGIN}" y="${MARGIN + HEIGHT * (at + 0.75)}">${spans.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>
rect { fill: #f6f8fa; stroke: #d1d9e0 }
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
.bold { font-weight: bold }
.red { fill: #b3211e }
.green { fill: #116329 }
@media (prefers-color-scheme: dark) {
rect { fill: #151b23; stroke: #3d444d }
text { fill: #f0f6fc }
.red { fill: #ff7b72 }
.green { fill: #56d364 }
}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${shown.join('\n')}
</svg>
`;
}

/** The parts of a line, each in one style. */
function runsOf(line: string): { readonly style: string; readonly text: string }[] {
  const [plain = '', ...styled] = line.split('\u001B[');
  const runs = styled.map((run) => {
    const end = run.indexOf('m');
    return { style: STYLES[run.slice(0, end)] ?? '', text: run.slice(end + 1) };
  });
  return [{ style: '', text: plain }, ...runs].filter((run) => run.text !== '');
}

/** Spaces do not break, so that no reader of SVG collapses them. */
function escapeSvgText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00A0');
}
