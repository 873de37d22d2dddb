import { parse, print } from 'graphql';
import { shownFields } from '../src/graphql/schema/event-fields.ts';
import { eventTypeInfo, eventTypes } from '../src/model/event-type.ts';

const ofEvery = '__typename id cursor type source receivedAt';

/** Names that readers of the client package know. */
const known: Record<string, string> = { srr: 'record', address: 'expectedAddress' };

/** What is asked of each type. A field that may be null only in some types gets another name in these. */
function askedOf(selections: Record<string, string>) {
  const fields = eventTypes.map((type) => shownFields(eventTypeInfo[type].name, selections));
  const neverNull = new Set(fields.flat().flatMap(({ name, type }) => (type.endsWith('!') ? [name] : [])));
  const aliases = new Map<string, string>();
  const asked = eventTypes.map((type, i) => {
    const texts = (fields[i] ?? []).map((field) => {
      if (field.type.endsWith('!') || !neverNull.has(field.name)) return `${field.name} ${field.selection}`;
      const alias = known[field.name] ?? `${field.name}OrNull`;
      aliases.set(alias, field.name);
      return `${alias}: ${field.name} ${field.selection}`;
    });
    return `... on ${eventTypeInfo[type].name} { ${texts.join(' ').trim()} }`.replaceAll(/ +/g, ' ');
  });
  return { asked, aliases };
}

const head = 'Made from the schema by `npm run codegen`.';

/** The subscription of the client package. */
export function clientDocument(): string {
  const { asked } = askedOf({ SRR: '{ id tokenId }', UserError: '{ ...Fault }' });
  const text = `subscription Events($after: String, $from: EventStart, $where: EventFilter) {
    events(after: $after, from: $from, where: $where) { ${ofEvery} ${asked.join(' ')} }
  }`;
  return `# ${head}\n\n${print(parse(text))}\n`;
}

/** What `srr` knows of events. */
export function cliEvents(): string {
  const { asked, aliases } = askedOf({
    SRR: '{ id tokenId contractAddress metadataCID }',
    UserError: '{ code message path externalId upstreamMessage }',
  });
  const lines = (texts: string[]) => texts.map((text) => `  ${text}\n`).join('');
  return `// ${head}

/** All types of events. */
export const eventTypes = [\n${lines(eventTypes.map((type) => `'${type}',`))}] as const;

/** What is asked of an event. */
export const eventFields = \`
${lines([ofEvery, ...asked])}\`;

/** Fields that are asked for by another name, because they may be null only in some types. */
export const fieldsOfAliases: Readonly<Record<string, string>> = {
${lines([...aliases].map(([alias, name]) => `${alias}: '${name}',`))}};
`;
}
