import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * Counters. `publish` adds one to a counter, and its event is the labels. All their values stand here: with values
 * from callers, anonymous callers could fill the memory.
 */
export const counters = {
  webhookDelivery: {
    name: 'srr_webhook_deliveries_total',
    help: 'Attempts to deliver to webhook endpoints, by outcome. REFUSED is a 4xx; GONE is 410; UNANSWERED is no answer, or one that says nothing about the event (3xx, 408, 425, 429, 5xx).',
    labels: { outcome: ['ACCEPTED', 'REFUSED', 'UNANSWERED', 'GONE'] },
  },
  cdnPurge: {
    name: 'srr_cdn_purges_total',
    help: 'Purges of the CDN, by outcome.',
    labels: { outcome: ['ok', 'failed'] },
  },
  budgetRefusal: {
    name: 'srr_budget_refusals_total',
    help: 'Requests (RATE_LIMIT) and operations (COST_LIMIT) that were refused because their caller had used up its budget of the minute, by budget.',
    labels: { budget: ['requests', 'cost'] },
  },
  uploadMismatch: {
    name: 'srr_upload_mismatches_total',
    help: 'Uploads through the gateway that were refused because their content was not the announced one, by what differed.',
    labels: { reason: ['hash', 'size'] },
  },
  missingDocument: {
    name: 'srr_missing_documents_total',
    help: 'Metadata documents that an operation looked for and could not show, once per operation, by status (MetadataStatus of the schema) and origin: record is a document that a record or its history names, caller one that the caller named by CID or id, which may never have been.',
    labels: {
      status: [
        'TIMEOUT',
        'NOT_FOUND',
        'INVALID_JSON',
        'TOO_LARGE',
        'BLOCKED',
        'HASH_MISMATCH',
        'UNAVAILABLE',
      ],
      origin: ['record', 'caller'],
    },
  },
} as const;

type LabelsOf<Labels extends Record<string, readonly string[]>> = {
  [Name in keyof Labels]: Labels[Name][number];
};
type Counted = { [Name in keyof typeof counters]: LabelsOf<(typeof counters)[Name]['labels']> };

/** Internal events for metrics, published by `node:diagnostics_channel`. */
export interface Diagnostics extends Counted {
  /** A call to an upstream ended. */
  upstream: { upstream: string; host: string; outcome: string; seconds: number };
  /**
   * A look-up in a cache. `answers` is the response cache, `shared-answers` the one that replicas share, and
   * `subgraph` the cache of the subgraph's answers.
   */
  cache: { cache: 'answers' | 'shared-answers' | 'subgraph' | 'ipfs-memory' | 'ipfs-disk'; hit: boolean };
  /** An event reached a subscriber `seconds` after the gateway received it. */
  eventDelivered: { seconds: number };
}

const channels: Partial<Record<keyof Diagnostics, Channel>> = {};

function channelOf(name: keyof Diagnostics): Channel {
  channels[name] ??= channel(`srr-gateway:${name}`);
  return channels[name];
}

/** Publishes an event to all subscribers. */
export function publish<Name extends keyof Diagnostics>(name: Name, what: Diagnostics[Name]): void {
  channelOf(name).publish(what);
}

/** Calls `listen` for each event until the returned function is called. */
export function subscribe<Name extends keyof Diagnostics>(
  name: Name,
  listen: (what: Diagnostics[Name]) => void,
): () => void {
  const listener = (what: unknown) => listen(what as Diagnostics[Name]);
  channelOf(name).subscribe(listener);
  return () => void channelOf(name).unsubscribe(listener);
}
