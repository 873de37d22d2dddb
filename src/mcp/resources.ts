import { readFileSync } from 'node:fs';
import { type GraphQLSchema, isEnumType, printType } from 'graphql';

/** A text that an agent can read. */
export interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  text(): string;
}

/** The schema and the guides. `sdl` is absent with introspection off. */
export function createResources(schema: GraphQLSchema, sdl: string | undefined): Resource[] {
  const markdown = { mimeType: 'text/markdown' };
  return [
    {
      uri: 'srr://guide',
      name: 'guide',
      title: 'How to issue and read records',
      description:
        'What a record is, the steps of an issuance with an example, and what to do when one fails.',
      ...markdown,
      text: () => readFileSync(new URL('guide.md', import.meta.url), 'utf8'),
    },
    {
      uri: 'srr://errors',
      name: 'errors',
      title: 'Error codes',
      description: 'Every error code with its meaning.',
      ...markdown,
      text: () => errorCodes(schema),
    },
    ...(sdl === undefined
      ? []
      : [
          {
            uri: 'srr://schema',
            name: 'schema',
            title: 'GraphQL schema',
            description: `All types and fields with their descriptions, ${Math.round(sdl.length / 1000)},000 characters. Read srr://schema/{type} for one type.`,
            mimeType: 'application/graphql',
            text: () => sdl,
          },
        ]),
  ];
}

const typeUri = 'srr://schema/';

export const typeTemplate = {
  uriTemplate: `${typeUri}{type}`,
  name: 'schema-type',
  title: 'One type of the GraphQL schema',
  description: 'A type by its name, such as IssueEntryInput, SRR or FileCategory.',
  mimeType: 'application/graphql',
};

/** The resource at an address; undefined when there is none. */
export function findResource(
  resources: readonly Resource[],
  schema: GraphQLSchema,
  uri: string,
): { mimeType: string; text: string } | undefined {
  const found = resources.find((one) => one.uri === uri);
  if (found) return { mimeType: found.mimeType, text: found.text() };
  const isShown = resources.some(({ name }) => name === 'schema');
  const type = isShown && uri.startsWith(typeUri) ? schema.getType(uri.slice(typeUri.length)) : undefined;
  return type && { mimeType: typeTemplate.mimeType, text: printType(type) };
}

function errorCodes(schema: GraphQLSchema): string {
  const type = schema.getType('ErrorCode');
  const values = isEnumType(type) ? type.getValues() : [];
  return values.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n');
}
