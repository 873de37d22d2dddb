/** Common type of typed documents: `TypedDocumentNode`, `TypedDocumentString`, and the client's own. */
export interface TypedDocument<Data, Variables> {
  __apiType?: (variables: Variables) => Data;
}

/** A document as text, with its types. */
export type TypedText<Data, Variables> = string & TypedDocument<Data, Variables>;

interface AstNode {
  readonly kind: string;
  // The other fields depend on the kind of node.
  readonly [field: string]: unknown;
}

/** The text of a document, which may be text, an object with a text, or a syntax tree. */
export function textOf(document: unknown): string {
  if (typeof document === 'string' || document instanceof String) return document.toString();
  const { kind, loc } = (document ?? {}) as AstNode & { loc?: { source?: { body?: string } } };
  if (kind !== 'Document') throw new TypeError('A document must be text or a DocumentNode.');
  const printed = print(document as AstNode);
  const source = loc?.source?.body;
  // A tree keeps its old source when a tool changes it, or adds imported fragments.
  return source !== undefined && bare(source) === bare(printed) ? source : printed;
}

/** A document without insignificant characters, for comparison. Characters within strings are kept. */
function bare(text: string): string {
  if (text.includes('"')) return text;
  const spaced = text.replace(/(#.*|[\s,])+/g, ' ');
  return spaced.replace(/ ?([^\w ]) ?/g, '$1').replace(/^query(?={)/, '');
}

const all = (nodes: unknown, between = ' ') => ((nodes ?? []) as AstNode[]).map(print).join(between);
const wrapped = (open: string, nodes: unknown, close: string) =>
  (nodes as [] | undefined)?.length ? `${open}${all(nodes)}${close}` : '';
const after = (word: string, node: unknown) => (node ? `${word}${print(node as AstNode)}` : '');

/**
 * Prints the syntax tree of an operation, for tools that strip its source. Own code, because the package does
 * not depend on graphql-js.
 */
function print(node: AstNode): string {
  const { kind, value } = node;
  const name = after('', kind === 'Name' ? undefined : node.name);
  const directives = () => ((node.directives as [] | undefined)?.length ? ` ${all(node.directives)}` : '');
  const selection = () => after(' ', node.selectionSet);
  switch (kind) {
    case 'Document':
      return all(node.definitions, '\n');
    case 'OperationDefinition':
      return `${node.operation} ${name}${wrapped('(', node.variableDefinitions, ')')}${directives()}${selection()}`;
    case 'VariableDefinition':
      return `${after('', node.variable)}:${after('', node.type)}${after('=', node.defaultValue)}${directives()}`;
    case 'SelectionSet':
      return `{${all(node.selections)}}`;
    case 'Field':
      return `${node.alias ? `${after('', node.alias)}:` : ''}${name}${wrapped('(', node.arguments, ')')}${directives()}${selection()}`;
    case 'Argument':
    case 'ObjectField':
      return `${name}:${after('', value)}`;
    case 'FragmentSpread':
      return `...${name}${directives()}`;
    case 'InlineFragment':
      return `...${after(' on ', node.typeCondition)}${directives()}${selection()}`;
    case 'FragmentDefinition':
      return `fragment ${name}${after(' on ', node.typeCondition)}${directives()}${selection()}`;
    case 'Directive':
      return `@${name}${wrapped('(', node.arguments, ')')}`;
    case 'Variable':
      return `$${name}`;
    case 'NamedType':
      return name;
    case 'ListType':
      return `[${after('', node.type)}]`;
    case 'NonNullType':
      return `${after('', node.type)}!`;
    case 'StringValue':
      return JSON.stringify(value);
    case 'NullValue':
      return 'null';
    case 'ListValue':
      return `[${all(node.values)}]`;
    case 'ObjectValue':
      return `{${all(node.fields)}}`;
    default:
      return String(value);
  }
}
