import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospectionQuery } from '@urql/introspection';
import {
  buildSchema,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  introspectionFromSchema,
  isAbstractType,
  isEnumType,
  isObjectType,
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from 'graphql';

// Generates the parts of the client that follow from the gateway's schema. `--check` compares instead of writing.

const schema = buildSchema(readFileSync(new URL('../../../schema/gateway.graphql', import.meta.url), 'utf8'));
const folder = new URL('../src/operations/', import.meta.url);
const head = '// Made from schema/gateway.graphql by `npm run codegen`.\n\n';

const files: Record<string, string> = {
  'operations.ts': operations(),
  'error-classes.ts': errorClasses(),
  'cache-shape.ts': cacheShape(),
  'introspection.ts': `export const introspection = ${JSON.stringify(introspection())} as const;\n`,
};
const stale = Object.keys(files).filter((name) => {
  const path = new URL(`../src/generated/${name}`, import.meta.url);
  const text = head + files[name];
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  return true;
});
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')} of packages/client\n  mend with: npm run codegen`);
  process.exitCode = 1;
}

/** Each operation with the fragments that it spreads, as short as it can be, with its types. */
function operations(): string {
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const { definitions } = parse(texts.join('\n'));
  const fragments = new Map(
    definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION).map((one) => [one.name.value, one]),
  );
  const made = definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const used = new Set<FragmentDefinitionNode>();
      const collect = (node: typeof operation | FragmentDefinitionNode): void =>
        void visit(node, {
          FragmentSpread({ name }) {
            const fragment = fragments.get(name.value) as FragmentDefinitionNode;
            if (used.has(fragment)) return;
            used.add(fragment);
            collect(fragment);
          },
        });
      collect(operation);
      const name = operation.name?.value ?? '';
      const kind = operation.operation[0]?.toUpperCase() + operation.operation.slice(1);
      const text = stripIgnoredCharacters([operation, ...used].map(print).join(' '));
      return { name: name[0]?.toLowerCase() + name.slice(1), type: `${name}${kind}`, text };
    });
  const types = made.flatMap(({ type }) => [type, `${type}Variables`]).toSorted();
  return `import type { TypedText } from '../document.ts';
import type {\n${types.map((type) => `  ${type},\n`).join('')}} from './types.ts';

${made
  .map(
    ({ name, type, text }) =>
      `export const ${name} =\n  '${text}' as TypedText<\n    ${type},\n    ${type}Variables\n  >;\n`,
  )
  .join('\n')}`;
}

function errorClasses(): string {
  const type = schema.getType('ErrorCode');
  if (!isEnumType(type)) throw new Error('the schema has no ErrorCode');
  const named = type.getValues().map(({ name, description }) => {
    const words = name.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
    return { code: name, description, name: `${words.replace(/Error$/, '')}Error` };
  });
  return `import { GatewayError } from '../gateway-error.ts';

${named.map(({ code, name, description }) => `/** ${description} */\nexport class ${name} extends GatewayError<'${code}'> {}\n`).join('')}
export const errorClasses = {
${named.map(({ code, name }) => `  ${code}: ${name},\n`).join('')}};
`;
}

function objectTypes({ getTypeMap }: Pick<GraphQLSchema, 'getTypeMap'>) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return Object.values(getTypeMap.call(schema))
    .filter(isObjectType)
    .filter((type) => !type.name.startsWith('__') && !roots.includes(type));
}

/** Which types have no id, which lists can be scrolled, and which types an abstract type can be. */
function cacheShape(): string {
  const objects = objectTypes(schema);
  const embedded = objects.filter((type) => !type.getFields().id).map(({ name }) => name);
  const possible = Object.values(schema.getTypeMap())
    .filter(isAbstractType)
    .filter(({ name }) => !name.startsWith('__'))
    .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]);
  const query = schema.getQueryType();
  const lists = [...(query ? [query] : []), ...objects].flatMap((type) => {
    const fields = Object.values(type.getFields()).filter((field) => `${field.type}`.match(/Connection!?$/));
    const paging = new Set(['first', 'after', 'last', 'before']);
    const keys = fields.map(({ name, args }) => [
      name,
      args.map((arg) => arg.name).filter((arg) => !paging.has(arg)),
    ]);
    return keys.length > 0 ? [[type.name, Object.fromEntries(keys)]] : [];
  });
  const json = (value: unknown) => JSON.stringify(value, null, 2).replace(/"(\w+)":/g, '$1:');
  return `/** Types without an id: caches store them within their parent. */
export const embedded = ${json(embedded)} as const;

/** The possible types of each interface and union. */
export const possibleTypes: Record<string, string[]> = ${json(Object.fromEntries(possible))};

/** The list fields of each type, with the arguments by which caches tell lists apart. */
export const lists: Record<string, Record<string, string[]>> = ${json(Object.fromEntries(lists))};
`;
}

function introspection() {
  return minifyIntrospectionQuery(introspectionFromSchema(schema));
}
