import type { ExplainedField } from '../explained-schema.ts';
import { jsonMember } from '../json-text.ts';

/** The member `explained` of the echo. A value is on one line, however deep its JSON form is. */
export function explainedText(fields: readonly ExplainedField[]): string {
  return `  "explained": ${arrayText(fields.map(fieldText), '  ')}`;
}

function fieldText(field: ExplainedField): string {
  const members = Object.entries(field).map(([name, value]) => {
    const text = name === 'value' ? JSON.stringify(value) : jsonMember(value);
    return `      "${name}": ${text.replaceAll('\n', '\n    ')}`;
  });
  return `    {\n${members.join(',\n')}\n    }`;
}

function arrayText(elements: readonly string[], indentation: string): string {
  return elements.length === 0 ? '[]' : `[\n${elements.join(',\n')}\n${indentation}]`;
}
