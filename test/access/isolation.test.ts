import { createHash, randomInt, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schema } from '../../src/graphql/schema/schema.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { type Data, GraphQLCaller } from '../_util/graphql-caller.ts';
import { issue, outcomeOf } from '../_util/issuances.ts';
import { documentOf, placesOf, type RootField, rootFields, variablesOf } from '../_util/root-fields.ts';

/** Types of public data from chain and IPFS. Of all other types, every field is selected. */
const publicTypes = ['SRR', 'Collection', 'LicensedUser', 'MetadataDocument', 'Source'];

/** Scalars that cannot identify an issuer's work; enums cannot either. */
const nameless = ['Address', 'BigInt', 'Boolean', 'DateTime', 'File', 'Float', 'Int', 'JSON', 'LanguageMap'];

/** The arguments by which callers find their own work. A new one fails the test until it is listed. */
const answering = [
  'Query.collectionCreation(id)',
  'Query.collectionCreation(requestId)',
  'Query.events(after)',
  'Query.events(where.externalIds)',
  'Query.events(where.issuance)',
  'Query.events(where.tokenIds)',
  'Query.issuance(id)',
  'Query.issuance(requestId)',
  'Query.issuanceEntry(externalId)',
  'Query.issuances(after)',
  'Query.issuances(where.externalId)',
  'Query.myUploads(after)',
  'Query.node(id)',
  'Query.nodes(ids)',
  'Query.uploads(files.filename)',
  'Subscription.events(after)',
  'Subscription.events(where.externalIds)',
  'Subscription.events(where.issuance)',
  'Subscription.events(where.tokenIds)',
  'Subscription.issuance(id)',
  'Subscription.miningOutcomes(after)',
  'Subscription.miningOutcomes(where.externalIds)',
  'Subscription.miningOutcomes(where.issuance)',
  'Subscription.miningOutcomes(where.tokenIds)',
];

let gateway: TestGateway;
let owner: GraphQLCaller;
let stranger: GraphQLCaller;
/** Values that identify the owner's work, by the scalar of the argument. */
let handles: Record<string, unknown[]>;
/** Values that only the owner may see. */
let secrets: string[];
/** Ids that deliveries report: the waiting record's externalId and the issued record's token id. */
let reported: { externalId: string; tokenId: string; note: string };

const mark = (what: string) => `${what}-${randomUUID()}`;

/** Accepts every delivery. */
const partner = createServer((req, res) => req.resume().on('end', () => res.end()));

beforeAll(async () => {
  await new Promise<void>((listening) => partner.listen(0, '127.0.0.1', listening));
  gateway = await startTestGateway({
    // One query selects every field of every type; fields of an interface have an alias for each type.
    env: { MAX_DEPTH: '50', MAX_ALIASES: '5000', MAX_TOKENS: '100000', MAX_COST: '10000000' },
  });
  owner = gateway.caller;
  stranger = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
  const content = mark('content');
  const filename = `${mark('private')}.png`;
  // Its hash is never ready, so that this issuance can be cancelled throughout the test.
  const neverReady = `never-hash-${randomUUID()}.png`;
  const upload = await owner.upload(filename, 'NON_ATTACHMENT_FILE', content);
  const held = await owner.upload(neverReady, 'NON_ATTACHMENT_FILE', 'a picture');
  const externalId = mark('own');
  const heldExternalId = mark('held');
  const requestIds = [mark('request'), mark('request'), mark('collection')];
  const done = await issue(owner, {
    requestId: requestIds[0],
    entries: [entry(gateway.info, externalId, { upload })],
  });
  const waiting = await issue(owner, {
    requestId: requestIds[1],
    entries: [entry(gateway.info, heldExternalId, { upload: held })],
  });
  const { createCollection } = await owner.data(
    `mutation ($requestId: String) {
      createCollection(input: { requestId: $requestId, name: "Own", symbol: "OWN" }) { collection { id salt } }
    }`,
    { requestId: requestIds[2] },
  );
  const { id: creation, salt } = createCollection.collection;
  const issued = await vi.waitUntil(
    async () => {
      const outcome = await outcomeOf(owner, done);
      return outcome.status === 'COMPLETED' && outcome.entries[0]?.srr;
    },
    { timeout: 30_000, interval: 100 },
  );
  const known = await owner.data(
    `query ($file: FileKeyInput!) {
      uploads(files: [$file]) { finalUrl cid }
      issuances(first: 1) { pageInfo { endCursor } edges { node { entries(first: 1) { pageInfo { endCursor } } } } }
      events(first: 1) { edges { node { id cursor } } }
      myUploads(first: 1) { pageInfo { endCursor } }
    }`,
    { file: { filename, category: 'NON_ATTACHMENT_FILE' } },
  );
  const [issuances] = known.issuances.edges;
  const [event] = known.events.edges;
  const hash = createHash('sha256').update(content).digest('hex');
  const cursors = [
    known.issuances.pageInfo.endCursor,
    issuances.node.entries.pageInfo.endCursor,
    known.myUploads.pageInfo.endCursor,
    // The stranger's log has an event too, so the position alone would be valid there.
    event.node.cursor,
  ];
  const { createWebhookEndpoint } = await owner.data(
    'mutation ($url: URL!) { createWebhookEndpoint(input: { url: $url }) { webhookEndpoint { id } secret } }',
    { url: `http://127.0.0.1:${(partner.address() as AddressInfo).port}/${mark('endpoint')}` },
  );
  const names = [
    createWebhookEndpoint.secret,
    ...requestIds,
    salt,
    externalId,
    heldExternalId,
    filename,
    neverReady,
    hash,
  ];
  const { id: endpoint } = createWebhookEndpoint.webhookEndpoint;
  const ids = [done, waiting, creation, upload, held, event.node.id, endpoint];
  const { tokenId } = issued;
  handles = {
    ID: [...ids, ...ids.map((id) => Buffer.from(id, 'base64').toString())],
    String: [...names, ...cursors],
    TokenId: [tokenId],
    URL: [known.uploads[0].finalUrl],
    CID: [known.uploads[0].cid],
    _Any: [
      { __typename: 'SRR', tokenId, collection: null },
      ...ids.flatMap((id) => ['SRR', 'Issuance', 'Upload'].map((__typename) => ({ __typename, id }))),
    ],
  };
  reported = { externalId: heldExternalId, tokenId, note: mark('note') };
  secrets = [...names, reported.note];
  for (const by of [0, 1]) await deliver(by, by === 0 ? reported : undefined);
});
afterAll(async () => {
  await gateway?.stop();
  partner.closeAllConnections();
  partner.close();
});

/**
 * Delivers outcomes of the first or the second issuer, as the service would. Each outcome pairs one id of a
 * reported record with a new id: a repeated outcome would add no event, but these are new events each time.
 */
async function deliver(by: number, about?: typeof reported): Promise<void> {
  const { webhookKeys } = gateway.issuers[by] as (typeof gateway.issuers)[number];
  const others = { externalId: randomUUID(), tokenId: String(randomInt(2 ** 40)) };
  const { externalId, tokenId, note } = about ?? { ...others, note: '' };
  const response = await fetch(`${gateway.app.url}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': webhookKeys[0] as string },
    body: JSON.stringify({
      type: 'issue_failed',
      version: 1,
      data: [
        { externalId, tokenId: others.tokenId, note },
        { externalId: others.externalId, tokenId, note },
      ],
    }),
  });
  expect(response.status).toBe(200);
}

/** Addresses of files have a new signature in each response. */
const withoutSignatures = (data: Data): Data =>
  JSON.parse(
    JSON.stringify(data, (key, value) => (/^Upload_.*(Url|ExpiresAt)$/.test(key) ? undefined : value)),
  );

/** Selects every field below a type that needs no argument, each under its own alias. */
function selectionOf(type: GraphQLOutputType | GraphQLNamedType, above: string[] = []): string {
  const named = getNamedType(type);
  if (isAbstractType(named)) {
    const parts = schema
      .getPossibleTypes(named)
      .map((one) => `... on ${one.name} ${selectionOf(one, above)}`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!isObjectType(named)) return '';
  if (publicTypes.includes(named.name) || above.includes(named.name)) return '{ __typename }';
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const selections = fields.map(
    (field) =>
      `${named.name}_${field.name}: ${field.name} ${selectionOf(field.type, [...above, named.name])}`,
  );
  return `{ __typename ${selections.join(' ')} }`;
}

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const samples = () => ({
  Address: gateway.info.artists[0]?.address,
  ID: Buffer.from('Issuance:x').toString('base64'),
  TokenId: '1',
  Int: 1,
  Float: 1,
  Boolean: true,
  CID: cid,
  URL: 'https://127.0.0.1/',
  File: null,
  FileCategory: 'NON_ATTACHMENT_FILE',
  LanguageMap: { en: 'x' },
  FileRefInput: { ipfs: `ipfs://${cid}` },
});

interface Attempt {
  /** The field and the argument that got the handle. */
  where: string;
  root: RootField;
  variables: Record<string, unknown>;
}

/** Every handle of the owner in every argument of every root field that takes its scalar. */
function attempts(): Attempt[] {
  return rootFields.flatMap((root) =>
    placesOf(root.field).flatMap(({ path, scalar }) =>
      (handles[scalar] ?? []).map((value) => ({
        where: `${root.name}(${path.join('.')})`,
        root,
        variables: variablesOf(root.field, samples(), { path, value }),
      })),
    ),
  );
}

const textOf = ({ root, variables }: Attempt) => documentOf(root, variables, selectionOf(root.field.type));

/** The owner's secrets that a response contains and the request did not. */
function leakedSecrets(answer: unknown, { variables }: Attempt): string[] {
  const requestText = JSON.stringify(variables);
  const responseText = JSON.stringify(answer);
  // A global id is base64 and may contain such a value.
  const named = JSON.stringify(variables, (_key, value: unknown) =>
    typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
  return secrets.filter(
    (secret) => responseText.includes(secret) && !requestText.includes(secret) && !named.includes(secret),
  );
}

async function ask(caller: GraphQLCaller, attempt: Attempt): Promise<Data> {
  const { root, variables } = attempt;
  if (!root.field.args.some(({ type }) => `${type}` === 'UploadFileInput!'))
    return caller.ask(textOf(attempt), variables);
  return caller.askWithFile(textOf(attempt), variables, { path: 'input.file', name: 'a.png', bytes: 'x' });
}

/** A failed response leaks nothing, but proves nothing either. */
const failuresIn = (answer: unknown) =>
  JSON.stringify(answer).match(/GRAPHQL_VALIDATION_FAILED|UNKNOWN_ERROR/g) ?? [];

describe('the work of one issuer', () => {
  it('is covered by handles for every scalar that an argument can have', () => {
    const taken = rootFields.flatMap(({ field }) => placesOf(field).map(({ scalar }) => scalar));
    const scalars = taken.filter((name) => !isEnumType(schema.getType(name)));
    expect([...new Set(scalars)].toSorted()).toEqual([...nameless, ...Object.keys(handles)].toSorted());
  });

  it('is found by its owner through exactly the listed arguments', async () => {
    const found = new Set<string>();
    for (const attempt of attempts().filter(({ root }) => root.operation === 'query')) {
      const answer = await ask(owner, attempt);
      expect(failuresIn(answer), attempt.where).toEqual([]);
      if (leakedSecrets(answer, attempt).length > 0) found.add(attempt.where);
    }
    expect([...found].toSorted()).toEqual(answering.filter((place) => place.startsWith('Query')).toSorted());
    // Sends hundreds of requests.
  }, 120_000);

  it('is neither shown to nor changed by another issuer that sends the owner’s handles', async () => {
    const all = `{ issuances(first: 50) ${selectionOf(schema.getType('IssuanceConnection') as GraphQLNamedType)} }`;
    const before = await owner.data(all);
    const seen: string[] = [];
    for (const attempt of attempts().filter(({ root }) => root.operation !== 'subscription')) {
      const answer = await ask(stranger, attempt);
      expect(failuresIn(answer), attempt.where).toEqual([]);
      if (leakedSecrets(answer, attempt).length > 0) seen.push(`${attempt.where}: ${JSON.stringify(answer)}`);
    }
    expect(seen).toEqual([]);
    expect(withoutSignatures(await owner.data(all))).toEqual(withoutSignatures(before));
    // Sends thousands of requests: each handle in each argument of each field.
  }, 180_000);

  it('cannot be used by another issuer through an upload’s id, even with a file of the same name', async () => {
    const filename = `${mark('same')}.png`;
    const upload = await owner.upload(filename, 'NON_ATTACHMENT_FILE', 'a picture');
    await stranger.upload(filename, 'NON_ATTACHMENT_FILE', 'another picture');
    const codes = async (caller: GraphQLCaller) => {
      const entries = [entry(gateway.info, mark('by-upload'), { upload })];
      const { validateSRRs } = await caller.data(
        'query ($entries: [IssueEntryInput!]!) { validateSRRs(entries: $entries) { userErrors { code path } } }',
        { entries },
      );
      return validateSRRs.userErrors;
    };
    expect(await codes(owner)).toEqual([]);
    expect(await codes(stranger)).toEqual(
      ['thumbnail', 'image'].map((field) => ({
        code: 'INVALID_INPUT',
        path: ['entries', '0', 'metadata', field, 'upload'],
      })),
    );
  });

  it('reaches live subscriptions of its owner only', async () => {
    const leave = new AbortController();
    const listen = (caller: GraphQLCaller, attempt: Attempt) => {
      const received = { attempt, responseText: '' };
      const listening = (async () => {
        for await (const answer of caller.subscribe(textOf(attempt), attempt.variables, leave.signal))
          received.responseText += JSON.stringify(answer);
      })().catch((error: unknown) => {
        if (!leave.signal.aborted) throw error;
      });
      return { received, listening };
    };
    const each = attempts().filter(({ root }) => root.operation === 'subscription');
    const own = each.map((attempt) => listen(owner, attempt));
    const foreign = each.map((attempt) => listen(stranger, attempt));
    try {
      // Repeat until all are subscribed: a live feed does not replay earlier events.
      await expect
        .poll(
          async () => {
            await deliver(0, reported);
            await deliver(1);
            return foundBy(own.map(({ received }) => received));
          },
          // A hundred subscriptions select every field of the schema.
          { timeout: 50_000, interval: 500 },
        )
        .toEqual(answering.filter((place) => place.startsWith('Subscription')).toSorted());
      expect(foundBy(foreign.map(({ received }) => received))).toEqual([]);
      expect(failuresIn([...own, ...foreign].map(({ received }) => received.responseText))).toEqual([]);
    } finally {
      leave.abort();
      await Promise.all([...own, ...foreign].map(({ listening }) => listening));
    }
  });
});

function foundBy(all: { attempt: Attempt; responseText: string }[]): string[] {
  const found = all.filter(({ attempt, responseText }) => leakedSecrets(responseText, attempt).length > 0);
  return [...new Set(found.map(({ attempt }) => attempt.where))].toSorted();
}
