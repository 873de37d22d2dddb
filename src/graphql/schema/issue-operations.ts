import { requireIssuer } from '../../access/caller.ts';
import type { IssuanceRow } from '../../issuance/flow.ts';
import type { Fault } from '../../model/errors.ts';
import { builder } from './builder.ts';
import { Issuance } from './issuance.ts';
import { issueEntries } from './issue-entries.ts';
import { IssueEntryInput } from './issue-input.ts';
import { idOf } from './relay-options.ts';
import { UserError, userErrorsField } from './user-error.ts';
import { orUserErrors } from './user-errors.ts';

const Batching = builder.enumType('Batching', {
  description: 'How the entries are grouped into requests to the issuance service. Each request is atomic.',
  values: {
    ALL_OR_NOTHING: { description: 'All entries go in one request: either all records are issued, or none.' },
    BATCHES_OF_250: {
      description: 'The entries go in requests of 250 records. Each request is all or nothing.',
    },
  } as const,
});

const IssueSRRsInput = builder.inputType('IssueSRRsInput', {
  description: 'The input of issueSRRs.',
  fields: (t) => ({
    requestId: t.string({
      description:
        'The idempotency key, of at most 255 characters, unique per issuer and stored for ever; a UUID is a good choice. Without it the gateway makes one, and a repeated call issues again.',
    }),
    entries: t.field({
      type: [IssueEntryInput],
      required: true,
      description: 'The records to issue, at least one.',
    }),
    batching: t.field({
      type: Batching,
      defaultValue: 'ALL_OR_NOTHING',
      description: 'How the entries are grouped into requests to the issuance service.',
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
        description: 'The issuance. Null when there are userErrors.',
        resolve: ({ issuance }) => issuance,
      }),
      userErrors: t.field(
        userErrorsField(
          'All faults at once; of very many, the first ones and the number of others. If there is one, nothing was stored or sent.',
        ),
      ),
    }),
  });

builder.mutationField('issueSRRs', (t) =>
  t.field({
    type: issuancePayload('IssueSRRsPayload', 'The result of issueSRRs.'),
    nullable: false,
    authScopes: { issue: true },
    description:
      'Checks the entries, stores the issuance and returns at once. The gateway then waits for the files, submits it and follows it to the end, across restarts. Sending the same input with the same requestId again returns the same issuance. Scope: issue.',
    args: { input: t.arg({ type: IssueSRRsInput, required: true, description: 'The records to issue.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ issuance: IssuanceRow | null }, { issuance: null }>(
        async () => {
          const { issuer, credentials } = requireIssuer(context);
          const issuance = await context.services.issuances.create(
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
  description: 'The input of cancelIssuance.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The global id of the issuance.' }) }),
});

builder.mutationField('cancelIssuance', (t) =>
  t.field({
    type: issuancePayload('CancelIssuancePayload', 'The result of cancelIssuance.'),
    nullable: false,
    authScopes: { issue: true },
    description:
      'Cancels an issuance that is still WAITING_FOR_FILES. What was sent cannot be taken back. Scope: issue.',
    args: {
      input: t.arg({ type: CancelIssuanceInput, required: true, description: 'The issuance to cancel.' }),
    },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ issuance: IssuanceRow | null }, { issuance: null }>(
        async () => {
          const id = idOf('Issuance', input.id, ['input', 'id']);
          return { issuance: await context.services.issuances.cancel(requireIssuer(context).issuer, id) };
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
    'The result of checking entries: by the gateway’s own rules, the issuers, artists and collections in the subgraph, and the files at the issuance service. Only the service can check quotas, records that exist already, and chips.',
  fields: (t) => ({
    valid: t.boolean({
      nullable: false,
      description: 'Whether no fault was found. Warnings do not count.',
      resolve: ({ faults }) => faults.length === 0,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'All faults with their paths; of very many, the first ones and the number of others. With these faults the gateway or the issuance service would refuse the entries.',
      resolve: ({ faults }) => [...faults],
    }),
    warnings: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'What is allowed but probably a mistake (an empty title, a file that is not ready, an unknown schema version), and what could not be checked because a source did not answer. Warnings do not make the entries invalid.',
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
      'Checks entries without storing or issuing anything, and reports every problem at once. The subgraph is asked for issuer, artists and collections, and the issuance service for the files. Scope: issue.',
    args: {
      entries: t.arg({ type: [IssueEntryInput], required: true, description: 'The records to check.' }),
    },
    resolve: async (_root, { entries }, context) => {
      const { issuer, credentials } = requireIssuer(context);
      const { faults, warnings } = await context.services.issuances.validate(
        credentials,
        issueEntries(issuer, entries),
        context.signal,
      );
      // Paths are those of the mutation issueSRRs. Remove its level `input`.
      const here = (fault: Fault): Fault => ({ ...fault, path: fault.path?.slice(1) ?? [] });
      return { faults: faults.map(here), warnings: warnings.map(here) };
    },
  }),
);
