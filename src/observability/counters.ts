/**
 * Counters. `publish` of `telemetry.ts` increments one, with the event as its labels. All label values are listed
 * here, because with values from callers, anonymous callers could fill the memory.
 */
export const counters = {
  webhookDelivery: {
    name: 'srr_webhook_deliveries_total',
    help: 'Attempts to deliver to webhook endpoints, by outcome. REFUSED is a 4xx; GONE is 410; UNANSWERED is no answer, or one that says nothing about the event (3xx, 408, 425, 429, 5xx).',
    labels: { outcome: ['ACCEPTED', 'REFUSED', 'UNANSWERED', 'GONE'] },
  },
  ownFailure: {
    name: 'srr_graphql_failures_total',
    help: 'GraphQL errors that are failures of the gateway itself (UNKNOWN_ERROR with an errorId). Their HTTP status is mostly 200.',
    labels: {},
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
    help: 'Metadata documents that an operation needed and could not show, once per operation, by status (MetadataStatus of the schema) and origin: record is a document that a record or its history names, caller one that the caller named by CID or id, which may never have been.',
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
