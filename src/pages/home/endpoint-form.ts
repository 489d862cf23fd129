import { allowedMethods, type Endpoint } from '../../server/endpoint.ts';
import type { Parameter } from '../../server/params.ts';
import { defaultText, type JsonSchema } from '../../server/schema.ts';
import { parseQuery } from '../../http/query.ts';
import { exampleOf } from '../example.ts';
import { escapeHtml, marked } from '../page.ts';

/** Query parameter of `/` with the endpoint that a form is for. */
export const TRY = 'try';
/** Name of the input for further query parameters. */
export const MORE = 'more';

/**
 * The form of an endpoint. An HTML form can neither fill in a path nor omit empty values, so a form with GET is sent to
 * `/`, which redirects to the endpoint (`tryTarget`). With scripts, the browser sends the request itself, with any
 * method.
 */
export function endpointForm(endpoint: Endpoint): string {
  const { id, path, content, upgrade } = endpoint;
  const methods = allowedMethods(endpoint.methods);
  const attributes =
    (content === false ? '' : ' data-content') +
    (upgrade === undefined ? '' : ` data-upgrade="${upgrade}"`);
  const fields = inputs(endpoint);
  if (methods.includes('GET')) {
    const hint = upgrade
      ? `<p class="hint">Forms cannot upgrade to ${upgrade}: expect 426.</p>\n`
      : '';
    return `<form action="./"${attributes}>
<input type="hidden" name="${TRY}" value="${id}">
${fields}${hint}<p class="actions"><button>Send</button></p>
</form>`;
  }
  const isPost = methods.includes('POST');
  const why = isPost
    ? fields && 'Without scripts, the endpoint’s defaults apply.'
    : `Without scripts, a form cannot send ${methods[0]}.`;
  const note = why && `<noscript><p class="hint">${why}</p></noscript>\n`;
  return `<form action="${escapeHtml(path.slice(1))}" method="post"${attributes}>
${fields}${note}<p class="actions"><button${isPost ? '' : ' disabled'}>Send</button></p>
</form>`;
}

/** Inputs up to which each has its description below it. A longer form would be a page of its own. */
const MAX_HINTS = 5;

function inputs({ params, query, additionalQuery, exampleQuery = '' }: Endpoint): string {
  const examples = parseQuery(exampleQuery);
  const fields = Object.entries(params).map(([name, parameter]) =>
    inputField(name, parameter, parameter.required ? exampleOf(parameter.schema) : ''),
  );
  const hasHints = Object.keys(query).length <= MAX_HINTS;
  for (const [name, parameter] of Object.entries(query)) {
    const example = examples.find(([other]) => other === name)?.[1];
    const value = example ?? (parameter.required ? exampleOf(parameter.schema) : '');
    fields.push(inputField(name, parameter, value, hasHints));
  }
  if (additionalQuery) {
    const given = exampleQuery
      .split('&')
      .filter((pair) => !Object.hasOwn(query, pair.split('=')[0] ?? ''));
    const { description } = additionalQuery;
    const value = given.length === 0 ? '' : ` value="${escapeHtml(given.join('&'))}"`;
    const input = `<input name="${MORE}" placeholder="name=value&#38;name=value"${value}>`;
    fields.push(labelled('more parameters', description, input));
  }
  return fields.length === 0 ? '' : `<div class="fields">\n${fields.join('\n')}\n</div>\n`;
}

function inputField(
  name: string,
  { schema, required, isRandom = false }: Parameter<unknown>,
  value: string,
  hasHint = true,
): string {
  const attributes = `name="${escapeHtml(name)}"${isRandom ? ' data-random' : ''}${required ? ' required' : ''}`;
  const hint = hasHint ? (schema.description ?? '') : '';
  return labelled(name, hint, inputControl(schema, attributes, value));
}

function labelled(label: string, hint: string, html: string): string {
  const small = hint === '' ? '' : `<small>${marked(hint)}</small>`;
  return `<label><b>${escapeHtml(label)}</b>${html}${small}</label>`;
}

function inputControl(schema: JsonSchema, attributes: string, value: string): string {
  if (schema.enum) return select(schema, attributes, value);
  if (isBoolean(schema)) return `<input ${attributes} type="checkbox" value="true">`;
  const given = value === '' ? '' : ` value="${escapeHtml(value)}"`;
  const fallback = defaultText(schema);
  const { minimum, maximum } = schema;
  const bounds = maximum === undefined ? `from ${minimum ?? 0}` : `${minimum ?? 0} to ${maximum}`;
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const least = minimum === undefined ? '' : ` min="${minimum}"`;
      const most = maximum === undefined ? '' : ` max="${maximum}"`;
      const step = schema.type === 'number' ? ' step="any"' : '';
      return `<input ${attributes} type="number"${least}${most}${step} placeholder="${fallback || bounds}"${given}>`;
    }
    // Each line is a value.
    case 'array':
      return `<textarea ${attributes} rows="1"${exampleShown(schema.items)}>${escapeHtml(value)}</textarea>`;
    default: {
      const placeholder = fallback === '' ? '' : ` placeholder="${escapeHtml(fallback)}"`;
      return `<input ${attributes}${placeholder || exampleShown(schema)}${given}>`;
    }
  }
}

/** The first example as placeholder, `e.g.` to tell it from a default; empty if there is none. */
function exampleShown({ examples = [] }: JsonSchema = {}): string {
  return examples.length === 0 ? '' : ` placeholder="e.g. ${escapeHtml(String(examples[0]))}"`;
}

function isBoolean({ type, anyOf = [] }: JsonSchema): boolean {
  return type === 'boolean' || anyOf.some((choice) => choice.type === 'boolean');
}

/** A select element. An optional parameter has a first choice that sends nothing. */
function select(schema: JsonSchema, attributes: string, value: string): string {
  const options = (schema.enum ?? []).map((word) => {
    const text = escapeHtml(String(word));
    return `<option${String(word) === value ? ' selected' : ''}>${text}</option>`;
  });
  if (!attributes.endsWith(' required')) {
    const fallback = escapeHtml(defaultText(schema));
    options.unshift(`<option value="">${fallback === '' ? '–' : `default: ${fallback}`}</option>`);
  }
  return `<select ${attributes}>${options.join('')}</select>`;
}
