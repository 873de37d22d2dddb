import { isJsonObject } from '../lib/json-object.ts';

/**
 * Characters of one result. A widespread host refuses results of more than 25,000 tokens, and hex digits take a
 * token for each two or three characters.
 */
export const maxResult = 40_000;
/** Characters for the note, a cursor, and the JSON around them. */
const roomForNote = 600;
/** Characters for a cursor, and for the page around an item. */
const roomForCursor = 400;
/** If a single item is too long, its texts are cut to this many characters, and its lists to this many items. */
const partLimits = { text: 1_000, items: 20 };

interface Connection {
  /** An edge that could not be read is null, and an error says why. */
  edges: ({ cursor?: string; node: unknown } | null)[];
  pageInfo: { hasNextPage?: boolean; endCursor?: string | null };
}

/** An answer as agents get it, and a note on what was cut. */
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
  const shorter = withShorterPage(answer, length - max) ?? withFirstItem(answer, max);
  if (shorter) return { value: plain(shorter.answer), note: shorter.note };
  return {
    value: shortEnough(plain(withShortPages(answer)), max),
    note: `This answer has ${length} characters, more than the ${limit} that a result may have: ${cuts} The whole answer can be read from the gateway’s /graphql with the same token.`,
  };
}

const cuts = `texts are cut after ${partLimits.text} characters and lists after ${partLimits.items} items.`;

/** The value with its long parts shortened; if that is not enough, the beginning of its JSON. */
function shortEnough(whole: unknown, max: number): unknown {
  const value = shorten(whole);
  const text = JSON.stringify(value);
  // The quotes of the JSON are escaped once more.
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

/** Ends every page where `shorten` would cut its list, so that the cursor leads to the rest. */
function withShortPages(answer: unknown): unknown {
  const { items } = partLimits;
  const long = [...connectionsIn(answer)].filter(({ edges }) => edges.length > items);
  return replace(answer, new Map(long.map((page) => [page, firstOf(page, items) ?? page])));
}

/** The first items of a page, with the cursor of the last one; undefined when that item has no cursor. */
function firstOf({ edges }: Connection, count: number): Connection | undefined {
  const endCursor = edges[count - 1]?.cursor;
  return endCursor === undefined
    ? undefined
    : { edges: edges.slice(0, count), pageInfo: { hasNextPage: true, endCursor } };
}

/** For a list whose first item is too long by itself: only this item, shortened. The next page begins after it. */
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

/** Whether a field has a document that somebody else wrote, which may look like anything. */
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

/** Reduces pages to their items and next cursor, and drops nulls. */
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

/** The first characters of a text. Some hosts refuse half of a surrogate pair, so none is left at the end. */
export const beginning = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');

function shorten(value: unknown): unknown {
  const { text, items } = partLimits;
  if (typeof value === 'string')
    return value.length > text ? `${beginning(value, text)}… (${value.length} characters in all)` : value;
  if (Array.isArray(value)) return value.slice(0, items).map(shorten);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
}
