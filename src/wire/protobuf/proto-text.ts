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

function serviceLines({ name, methods, comment }: ServiceDeclaration): readonly string[] {
  const lines = Object.entries(methods).flatMap(([method, each]) => methodLines(method, each));
  return ['', ...block(comment, `service ${simpleName(name)}`, lines)];
}

function methodLines(name: string, method: MethodDeclaration): readonly string[] {
  const request = stream(method.request, method.streamsRequests);
  const response = stream(method.response, method.streamsResponses);
  return [...commentLines(method.comment), `rpc ${name}(${request}) returns (${response});`];
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
  return block(undefined, `enum ${simpleName(name)}`, lines);
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
      fields.push(...block(undefined, `oneof ${each.oneof}`, lines));
    }
  }
  const nested = typeLines(type.name, file);
  return block(type.comment, `message ${simpleName(type.name)}`, [...fields, ...nested]);
}

function fieldLines(name: string, each: Field<unknown>): readonly string[] {
  const type = typeName(each.type);
  const { key, label, number, oneof } = each;
  const labels = {
    implicit: '',
    optional: oneof ? '' : 'optional ',
    repeated: 'repeated ',
    map: '',
  };
  const whole = key ? `map<${typeName(key)}, ${type}>` : `${labels[label]}${type}`;
  return [...commentLines(each.comment), `${whole} ${name} = ${number};`];
}

/** Full names have a dot before them: they mean the same wherever they are. */
function typeName({ name }: Field<unknown>['type']): string {
  return name.includes('.') ? `.${name}` : name;
}

function block(
  comment: string | undefined,
  head: string,
  lines: readonly string[],
): readonly string[] {
  const indented = lines.map((line) => (line === '' ? '' : `  ${line}`));
  // No empty line after the head.
  const content = indented[0] === '' ? indented.slice(1) : indented;
  const whole = lines.length > 0 ? [`${head} {`, ...content, '}'] : [`${head} {}`];
  return [...commentLines(comment), ...whole];
}

function commentLines(comment: string | undefined): readonly string[] {
  return comment === undefined ? [] : comment.split('\n').map((line) => `// ${line}`);
}
