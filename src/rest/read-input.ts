import type { IncomingMessage } from 'node:http';
import { getNamedType, isListType, isNonNullType } from 'graphql';
import { HttpError } from '../lib/http-error.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { readBody } from '../lib/read-body.ts';
import type { Variable } from '../operations/variables.ts';
import type { Endpoint } from './endpoints.ts';
import { type Fault, pointer, problem } from './problems.ts';
import type { Values } from './result.ts';

/** Reads the variables of an operation from a request. @throws HttpError for a name that is not a variable. */
export async function readInput(
  endpoint: Endpoint,
  req: IncomingMessage,
  url: URL,
  maxBytes: number,
): Promise<Values> {
  const { method, variables, inPath } = endpoint;
  const inQuery = method === 'GET' ? variables.filter((one) => one !== inPath) : [];
  const query = readQuery(inQuery, url.searchParams);
  if (method === 'POST')
    return assertLocatable(endpoint, readMembers(variables, await readJson(req, maxBytes)));
  return inPath ? { ...query, [inPath.name]: readPath(endpoint, url.pathname) } : query;
}

/** The last part of the path. @throws HttpError 404 for a path of more or fewer parts. */
function readPath({ path }: Endpoint, pathname: string): string {
  const part = pathname.slice(path.indexOf('{'));
  try {
    if (part !== '' && !part.includes('/')) return decodeURIComponent(part);
  } catch {
    // Invalid percent-encoding.
  }
  throw new HttpError(404, `There is nothing at ${pathname.slice(0, 100)}; the path must be ${path}.`);
}

function readQuery(variables: readonly Variable[], query: URLSearchParams): Values {
  const faults: Fault[] = [];
  const values: Values = {};
  for (const name of new Set(query.keys())) {
    const texts = query.getAll(name);
    const variable = variables.find((one) => one.name === name);
    if (!variable) faults.push(unknownName({ parameter: name.slice(0, 100) }, name, variables));
    else if (isList(variable)) values[name] = texts.map((text) => parameterValue(variable, text));
    else if (texts.length === 1) values[name] = parameterValue(variable, texts[0] as string);
    else faults.push(fault({ parameter: name }, `Give ${name} once, not ${texts.length} times.`));
  }
  if (faults.length > 0) throw problem(faults);
  return values;
}

const isList = ({ type }: Variable) => isListType(isNonNullType(type) ? type.ofType : type);

/** Reads a number or Boolean. Other text stays text, and the operation refuses it if it needs something else. */
function parameterValue({ type }: Variable, text: string): unknown {
  const { name } = getNamedType(type);
  if (name === 'Int' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (name === 'Boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

async function readJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const accept = 'application/json';
  if (!/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? ''))
    throw new HttpError(415, 'Send the body with Content-Type: application/json.', { accept });
  const bytes = await readBody(req, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw problem([fault({ pointer: '#' }, 'The body is not JSON in UTF-8.')]);
  }
}

function readMembers(variables: readonly Variable[], body: unknown): Values {
  if (!isJsonObject(body)) throw problem([fault({ pointer: '#' }, 'The body must be a JSON object.')]);
  const unknown = Object.keys(body).filter((name) => variables.every((one) => one.name !== name));
  if (unknown.length > 0)
    throw problem(
      unknown.slice(0, 50).map((name) => unknownName({ pointer: pointer([name]) }, name, variables)),
    );
  return body;
}

/** @throws HttpError for a value that cannot end a path: Location would lead elsewhere. */
function assertLocatable({ location }: Endpoint, values: Values): Values {
  const { member = '' } = location ?? {};
  const value = values[member];
  // Only a string is checked: some objects cannot become one, and the operation refuses all of them.
  if (typeof value === 'string' && /^\.\.?$/.test(value))
    throw problem([fault({ pointer: pointer([member]) }, `${member} must not be one or two dots.`)]);
  return values;
}

type InputLocation = Pick<Fault, 'pointer' | 'parameter'>;

/** Unknown names are refused: if a misspelt filter were ignored, the list would have records that do not match. */
function unknownName(location: InputLocation, name: string, variables: readonly Variable[]): Fault {
  const known = variables.map((one) => one.name).join(', ') || 'no parameters';
  return fault(location, `There is no "${name.slice(0, 100)}"; this route takes ${known}.`);
}

const fault = (location: InputLocation, detail: string): Fault => ({
  code: 'INVALID_INPUT',
  detail,
  ...location,
});
