import { endpoint } from '../server/endpoint.ts';
import { HTML_TYPE } from '../server/reply.ts';
import { documentDeclaration } from '../server/representation.ts';

const DOCUMENT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>UTF-8: ½ café ☕ 𝄞</title>
  </head>
  <body>
    <h1>Unicode in UTF-8</h1>
    <p>Hello world, Καλημ\u1f73ρα κ\u1f79σμε, コンニチハ</p>
    <dl>
      <dt>Two bytes</dt>
      <dd>Zwölf Boxkämpfer · garçon, œuf, señor, smørrebrød, žluťoučký kůň · § ¶ ¿ ¡ ± ¼ µ · ψυχή · ёжик · ժամ · שלום · سلام</dd>
      <dt>Three bytes</dt>
      <dd>“€ 20” – that’s all … ∮ E⋅da = Q, n → ∞, ∑ f(i) = ∏ g(i) ≠ ≤ ⊂ √ ⇄ ⌘ ▲ ● ☂ ♜ ✓ · नमस्ते · สวัสดี · გამარჯობა · ሰላም · 你好 · 안녕하세요 · いろは</dd>
      <dt>Four bytes</dt>
      <dd>𝄞 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 😀 👩‍👩‍👧 🏳️‍🌈 𠜎</dd>
      <dt>Composed of several</dt>
      <dd>e\u0301 a\u0308 n\u0303 क्षि ผู้ 각</dd>
      <dt>From right to left</dt>
      <dd><bdi dir="rtl">שלום עולם</bdi>, <bdi dir="rtl">مرحبا بالعالم</bdi></dd>
      <dt>Spaces between bars</dt>
      <dd>|\u00a0|\u2002|\u2003|\u2009|\u200b|\u3000|\ufeff|</dd>
    </dl>
  </body>
</html>
`;

export const utf8Document = endpoint({
  ...documentDeclaration(HTML_TYPE, DOCUMENT),
  path: '/encoding/utf8',
  summary: 'An HTML document with characters of one to four bytes in UTF-8.',
});
