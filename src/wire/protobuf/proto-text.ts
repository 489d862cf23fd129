import { childrenOf, simpleName } from './descriptor.ts';
import type { MethodDeclaration, ProtoFile, ServiceDeclaration } from './descriptor.ts';
import type { Field, MessageType } from './message.ts';
import type { EnumType } from './types.ts';

/** The text of a .proto file. */
export function protoText(file: ProtoFile): string {
  const imports = (file.imports ?? []).map(({ name }) => `import "${name}";`);
  const lines = [
    'syntax = "proto3";',
    '',
    `package ${file.package};`,
    ...(imports.length > 0 ? ['', ...imports] : []),
    ...(file.services ?? []).flatMap(serviceLines),
    ...typeLines(file.package, file),
  ];
  return `${lines.join('\n')}\n`;
}

function serviceLines({ name, methods }: ServiceDeclaration): readonly string[] {
  const lines = Object.entries(methods).map(([method, each]) => methodLine(method, each));
  return ['', ...block(`service ${simpleName(name)}`, lines)];
}

function methodLine(name: string, method: MethodDeclaration): string {
  const request = stream(method.request, method.streamsRequests);
  const response = stream(method.response, method.streamsResponses);
  return `rpc ${name}(${request}) returns (${response});`;
}

function stream({ name }: MethodDeclaration['request'], isStream = false): string {
  return `${isStream ? 'stream ' : ''}.${name}`;
}

/** Declarations with this enclosing name. */
function typeLines(parent: string, file: ProtoFile): readonly string[] {
  return [
    ...childrenOf(parent, file.enums).map(enumLines),
    ...childrenOf(parent, file.messages).map((each) => messageLines(each, file)),
  ].flatMap((lines) => [''].concat(lines));
}

function enumLines({ name, values }: EnumType): readonly string[] {
  const lines = Object.entries(values).map(([each, number]) => `${each} = ${number};`);
  return block(`enum ${simpleName(name)}`, lines);
}

function messageLines(type: MessageType<unknown>, file: ProtoFile): readonly string[] {
  const fields: string[] = [];
  const oneofs = new Set<string>();
  for (const [name, each] of Object.entries<Field<unknown>>(type.fields)) {
    if (each.oneof === undefined) fields.push(...fieldLines(name, each));
    else if (!oneofs.has(each.oneof)) {
      oneofs.add(each.oneof);
      const members = Object.entries<Field<unknown>>(type.fields).filter(
        ([, { oneof }]) => oneof === each.oneof,
      );
      const lines = members.flatMap(([member, field]) => fieldLines(member, field));
      fields.push(...block(`oneof ${each.oneof}`, lines));
    }
  }
  const content = [...fields, ...typeLines(type.name, file)];
  return [...commentLines(type.comment), ...block(`message ${simpleName(type.name)}`, content)];
}

function fieldLines(name: string, each: Field<unknown>): readonly string[] {
  const type = typeName(each.type);
  const { key, label, number, oneof } = each;
  const isLabelled = label !== 'implicit' && !oneof;
  const whole = key ? `map<${typeName(key)}, ${type}>` : isLabelled ? `${label} ${type}` : type;
  return [...commentLines(each.comment), `${whole} ${name} = ${number};`];
}

/** Full names have a dot before them: they mean the same wherever they are. */
function typeName({ name }: Field<unknown>['type']): string {
  return name.includes('.') ? `.${name}` : name;
}

function block(head: string, lines: readonly string[]): readonly string[] {
  const indented = lines.map((line) => (line === '' ? '' : `  ${line}`));
  // No empty line after the head.
  const content = indented[0] === '' ? indented.slice(1) : indented;
  return lines.length > 0 ? [`${head} {`, ...content, '}'] : [`${head} {}`];
}

function commentLines(comment: string | undefined): readonly string[] {
  return comment === undefined ? [] : comment.split('\n').map((line) => `// ${line}`);
}
