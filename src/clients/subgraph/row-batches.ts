import { setImmediate } from 'node:timers/promises';
import { createSingleFlight } from '../../lib/single-flight.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { Answer, At } from './records.ts';

/** Rows of one list with the same columns. */
export interface RowKind {
  /** Names it in cache keys. */
  number: number;
  /** How many of them one request may read. */
  limit: number;
}

/** Rows by their ids, and the length of the answer. Unknown ids are absent. */
type Rows = Answer<{ rows: Map<string, object>; bytes: number }>;

/** Reads rows in one request. */
export type ReadRows = (ids: string[], at: At) => Promise<Rows>;

/** A row, or undefined when the subgraph has none. */
type OneRow = Answer<{ data: { row: object | undefined }; bytes: number }>;

interface Batch {
  name: string;
  kind: RowKind;
  ids: Set<string>;
}

/**
 * Reads single rows for all callers together: what is asked for in the same turn of the event loop, of one kind
 * and at the same state of the subgraph, is one request. So a gateway with many callers asks less often the
 * busier it is. Each row is cached by itself. Callers share the rows and must not change them.
 */
export class RowBatches {
  readonly #cache: AnswerCache;
  readonly #running = createSingleFlight<Map<string, OneRow>>();
  /** The batch that still takes rows, by state and kind. */
  readonly #open = new Map<string, Batch>();
  /** The batch that reads a row now, by state, kind and id. */
  readonly #reading = new Map<string, Batch>();
  #count = 0;

  constructor(cache: AnswerCache) {
    this.#cache = cache;
  }

  async read(kind: RowKind, id: string, at: At, readRows: ReadRows): Promise<OneRow> {
    const known = this.#cache.find(keyOf(kind, id), at);
    // Equal keys mean equal questions, so the data has this shape.
    if (known) return known as OneRow;
    const place = `${this.#cache.stateOf(at)} ${kind.number}`;
    const batch = this.#reading.get(`${place} ${id}`) ?? this.#enter(place, kind, id);
    const send = (signal: AbortSignal) => this.#send(place, batch, { ...at, signal }, readRows);
    const rows = await this.#running.join(batch.name, send, at.signal);
    return rows.get(id) as OneRow;
  }

  #enter(place: string, kind: RowKind, id: string): Batch {
    let batch = this.#open.get(place);
    if (!batch || batch.ids.size >= kind.limit) {
      batch = { name: String(this.#count++), kind, ids: new Set() };
      this.#open.set(place, batch);
    }
    batch.ids.add(id);
    this.#reading.set(`${place} ${id}`, batch);
    return batch;
  }

  async #send(place: string, batch: Batch, at: At, readRows: ReadRows): Promise<Map<string, OneRow>> {
    // By then Node has read the requests that arrived on other connections.
    await setImmediate();
    if (this.#open.get(place) === batch) this.#open.delete(place);
    const ids = [...batch.ids];
    try {
      const answer = await this.#cache.load(at, (at) => readRows(ids, at));
      return new Map(ids.map((id) => [id, this.#keep(batch, id, answer)]));
    } finally {
      for (const id of ids) this.#reading.delete(`${place} ${id}`);
    }
  }

  #keep({ kind, ids }: Batch, id: string, { rows, bytes, ...seen }: Rows): OneRow {
    const row = { ...seen, data: { row: rows.get(id) }, bytes: Math.ceil(bytes / ids.size) };
    this.#cache.keep(keyOf(kind, id), row);
    return row;
  }
}

/** Unlike the keys of lists, which begin with a number. */
const keyOf = ({ number }: RowKind, id: string) => `row ${number} ${id}`;
