import type { IssuanceRow } from '../../issuance/flow.ts';
import type { Fault } from '../../model/errors.ts';
import { builder } from '../builder.ts';
import { issuerOf } from '../context.ts';
import { issueEntries } from '../issue-entries.ts';
import { idOf } from '../relay-options.ts';
import { orUserErrors } from '../user-errors.ts';
import { Issuance } from './issuance.ts';
import { IssueEntryInput } from './issue-input.ts';
import { UserError } from './user-error.ts';

const Batching = builder.enumType('Batching', {
  description: 'How entries are grouped into requests to the service; each request is atomic.',
  values: {
    ALL_OR_NOTHING: { description: 'One request: all records are issued, or none.' },
    BATCHES_OF_250: { description: 'Requests of 250 records, each of them all or nothing.' },
  } as const,
});

const IssueSRRsInput = builder.inputType('IssueSRRsInput', {
  description: 'Input of issueSRRs.',
  fields: (t) => ({
    requestId: t.string({
      description:
        'Idempotency key, unique per issuer and kept for ever (a UUID is a good one). Made by the gateway when absent; then a repeated call issues again.',
    }),
    entries: t.field({ type: [IssueEntryInput], required: true, description: 'The records, at least one.' }),
    batching: t.field({
      type: Batching,
      defaultValue: 'ALL_OR_NOTHING',
      description: 'How they are grouped.',
    }),
  }),
});

interface IssuanceResult {
  issuance: IssuanceRow | null;
  userErrors: readonly Fault[];
}

const issuancePayload = (name: string, description: string) =>
  builder.objectRef<IssuanceResult>(name).implement({
    description,
    fields: (t) => ({
      issuance: t.field({
        type: Issuance,
        description: 'What was asked for; absent when there are userErrors.',
        resolve: ({ issuance }) => issuance,
      }),
      userErrors: t.field({
        type: [UserError],
        nullable: { list: false, items: false },
        description:
          'All faults at once, and of very many the first ones; nothing was stored or sent when there is one.',
        resolve: ({ userErrors }) => [...userErrors],
      }),
    }),
  });

builder.mutationField('issueSRRs', (t) =>
  t.field({
    type: issuancePayload('IssueSRRsPayload', 'Result of issueSRRs.'),
    nullable: false,
    authScopes: { issue: true },
    description:
      'Checks the entries, stores the issuance and returns at once; the gateway then waits for the files, sends it and follows it to the end, across restarts. Sending the same again returns the same issuance. Scope: issue.',
    args: { input: t.arg({ type: IssueSRRsInput, required: true, description: 'The records.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ issuance: IssuanceRow | null }, { issuance: null }>(
        async () => {
          const { issuer, credentials } = issuerOf(context);
          const issuance = await context.issuances.create(
            credentials,
            {
              requestId: input.requestId ?? undefined,
              batching: input.batching ?? 'ALL_OR_NOTHING',
              entries: issueEntries(issuer, input.entries),
            },
            context.signal,
          );
          return { issuance };
        },
        { issuance: null },
      ),
  }),
);

const CancelIssuanceInput = builder.inputType('CancelIssuanceInput', {
  description: 'Input of cancelIssuance.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Of the issuance.' }) }),
});

builder.mutationField('cancelIssuance', (t) =>
  t.field({
    type: issuancePayload('CancelIssuancePayload', 'Result of cancelIssuance.'),
    nullable: false,
    authScopes: { issue: true },
    description:
      'Cancels an issuance that still waits for its files. What was sent cannot be taken back. Scope: issue.',
    args: { input: t.arg({ type: CancelIssuanceInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ issuance: IssuanceRow | null }, { issuance: null }>(
        async () => {
          const id = idOf('Issuance', input.id, ['input', 'id']);
          return { issuance: await context.issuances.cancel(issuerOf(context).issuer, id) };
        },
        { issuance: null },
      ),
  }),
);

interface Report {
  faults: readonly Fault[];
  warnings: readonly Fault[];
}

const ValidationReport = builder.objectRef<Report>('ValidationReport').implement({
  description:
    'What would become of the same entries in issueSRRs: by the gateway’s own checks, by what the subgraph knows of issuer, artists and collections, and by what the service knows of the files. Quotas, duplicates and chips only the service can judge.',
  fields: (t) => ({
    valid: t.boolean({
      nullable: false,
      description: 'No fault was found.',
      resolve: ({ faults }) => faults.length === 0,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'Every fault, each with its path; of very many the first ones, and how many more there are.',
      resolve: ({ faults }) => [...faults],
    }),
    warnings: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'What is allowed and probably not meant, such as an empty title, a file that is not ready or an unknown schema version; and what could not be checked because a source did not answer. Warnings do not make the entries invalid.',
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
});

builder.queryField('validateSRRs', (t) =>
  t.field({
    type: ValidationReport,
    nullable: false,
    authScopes: { issue: true },
    description:
      'A dry run: every problem at once, nothing stored or issued. The subgraph is asked for issuer, artists and collections, and the service for the files. Scope: issue.',
    args: { entries: t.arg({ type: [IssueEntryInput], required: true, description: 'The records.' }) },
    resolve: async (_root, { entries }, context) => {
      const { issuer, credentials } = issuerOf(context);
      const { faults, warnings } = await context.issuances.validate(
        credentials,
        issueEntries(issuer, entries),
        context.signal,
      );
      // The same checks as of the mutation, whose entries stand below `input`.
      const here = (fault: Fault): Fault => ({ ...fault, path: fault.path?.slice(1) ?? [] });
      return { faults: faults.map(here), warnings: warnings.map(here) };
    },
  }),
);
