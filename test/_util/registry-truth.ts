import { expect } from 'vitest';
import type { Data, GraphQLCaller } from './graphql-caller.ts';
import type { SeededRandom } from './seeded-random.ts';

// The expected rows of filtered lists, computed from all rows, which are read without a filter.

export interface Rec {
  id: string;
  tokenId: string;
  contractAddress: string;
  owner: string;
  artistAddress: string;
  issuer: { address: string } | null;
  artist: { englishName: string; originalName: string } | null;
  collection: { address: string } | null;
  createdAt: string;
  updatedAt: string;
  customHistories: { edges: { node: { id: string } }[] };
}
export interface User {
  id: string;
  address: string;
  englishName: string;
  originalName: string;
  userType: string;
  createdAt: string;
  updatedAt: string;
}
export interface Coll {
  id: string;
  address: string;
  name: string;
  ownerAddress: string;
  creatorAddress: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Truth {
  registry: string;
  records: Rec[];
  users: User[];
  collections: Coll[];
}

export const nodesOf = (connection: Data) => connection.edges.map(({ node }: Data) => node);

/** Reads all rows without a filter. */
export async function readTruth(caller: GraphQLCaller, registry: string): Promise<Truth> {
  const { srrs, licensedUsers, collections } = await caller.data(`{
    srrs(first: 999) { pageInfo { hasNextPage } edges { node {
      id tokenId contractAddress owner artistAddress createdAt updatedAt
      issuer { address } artist { englishName originalName } collection { address }
      customHistories(first: 9) { edges { node { id } } }
    } } }
    licensedUsers(first: 200) { edges { node {
      id address englishName originalName userType createdAt updatedAt
    } } }
    collections(first: 200) { edges { node {
      id address name ownerAddress creatorAddress createdAt updatedAt
    } } }
  }`);
  // All rows must fit on one page.
  expect(srrs.pageInfo.hasNextPage).toBe(false);
  const [records, users] = [nodesOf(srrs), nodesOf(licensedUsers)];
  return { registry, records, users, collections: nodesOf(collections) };
}

/** The subgraph ignores the case of the letters A to Z only. */
const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const has = (text: string | undefined, part: string) => folded(text ?? '').includes(folded(part));

type Test<Row> = (row: Row, wanted: never, truth: Truth) => boolean;

const recordTests: Record<string, Test<Rec>> = {
  owners: ({ owner }, wanted: string[]) => wanted.includes(owner),
  artists: ({ artistAddress }, wanted: string[]) => wanted.includes(artistAddress),
  issuers: ({ issuer }, wanted: string[]) => wanted.includes(issuer?.address ?? ''),
  collections: ({ collection }, wanted: string[], { registry }) =>
    wanted.includes(collection?.address ?? registry),
  artistNameContains: ({ artist }, part: string) =>
    artist !== null && (has(artist.englishName, part) || has(artist.originalName, part)),
  updatedAfter: ({ updatedAt }, time: string) => updatedAt > time,
  updatedBefore: ({ updatedAt }, time: string) => updatedAt < time,
  createdAfter: ({ createdAt }, time: string) => createdAt > time,
  inRegistry: ({ collection }, wanted: boolean) => (collection === null) === wanted,
  or: (row, branches: object[], truth) => branches.some((one) => holds(recordTests, row, one, truth)),
};
const userTests: Record<string, Test<User>> = {
  addresses: ({ address }, wanted: string[]) => wanted.includes(address),
  userType: ({ userType }, wanted: string) => userType === wanted,
  nameContains: ({ englishName, originalName }, part: string) =>
    has(englishName, part) || has(originalName, part),
};
const collectionTests: Record<string, Test<Coll>> = {
  owner: ({ ownerAddress }, wanted: string) => ownerAddress === wanted,
  creator: ({ creatorAddress }, wanted: string) => creatorAddress === wanted,
  addresses: ({ address }, wanted: string[]) => wanted.includes(address),
  nameContains: ({ name }, part: string) => has(name, part),
};

function holds<Row>(tests: Record<string, Test<Row>>, row: Row, where: object, truth: Truth): boolean {
  return Object.entries(where).every(([name, wanted]) => tests[name]?.(row, wanted as never, truth));
}

/** A list, its actual rows, and how to sort and filter them. */
interface Listed {
  rows: (truth: Truth) => { id: string; createdAt: string; updatedAt: string }[];
  tests: Record<string, Test<never>>;
  /** The text by which `NAME` or `TOKEN_ID` sorts. */
  textOf: (row: never) => string;
  orders: string[];
  /** A random value for each condition. */
  random: (truth: Truth, random: SeededRandom) => Record<string, () => unknown>;
}

const several = <T>(random: SeededRandom, all: readonly T[]) =>
  Array.from({ length: random.integer(0, 3) }, () => random.pick(all));

/** A part of a name, perhaps in lower case, or an unusual text. */
function partOf(random: SeededRandom, names: readonly string[]): string {
  if (random.chance(0.15)) return random.pick(['', '%', '_', 'zzzz', '\\', '"']);
  const letters = [...random.pick(names)];
  const from = random.integer(0, letters.length - 1);
  const part = letters.slice(from, from + random.integer(1, 4)).join('');
  return random.chance(0.5) ? part : folded(part);
}

const times = (rows: readonly { createdAt: string; updatedAt: string }[]) =>
  rows.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]);

export const lists: Record<'srrs' | 'licensedUsers' | 'collections', Listed> = {
  srrs: {
    rows: ({ records }) => records,
    tests: recordTests,
    textOf: ({ tokenId }: Rec) => tokenId,
    orders: ['CREATED_AT', 'UPDATED_AT', 'TOKEN_ID'],
    random: ({ registry, records, users, collections }, random) => {
      const conditions: Record<string, () => unknown> = {
        owners: () =>
          several(
            random,
            records.map(({ owner }) => owner),
          ),
        artists: () =>
          several(
            random,
            records.map(({ artistAddress }) => artistAddress),
          ),
        issuers: () =>
          several(
            random,
            users.map(({ address }) => address),
          ),
        collections: () => several(random, [registry, ...collections.map(({ address }) => address)]),
        artistNameContains: () =>
          partOf(
            random,
            users.flatMap(({ englishName, originalName }) => [englishName, originalName]),
          ),
        updatedAfter: () => random.pick(times(records)),
        updatedBefore: () => random.pick(times(records)),
        createdAfter: () => random.pick(times(records)),
        inRegistry: () => random.chance(0.5),
      };
      const flat = () => someOf(random, conditions);
      return {
        ...conditions,
        or: () =>
          Array.from({ length: random.integer(1, 3) }, flat).filter((one) => Object.keys(one).length > 0),
      };
    },
  },
  licensedUsers: {
    rows: ({ users }) => users,
    tests: userTests,
    textOf: ({ englishName }: User) => englishName,
    orders: ['CREATED_AT', 'UPDATED_AT', 'NAME'],
    random: ({ users }, random) => ({
      addresses: () =>
        several(
          random,
          users.map(({ address }) => address),
        ),
      userType: () => random.pick(['handler', 'artist', 'nobody']),
      nameContains: () =>
        partOf(
          random,
          users.flatMap(({ englishName, originalName }) => [englishName, originalName]),
        ),
    }),
  },
  collections: {
    rows: ({ collections }) => collections,
    tests: collectionTests,
    textOf: ({ name }: Coll) => name,
    orders: ['CREATED_AT', 'UPDATED_AT', 'NAME'],
    random: ({ collections }, random) => ({
      owner: () => random.pick(collections).ownerAddress,
      creator: () => random.pick(collections).creatorAddress,
      addresses: () =>
        several(
          random,
          collections.map(({ address }) => address),
        ),
      nameContains: () =>
        partOf(
          random,
          collections.map(({ name }) => name),
        ),
    }),
  },
};

export function someOf(
  random: SeededRandom,
  conditions: Record<string, () => unknown>,
): Record<string, unknown> {
  const names = Object.keys(conditions).filter(() => random.chance(0.25));
  return Object.fromEntries(names.map((name) => [name, conditions[name]?.()]));
}

const inputs = {
  srrs: ['SRRFilter', 'SRROrder'],
  licensedUsers: ['LicensedUserFilter', 'LicensedUserOrder'],
  collections: ['CollectionFilter', 'CollectionOrder'],
};

/** Pages through a list in random steps, forwards or backwards, and expects exactly the actual rows. */
export async function expectTrue(
  caller: GraphQLCaller,
  truth: Truth,
  name: keyof typeof lists,
  random: SeededRandom,
  where: Record<string, unknown>,
): Promise<number> {
  const list = lists[name];
  const field = random.pick(list.orders);
  const orderBy = `${field}_${random.pick(['ASC', 'DESC'])}`;
  const back = random.chance(0.3);
  const size = random.integer(3, 60);
  const [filter, order] = inputs[name];
  const text = `query ($where: ${filter}, $orderBy: ${order}, $size: Int, $cursor: String) {
    ${name}(where: $where, orderBy: $orderBy, ${back ? 'last: $size, before: $cursor' : 'first: $size, after: $cursor'}) {
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id } }
    }
  }`;
  const ids: string[] = [];
  for (let cursor: string | null = null, more = true; more; ) {
    const page: Data = (await caller.data(text, { where, orderBy, size, cursor }))[name];
    const found = nodesOf(page).map(({ id }: Data) => id);
    if (back) ids.unshift(...found);
    else ids.push(...found);
    cursor = back ? page.pageInfo.startCursor : page.pageInfo.endCursor;
    more = back ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
  }
  const rows = list.rows(truth);
  const expected = rows.filter((row) => holds(list.tests, row as never, where, truth));
  const listQuery = JSON.stringify({ name, where, orderBy, back, size });
  expect(ids.toSorted(), listQuery).toEqual(expected.map(({ id }) => id).toSorted());
  const sortValue = (id: string) => {
    const row = rows.find((one) => one.id === id) as (typeof rows)[number];
    if (field === 'CREATED_AT') return row.createdAt;
    return field === 'UPDATED_AT' ? row.updatedAt : list.textOf(row as never);
  };
  const values = ids.map(sortValue);
  const sorted = values.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(values, listQuery).toEqual(orderBy.endsWith('DESC') ? sorted.reverse() : sorted);
  return ids.length;
}
