import { expect } from 'vitest';
import type { GraphQLCaller } from './graphql-caller.ts';

export interface Outcome {
  status: string;
  error: { code: string; message: string } | null;
  history: { status: string; reason: string }[];
  entries: {
    externalId: string;
    status: string;
    outcomeSource: string | null;
    removedAt: string | null;
    error: { code: string; message: string; path: string[] } | null;
    srr: { tokenId: string } | null;
  }[];
}

export interface IssueAnswer {
  issuance: { id: string } | null;
  userErrors: { code: string; message: string; path: string[]; externalId: string | null }[];
}

/** The result of `issueSRRs`, even if it is a refusal. */
export async function askToIssue(caller: GraphQLCaller, input: object): Promise<IssueAnswer> {
  const { issueSRRs } = await caller.data(
    `mutation ($input: IssueSRRsInput!) {
      issueSRRs(input: $input) { issuance { id } userErrors { code message path externalId } }
    }`,
    { input },
  );
  return issueSRRs;
}

/** The id of an issuance that must be accepted. */
export async function issue(caller: GraphQLCaller, input: object): Promise<string> {
  const { issuance, userErrors } = await askToIssue(caller, input);
  expect(userErrors).toEqual([]);
  return issuance?.id ?? '';
}

/** The current state of an issuance and its entries. */
export async function outcomeOf(caller: GraphQLCaller, id: string): Promise<Outcome> {
  const { issuance } = await caller.data(
    `query ($id: ID!) { issuance(id: $id) {
      status error { code message } history { status reason }
      entries(first: 999) { edges { node {
        externalId status outcomeSource removedAt error { code message path } srr { tokenId }
      } } }
    } }`,
    { id },
  );
  const { entries, ...rest } = issuance;
  return { ...rest, entries: entries.edges.map(({ node }: { node: Outcome['entries'][number] }) => node) };
}

/** The outcome once it is final. */
export async function finalOutcome(caller: GraphQLCaller, id: string, timeout = 40_000): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await expect
    .poll(
      async () => {
        outcome = await outcomeOf(caller, id);
        return outcome.status;
      },
      { timeout, interval: 100 },
    )
    .toMatch(/^(COMPLETED|REJECTED|CANCELLED)$/);
  return outcome as Outcome;
}
