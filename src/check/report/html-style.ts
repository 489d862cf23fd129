/** The style sheet of the HTML report. */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --code: #eef2f6; --text: #16202b; --line: #8884; --soft: #5b6570; --bad: #b3211e; --warn: #8a5200; --good: #0f6b36; --accent: #0b5fae }
@media (prefers-color-scheme: dark) {
  :root { --back: #171e26; --code: #0f151c; --text: #e4eaf0; --soft: #9fadba; --bad: #ff8f87; --warn: #f0b95b; --good: #6fd093; --accent: #7ab8ff }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; background: var(--back); color: var(--text) }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 0; display: inline }
h3 { font-size: .875em; margin: .5rem 0 .25rem }
ul { padding-left: 1.25rem }
p { margin: .5rem 0 }
code, pre { font: .875em/1.45 ui-monospace, monospace }
code { white-space: pre-wrap }
pre { margin: 0; padding: .5rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; background: var(--code) }
a { color: var(--accent) }
.filter { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem 0; background: var(--back) }
.filter > * { font: inherit; max-width: 100% }
.filter input { flex: 1 1 8rem; min-width: 0 }
summary { cursor: pointer; padding: .25rem 0 }
.group { margin-top: 1rem }
.group > details { border-top: 1px solid var(--line); padding: .125rem 0 .125rem 1rem; scroll-margin-top: 6rem }
.group > details > summary { margin-left: -1rem; padding-left: 1rem; text-indent: -1rem }
.topics { margin: .5rem 0 }
.scroll { overflow: auto }
table { border-collapse: collapse; font-size: .875em; overflow-wrap: normal }
caption { text-align: left }
td, th { padding: .125rem .5rem; border-top: 1px solid var(--line); text-align: right }
th:first-child { text-align: left }
mark { background: #fc06; color: inherit }
small { color: var(--soft); font-size: .875em }
summary span { display: block; text-indent: 0; font-size: .875em }
.fail b, .error b, .flaky b { color: var(--bad) }
.differs b { color: var(--warn) }
.pass b { color: var(--good) }
:target { background: #fc03 }
@media print {
  :root { --back: #fff; --code: #f4f4f4; --text: #000; --soft: #444; --bad: #b3211e; --accent: #000 }
  body { max-width: none; padding: 0; font-size: 9pt }
  .filter, .group > details a { display: none }
  .fail::details-content { content-visibility: visible; block-size: auto }
  pre { max-height: 32em; overflow: hidden }
  summary, h2, h3 { break-after: avoid; break-inside: avoid }
}
`;
