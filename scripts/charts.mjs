/** Functions of uPlot for what the page does not use. */
const UNUSED = [
  // Axes of dates
  ['genTimeStuffs', 'timeAxisStamps', 'timeAxisVals', 'timeAxisVal'],
  ['timeSeriesStamp', 'timeSeriesVal', 'fmtDate'],
  // Logarithmic scales
  ['rangeLog', 'rangeAsinh', 'logAxisSplits', 'asinhAxisSplits', 'log10AxisValsFilt'],
  ['log2AxisValsFilt', 'snapLogY', 'snapAsinhY'],
  // Ranges of values: the page chooses them, and has at least 15 times
  ['rangeNum', 'snapNumY'],
  // Areas and bands
  ['seriesFillTo', 'clipBandLine', 'bandFillClipDirs', 'addBand', 'setBand', 'delBand'],
  // Changes of a chart: the page draws another
  ['addSeries', 'delSeries', 'setSeries', 'setAlpha', 'setFocus', 'batch'],
  // Selections
  ['setSelect', 'setSelH', 'setSelV', 'hideSelect', 'closestIdxFromXpos', 'pub'],
  // The cursor and the legend
  ['numSeriesVal', 'legendStroke', 'legendFill', 'setLegend', 'setLegendValues', 'syncLegend'],
  ['cursorPointShow', 'cursorPointFill', 'cursorPointStroke', 'cursorPointSize', 'cursorMove'],
  ['filtBtn0', 'filtTarg'],
  ['updateCursor', 'cacheMouse', 'mouseMove', 'mouseDown', 'mouseUp', 'mouseLeave', 'dblClick'],
  ['initCursorPt', 'initLegendRow'],
].flat();

/**
 * uPlot without a third of it: those functions, and what it exposes beside the chart. The minifier drops
 * what only they used.
 *
 * @param {string} source of uPlot, as an ES module
 */
export function chartsOf(source) {
  let text = replaced(source, /^uPlot\.assign = assign;$[^]*/m, 'export { uPlot as default };');
  for (const name of UNUSED) text = replaced(text, `function ${name}(`, `function unused_${name}(`);
  const names = UNUSED.map((name) => `${name} = none`).join(', ');
  // Some results are destructured, and what is in them called.
  return `const none = () => [0, 0, none], ${names};\n${text}`;
}

/** @param {string} text @param {string | RegExp} search @param {string} replacement */
function replaced(text, search, replacement) {
  const result = text.replace(search, replacement);
  if (result === text) throw new Error(`uPlot has changed: there is no ${String(search)}`);
  return result;
}
