import { reply, serve, type TestServer } from './http-server.ts';

// A subgraph of many records that is fast to fill: it only supports lists by sort value and id at a block.
// Other tests check that the real dialect accepts the same queries.

interface Version {
  id: string;
  tokenId: string;
  createdAt: number;
  updatedAt: number;
  /** The first block of this version. */
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
  /** The number of lists that were requested. */
  lists = 0;
  /** The same versions in each order; sorting an almost sorted list again is fast. */
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

  /** Adds records in the next block. */
  mint(records: { id: string; tokenId: string; at: number }[]): void {
    this.head++;
    for (const { id, tokenId, at } of records) this.#add({ id, tokenId, createdAt: at, updatedAt: at });
  }

  /** Changes `updatedAt` of records in the next block. */
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

/** Compares times as numbers and everything else as text, like the subgraph. */
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
