import { isJsonObject } from '../lib/json-object.ts';

/**
 * Characters of one result. A widespread host refuses results of more than 25,000 tokens, and hex digits take a
 * token for each two or three characters.
 */
export const maxResult = 40_000;
/** For the note, a cursor and their JSON. */
const roomForNote = 600;
/** For a cursor and the page around an item. */
const roomForCursor = 400;
/** Limits of texts and lists in a single object that is too long. */
const shortened = { text: 1_000, items: 20 };

interface Connection {
  /** One that could not be read is null, and an error says why. */
  edges: ({ cursor?: string; node: unknown } | null)[];
  pageInfo: { hasNextPage?: boolean; endCursor?: string | null };
}

/** An answer for agents, and a note about what was cut. */
export interface CutResult {
  value: unknown;
  note?: string;
}

/**
 * Shortens an answer for an agent. Pages become `{items, nextCursor}` and lose their last items if the answer is too
 * long; other long parts are shortened. The note says so, and how to get the rest.
 */
export function cutResult(answer: unknown, limit = maxResult): CutResult {
  const max = limit - roomForNote;
  const whole = plain(answer);
  const length = JSON.stringify(whole)?.length ?? 0;
  if (length <= max) return { value: whole };
  const kept = withShorterPage(answer, length - max) ?? withFirstItem(answer, max);
  if (kept) return { value: plain(kept.answer), note: kept.note };
  return {
    value: shortEnough(plain(withShortPages(answer)), max),
    note: `This answer has ${length} characters, more than the ${limit} that a result may have: ${cuts} The whole answer can be read from the gateway’s /graphql with the same token.`,
  };
}

const cuts = `texts are cut after ${shortened.text} characters and lists after ${shortened.items} items.`;

/** A value with its longest parts shortened, or the beginning of its text. */
function shortEnough(whole: unknown, max: number): unknown {
  const value = shorten(whole);
  const text = JSON.stringify(value);
  // Half, because quotes are escaped again.
  return text.length <= max ? value : { beginning: beginning(text, max / 2) };
}

/** Drops the last items of the longest page; undefined when that is not enough. */
function withShorterPage(answer: unknown, excess: number): { answer: unknown; note: string } | undefined {
  const pages = [...connectionsIn(answer)].map((page) => {
    const lengths = page.edges.map((edge) => JSON.stringify(plain(edge?.node ?? null)).length + 1);
    return { page, lengths, total: lengths.reduce((sum, one) => sum + one, 0) };
  });
  const longest = pages.sort((a, b) => b.total - a.total)[0];
  if (!longest) return undefined;
  const { page, lengths } = longest;
  let left = longest.total - excess;
  const count = lengths.findIndex((one) => {
    left -= one;
    return left < 0;
  });
  const short = firstOf(page, count);
  return (
    short && {
      answer: replace(answer, new Map([[page, short]])),
      note: `Only the first ${count} of ${page.edges.length} items are here, because a result may have ${maxResult} characters. For the rest call again with nextCursor as \`after\` (of get_record: \`transfersAfter\`), or ask for fewer by \`first\`.`,
    }
  );
}

/** Ends every page where `shorten` would cut it, so that its cursor leads to the rest. */
function withShortPages(answer: unknown): unknown {
  const { items } = shortened;
  const long = [...connectionsIn(answer)].filter(({ edges }) => edges.length > items);
  return replace(answer, new Map(long.map((page) => [page, firstOf(page, items) ?? page])));
}

/** The first items of a page, which can be continued after them; undefined without a cursor there. */
function firstOf({ edges }: Connection, count: number): Connection | undefined {
  const endCursor = edges[count - 1]?.cursor;
  return endCursor === undefined
    ? undefined
    : { edges: edges.slice(0, count), pageInfo: { hasNextPage: true, endCursor } };
}

/** Shortens the first item of a list if it alone is too long, so that the others can be read after it. */
function withFirstItem(answer: unknown, max: number): { answer: unknown; note: string } | undefined {
  const [first] = isConnection(answer) ? answer.edges : [];
  if (!isConnection(answer) || first?.cursor === undefined) return undefined;
  const { edges, pageInfo } = answer;
  const node = shortEnough(plain(first.node), max - roomForCursor);
  const hasNextPage = edges.length > 1 || pageInfo.hasNextPage === true;
  return {
    answer: { edges: [{ node }], pageInfo: { hasNextPage, endCursor: first.cursor } },
    note: `Only the first of ${edges.length} items is here, and it is too long: ${cuts} For the others call again with nextCursor as \`after\`.`,
  };
}

const isConnection = (value: unknown): value is Connection & Record<string, unknown> =>
  isJsonObject(value) && Array.isArray(value.edges) && isJsonObject(value.pageInfo);

/** An untrusted document, which may look like a page. */
const isForeign = (name: string): boolean => name === 'raw';

function* connectionsIn(value: unknown): Generator<Connection> {
  if (isConnection(value)) yield value;
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value)) if (!isForeign(name)) yield* connectionsIn(one);
}

const replace = (value: unknown, pages: ReadonlyMap<unknown, Connection>): unknown => {
  const page = pages.get(value);
  if (page || !isJsonObject(value)) return page ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replace(one, pages)]));
};

/** Removes the parts of pages that only programs need, and nulls. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  if (isConnection(value)) {
    const { hasNextPage, endCursor } = value.pageInfo;
    const items = value.edges.map((edge) => plain(edge?.node ?? null));
    return { items, ...(hasNextPage && endCursor && { nextCursor: endCursor }) };
  }
  const parts = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(parts.map(([name, one]) => [name, isForeign(name) ? one : plain(one)]));
}

/**
 * The first characters of a text, without half of a surrogate pair at the end, for which some hosts refuse the whole
 * answer.
 */
export const beginning = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

function shorten(value: unknown): unknown {
  const { text, items } = shortened;
  if (typeof value === 'string')
    return value.length > text ? `${beginning(value, text)}… (${value.length} characters in all)` : value;
  if (Array.isArray(value)) return value.slice(0, items).map(shorten);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
}
