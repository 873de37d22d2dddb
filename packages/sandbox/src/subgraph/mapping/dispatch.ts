import { type Abi, type Address, decodeEventLog, type Log } from 'viem';
import {
  collectionAbi,
  collectionFactoryAbi,
  customHistoriesAbi,
  licensedUserManagerAbi,
  registryAbi,
} from '../../chain/artifacts/abis.ts';
import type { Deployment } from '../../chain/deployment.ts';
import type { EntityKey } from '../store/batch.ts';
import { collectionFactoryHandlers, collectionHandlers } from './collections.ts';
import { type EventContext, lower } from './context.ts';
import { customHistoryHandlers } from './custom-histories.ts';
import { provenanceId, srrId } from './ids.ts';
import { licensedUserHandlers } from './licensed-users.ts';
import { recordHandlers } from './records.ts';

/** `never`: each handler declares the arguments of its event, and the ABI decodes exactly these. */
type Handler = (event: EventContext, args: never) => Promise<void>;

interface Source {
  abi: Abi;
  handlers: Record<string, Handler>;
}

/** A log with its decoded arguments and its handler. */
export interface DecodedLog {
  log: Log<bigint, number, false>;
  handler: Handler;
  eventName: string;
  args: Record<string, unknown>;
}

const collectionSource: Source = {
  abi: collectionAbi,
  handlers: { ...recordHandlers, ...collectionHandlers },
};

/** Finds the handler for each log by contract and event. Adds collections as they are created. */
export class Dispatch {
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #collections = new Set<string>();

  constructor(deployment: Deployment) {
    this.#sources = new Map<string, Source>([
      [
        lower(deployment.licensedUserManager),
        { abi: licensedUserManagerAbi, handlers: licensedUserHandlers },
      ],
      [lower(deployment.registry), { abi: registryAbi, handlers: recordHandlers }],
      [
        lower(deployment.collectionFactory),
        { abi: collectionFactoryAbi, handlers: collectionFactoryHandlers },
      ],
      [lower(deployment.customHistories), { abi: customHistoriesAbi, handlers: customHistoryHandlers }],
    ]);
  }

  /** Replaces the known collections; called after a start and after a rewind. */
  setCollections(addresses: Iterable<string>): void {
    this.#collections.clear();
    for (const address of addresses) this.#collections.add(address);
  }

  /** Decodes a log; `undefined` when it is not of our contracts or has no handler. */
  decode(log: Log<bigint, number, false>): DecodedLog | undefined {
    const address = lower(log.address);
    const source =
      this.#sources.get(address) ?? (this.#collections.has(address) ? collectionSource : undefined);
    if (!source) return undefined;
    try {
      const { eventName, args } = decodeEventLog({ abi: source.abi, data: log.data, topics: log.topics });
      const handler = eventName && source.handlers[eventName];
      if (!handler) return undefined;
      const named = withoutNul(args as unknown as Record<string, unknown>);
      if (eventName === 'CollectionCreated') this.#collections.add(lower(named.collection as Address));
      return { log, handler, eventName, args: named };
    } catch {
      // The ABI lacks this event, or its topics do not fit: no handler reads such a log.
      return undefined;
    }
  }
}

/** The arguments with NUL taken out of their texts, as graph-node does: PostgreSQL cannot store it. */
function withoutNul(args: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(args);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\0', '') : value]),
  );
}

/** The entities that a log's handler will read, so that a batch can fetch those of all logs together. */
export function expectedReads({ log, args }: DecodedLog, timestampMs: string): EntityKey[] {
  const keys: EntityKey[] = [];
  const users = [args.issuer, args.artist].filter((value) => typeof value === 'string');
  for (const user of users) keys.push({ entity: 'LicensedUserWallet', id: user.toLowerCase() });
  if (typeof args.tokenId === 'bigint' && args.token === undefined) {
    const id = srrId(lower(log.address), args.tokenId);
    keys.push({ entity: 'SRR', id }, { entity: 'SRRProvenance', id: provenanceId(id, timestampMs) });
  }
  return keys;
}
