import { reply, serve, type TestServer } from './http-server.ts';

// A subgraph of many records that is quick to fill: it knows lists by sort value and id at a block, and
// nothing else of the dialect. Whether the true dialect takes the same questions is for other tests.

interface Version {
  id: string;
  tokenId: string;
  createdAt: number;
  updatedAt: number;
  /** Holds from this block on, up to the other. */
  from: number;
  to: number;
}

const fields = ['createdAt', 'updatedAt', 'tokenId'] as const;
type Field = (typeof fields)[number];
type Where = Record<string, unknown>;

interface Query {
  query: string;
  variables: {
    block?: { hash: string };
    where0?: Where;
    first0: number;
    orderBy0: Field;
    orderDirection0: 'asc' | 'desc';
  };
}

const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

export class GrowingSubgraph {
  head = 1;
  /** Lists that it was asked for. */
  lists = 0;
  /** The same versions in each order: to sort again what is nearly sorted takes next to no time. */
  readonly #sorted: Record<Field, Version[]> = { createdAt: [], updatedAt: [], tokenId: [] };
  readonly #newest = new Map<string, Version>();

  serve(): Promise<TestServer> {
    return serve((request, response) => {
      const { query, variables } = request.json<Query>();
      const at = variables.block ? Number.parseInt(variables.block.hash, 16) : this.head;
      const _meta = { block: { number: at, hash: hashOf(at), timestamp: null }, hasIndexingErrors: false };
      if (query.startsWith('query Srrs(')) this.lists++;
      const list0 = query.startsWith('query Srrs(') ? this.#list(at, variables) : [];
      reply(response, 200, { data: { _meta, list0 } });
    });
  }

  /** Records that are there from the next block on. */
  mint(records: { id: string; tokenId: string; at: number }[]): void {
    this.head++;
    for (const { id, tokenId, at } of records) this.#add({ id, tokenId, createdAt: at, updatedAt: at });
  }

  /** Gives records another `updatedAt` from the next block on. */
  touch(ids: string[], at: number): void {
    this.head++;
    for (const id of ids) {
      const now = this.#newest.get(id);
      if (!now) throw new Error(`there is no record ${id}`);
      now.to = this.head;
      this.#add({ ...now, updatedAt: at });
    }
  }

  #add(record: Omit<Version, 'from' | 'to'>): void {
    const version = { ...record, from: this.head, to: Number.POSITIVE_INFINITY };
    this.#newest.set(version.id, version);
    for (const field of fields) this.#sorted[field].push(version);
  }

  #list(at: number, { where0, first0, orderBy0, orderDirection0 }: Query['variables']) {
    const sorted = this.#sorted[orderBy0].sort(
      (a, b) => compare(a[orderBy0], b[orderBy0]) || compare(a.id, b.id),
    );
    const holds = condition(where0 ?? {});
    const rows: object[] = [];
    for (let i = 0; i < sorted.length && rows.length < first0; i++) {
      const version = sorted[orderDirection0 === 'asc' ? i : sorted.length - 1 - i] as Version;
      if (version.from <= at && version.to > at && holds(version)) rows.push(row(version));
    }
    return rows;
  }
}

/** Times are numbers, and all else is text, as in the subgraph. */
const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

function condition(where: Where): (version: Version) => boolean {
  const parts = Object.entries(where).map(([key, wanted]) => {
    if (key === 'or' || key === 'and') {
      const inner = (wanted as Where[]).map(condition);
      return (version: Version) =>
        key === 'or' ? inner.some((part) => part(version)) : inner.every((part) => part(version));
    }
    const [name, operator = 'is'] = key.split('_') as [Field | 'id', string | undefined];
    const value = name === 'createdAt' || name === 'updatedAt' ? Number(wanted) : String(wanted);
    const sign = { is: 0, gt: 1, lt: -1 }[operator];
    if (sign === undefined) throw new Error(`the filter ${key} is not known here`);
    return (version: Version) => compare(version[name], value) === sign;
  });
  return (version) => parts.every((part) => part(version));
}

const row = ({ id, tokenId, createdAt, updatedAt }: Version) => ({
  id,
  tokenId,
  createdAt: String(createdAt),
  updatedAt: String(updatedAt),
});
