import { negotiateMediaType } from '../http/accept.ts';
import { VARY_BY_CODING } from '../http/codings.ts';
import { fieldValue } from '../http/fields.ts';
import { nearest } from '../http/nearest.ts';
import { Problem } from '../http/problem.ts';
import { percentDecode } from '../http/query.ts';
import { BuiltFiles, IMMUTABLE, REVALIDATE } from '../pages/built-files.ts';
import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { required } from '../server/params.ts';
import { HTML_TYPE, redirect, TEXT_TYPE, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';
import { textLike } from '../server/schema.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
/** Types of a page. Markdown is first: a client that accepts anything is a program such as curl. */
const OFFERS = [MARKDOWN, HTML_TYPE] as const;

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files = new BuiltFiles('docs');

/** Documented fields of 200 and 304. */
const fieldDocs = {
  'Cache-Control': '`no-cache`, or `immutable` for the style sheet.',
  'Content-Security-Policy': 'Of HTML.',
  ETag: 'Strong.',
  Vary: '`Accept, Accept-Encoding` of a page, `Accept-Encoding` of the style sheet.',
  ...nosniffDoc,
};

/** Serves docs/ of this version: pages as HTML or Markdown, and configurations that they link to. */
export const docs: readonly Endpoint[] = [
  endpoint({
    path: '/docs',
    group: 'operations',
    summary: 'Redirects to `/docs/`.',
    responses: { 302: { description: 'To `docs/`.', fields: { Location: 'Relative.' } } },
    handle: () => redirect('docs/'),
  }),
  endpoint({
    id: 'docs_page',
    path: '/docs/*page',
    group: 'operations',
    summary:
      'The documentation of this version: `/docs/` has the contents. HTML or Markdown by Accept.',
    params: {
      page: required(
        { ...textLike('tap'), description: 'A page of docs/, with or without `.md`.' },
        (text) => text,
      ),
    },
    responses: {
      200: {
        description: 'The page.',
        content: [...OFFERS, CSS, TEXT_TYPE, 'application/json'],
        fields: { ...fieldDocs, 'Content-Encoding': 'br or gzip of HTML; none for `identity`.' },
      },
      302: {
        description: 'To the page, if a trailing slash is missing or superfluous.',
        fields: { Location: 'Relative.' },
      },
      404: problemResponse('There is no such page; the detail names the nearest.'),
      304: { description: 'If-None-Match holds.', fields: fieldDocs },
      412: problemResponse('If-Match fails.', { Vary: fieldDocs.Vary }),
    },
    handle: ({ request, params: { page } }) => pageReply(request, percentDecode(page) ?? page),
  }),
];

/** @throws Problem not-found */
async function pageReply(request: Request, path: string): Promise<Reply> {
  const { bytes } = await files.read('files.txt');
  const names = new TextDecoder().decode(bytes).split('\n');
  const source = /(?:^|\/)$/.test(path) ? `${path}README.md` : path.replace(/(?:\.md)?$/, '.md');
  if (names.includes(source)) return documentReply(request, source);
  if (!names.includes(path)) return otherwise(path, names);
  if (path.endsWith('.css')) {
    const fields = ['Cache-Control', IMMUTABLE, ...VARY_BY_CODING, ...NOSNIFF];
    return files.reply(request, path, { type: CSS, isCoded: true, fields });
  }
  const type = path.endsWith('.json') ? 'application/json' : TEXT_TYPE;
  const fields = ['Cache-Control', REVALIDATE, ...NOSNIFF];
  return files.reply(request, path, { type, isCoded: false, fields });
}

function documentReply(request: Request, source: string): Promise<Reply> {
  const accept = fieldValue(request.fields, 'accept');
  const type = negotiateMediaType(accept, OFFERS) ?? MARKDOWN;
  const isHtml = type === HTML_TYPE;
  const fields = ['Cache-Control', REVALIDATE, 'Vary', 'Accept, Accept-Encoding', ...NOSNIFF];
  if (isHtml) fields.push('Content-Security-Policy', POLICY);
  return files.reply(request, isHtml ? `${source}.html` : source, {
    type,
    isCoded: isHtml,
    fields,
  });
}

/** Redirects to a page whose slash at the end is missing or too much. @throws Problem not-found */
function otherwise(path: string, names: readonly string[]): Reply {
  const bare = path.replace(/\/$/, '');
  const last = bare.slice(bare.lastIndexOf('/') + 1);
  if (names.includes(`${bare}/README.md`)) return redirect(`${last}/`);
  if (names.includes(`${bare}.md`)) return redirect(`../${last}`);
  throw unknownPage(path, names);
}

function unknownPage(path: string, names: readonly string[]): Problem {
  const pages = names.map((name) => name.replace(/(?:(?<=^|\/)README)?\.md$/, ''));
  const near = nearest(path.toLowerCase(), pages);
  const hint = near ? `did you mean /docs/${near}?` : '/docs/ has the contents';
  return new Problem('not-found', `${path} is not a page of /docs/; ${hint}`);
}
