import type { Directive, Product } from '../../src/check/remedy.ts';

/** Modules of directives, which Debian's packages have and the recorded configurations do not load. */
const MODULES: Readonly<Partial<Record<Product, readonly (readonly [RegExp, string])[]>>> = {
  apache: [[/^RequestHeader/, 'LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so']],
  lighttpd: [[/^setenv\./, 'server.modules += ("mod_setenv")']],
};

/** The line that opens a place of a product's configuration; undefined if the recorded ones do not have it. */
const OPENINGS: Readonly<Record<string, string>> = {
  'nginx http': 'http {',
  'nginx upstream': 'upstream wirebin {',
  'nginx server': 'server {',
  'nginx location': 'location / {',
  'haproxy frontend': 'frontend clients',
  'haproxy backend': 'backend wirebin',
  'caddy site': 'https://:8443 {',
  'h2o path': '/:',
};

/** What opens and closes a place that is not there yet. */
const BLOCKS: Readonly<Record<string, (text: string, lines: string) => string>> = {
  haproxy: (text, lines) => `global\n${lines}\n${text}`,
  caddy: (text, lines) => text.replace(/reverse_proxy .*/, (line) => `${line} {\n${lines}\n}`),
};

/** The configuration of a product with further lines. */
export function configured(
  product: Product,
  directives: readonly Directive[],
): (text: string) => string {
  return (text) => {
    // Command lines are no configuration.
    if (!text.includes('\n')) return text;
    const lines = directives.flatMap(([, ...own]) => own);
    const modules = (MODULES[product] ?? []).filter(([needs]) =>
      lines.some((line) => needs.test(line)),
    );
    const all: Directive[] = [...modules.map(([, line]) => ['', line] as const), ...directives];
    return all.reduce((changed, directive) => withLines(product, directive, changed), text);
  };
}

function withLines(product: Product, [place, ...added]: Directive, text: string): string {
  if (place === '') return `${text}\n${added.join('\n')}\n`;
  const opening = OPENINGS[`${product} ${place}`];
  const all = text.split('\n');
  const at = all.findIndex((line) => opening !== undefined && line.trim() === opening);
  if (at !== -1) {
    const [indent = ''] = /^ */.exec(all[at + 1] ?? '') ?? [];
    return all.toSpliced(at + 1, 0, ...added.map((line) => indent + line)).join('\n');
  }
  // VCL has a subroutine in as many parts as there are. The configuration of hitch has none.
  if (product === 'varnish')
    return text.startsWith('vcl') ? `${text}\nsub ${place} {\n${added.join('\n')}\n}\n` : text;
  const block = BLOCKS[product];
  if (!block) throw new Error(`${product} has no ${place}`);
  return block(text, added.join('\n'));
}
