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
import { schema } from '../src/graphql/schema/schema.ts';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';
import { type Data, GraphQLCaller } from './_util/graphql-caller.ts';
import { issue, outcomeOf } from './_util/issuances.ts';
import { documentOf, placesOf, type RootField, rootFields, variablesOf } from './_util/root-fields.ts';

/** Of chain and content, which everybody may read. What is not named here is read to its last field. */
const publicTypes = ['SRR', 'Collection', 'LicensedUser', 'MetadataDocument', 'Source'];

/** Scalars that name nothing of an issuer's; enums do not either. */
const nameless = ['Address', 'BigInt', 'Boolean', 'DateTime', 'File', 'Float', 'Int', 'JSON', 'LanguageMap'];

/** Where a caller finds what is its own by a handle of it: a place that is added fails until it is decided. */
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
/** What names the owner's work, by the scalars that take it. */
let handles: Record<string, unknown[]>;
/** What nobody but the owner may be shown. */
let secrets: string[];
/** What deliveries say of the owner's records: of the one that waits, by its externalId, and of the issued one, by its token. */
let told: { externalId: string; tokenId: string; note: string };

const mark = (what: string) => `${what}-${randomUUID()}`;

/** Takes every delivery. */
const partner = createServer((req, res) => req.resume().on('end', () => res.end()));

beforeAll(async () => {
  await new Promise<void>((listening) => partner.listen(0, '127.0.0.1', listening));
  gateway = await startTestGateway({
    // Every field of every type is asked for at once, of interfaces under a name for each type.
    env: { MAX_DEPTH: '50', MAX_ALIASES: '5000', MAX_TOKENS: '100000', MAX_COST: '10000000' },
  });
  owner = gateway.caller;
  stranger = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
  const content = mark('content');
  const filename = `${mark('private')}.png`;
  // Its hash never comes, so that this issuance can be cancelled for as long as the test takes.
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
    // The stranger's log has an event as well, so that the position alone would fit it too.
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
  told = { externalId: heldExternalId, tokenId, note: mark('note') };
  secrets = [...names, told.note];
  for (const by of [0, 1]) await deliver(by, by === 0 ? told : undefined);
});
afterAll(async () => {
  await gateway?.stop();
  partner.closeAllConnections();
  partner.close();
});

/**
 * Outcomes of the first or the second issuer, as the service would tell them. Each bears one id of a record that is
 * told of, and another record's: the record's own outcome is told once, and these however often.
 */
async function deliver(by: number, about?: typeof told): Promise<void> {
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

/** Addresses of files are signed anew at each look. */
const withoutSignatures = (data: Data): Data =>
  JSON.parse(
    JSON.stringify(data, (key, value) => (/^Upload_.*(Url|ExpiresAt)$/.test(key) ? undefined : value)),
  );

/** Every field below a type that can be asked for as it is; each under a name of its own. */
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
  const asked = fields.map(
    (field) =>
      `${named.name}_${field.name}: ${field.name} ${selectionOf(field.type, [...above, named.name])}`,
  );
  return `{ __typename ${asked.join(' ')} }`;
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
  /** The field and the place that the handle was put in. */
  where: string;
  root: RootField;
  variables: Record<string, unknown>;
}

/** Every handle of the owner at every place of every root field that takes its kind. */
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

/** What an answer shows of the owner's that was not said in the question. */
function shown(answer: unknown, { variables }: Attempt): string[] {
  const asked = JSON.stringify(variables);
  const said = JSON.stringify(answer);
  // An id has names in it, in base64.
  const named = JSON.stringify(variables, (_key, value: unknown) =>
    typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
  return secrets.filter(
    (secret) => said.includes(secret) && !asked.includes(secret) && !named.includes(secret),
  );
}

async function ask(caller: GraphQLCaller, attempt: Attempt): Promise<Data> {
  const { root, variables } = attempt;
  if (!root.field.args.some(({ type }) => `${type}` === 'UploadFileInput!'))
    return caller.ask(textOf(attempt), variables);
  return caller.askWithFile(textOf(attempt), variables, { path: 'input.file', name: 'a.png', bytes: 'x' });
}

/** An answer that failed shows nothing, and proves nothing. */
const failuresIn = (answer: unknown) =>
  JSON.stringify(answer).match(/GRAPHQL_VALIDATION_FAILED|UNKNOWN_ERROR/g) ?? [];

describe('the work of one issuer', () => {
  it('has handles of every kind that an argument can take', () => {
    const taken = rootFields.flatMap(({ field }) => placesOf(field).map(({ scalar }) => scalar));
    const scalars = taken.filter((name) => !isEnumType(schema.getType(name)));
    expect([...new Set(scalars)].toSorted()).toEqual([...nameless, ...Object.keys(handles)].toSorted());
  });

  it('is found by its owner at every place that is known to take its handles, and at no other', async () => {
    const found = new Set<string>();
    for (const attempt of attempts().filter(({ root }) => root.operation === 'query')) {
      const answer = await ask(owner, attempt);
      expect(failuresIn(answer), attempt.where).toEqual([]);
      if (shown(answer, attempt).length > 0) found.add(attempt.where);
    }
    expect([...found].toSorted()).toEqual(answering.filter((place) => place.startsWith('Query')).toSorted());
  });

  it('is neither shown to another issuer nor changed by it, whatever it asks for by the owner’s handles', async () => {
    const all = `{ issuances(first: 50) ${selectionOf(schema.getType('IssuanceConnection') as GraphQLNamedType)} }`;
    const before = await owner.data(all);
    const seen: string[] = [];
    for (const attempt of attempts().filter(({ root }) => root.operation !== 'subscription')) {
      const answer = await ask(stranger, attempt);
      expect(failuresIn(answer), attempt.where).toEqual([]);
      if (shown(answer, attempt).length > 0) seen.push(`${attempt.where}: ${JSON.stringify(answer)}`);
    }
    expect(seen).toEqual([]);
    expect(withoutSignatures(await owner.data(all))).toEqual(withoutSignatures(before));
    // Thousands of requests: each handle at each place of each field.
  }, 180_000);

  it('is not what an upload’s id names to another issuer, though it has a file of the same name', async () => {
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

  it('is sent live to its owner, and to nobody else', async () => {
    const leave = new AbortController();
    const listen = (caller: GraphQLCaller, attempt: Attempt) => {
      const heard = { attempt, said: '' };
      const listening = (async () => {
        for await (const answer of caller.subscribe(textOf(attempt), attempt.variables, leave.signal))
          heard.said += JSON.stringify(answer);
      })().catch((error: unknown) => {
        if (!leave.signal.aborted) throw error;
      });
      return { heard, listening };
    };
    const each = attempts().filter(({ root }) => root.operation === 'subscription');
    const own = each.map((attempt) => listen(owner, attempt));
    const foreign = each.map((attempt) => listen(stranger, attempt));
    try {
      // Until all listen: a live feed tells nothing of what came before it.
      await expect
        .poll(
          async () => {
            await deliver(0, told);
            await deliver(1);
            return foundBy(own.map(({ heard }) => heard));
          },
          // A hundred subscribers with every field of the schema.
          { timeout: 50_000, interval: 500 },
        )
        .toEqual(answering.filter((place) => place.startsWith('Subscription')).toSorted());
      expect(foundBy(foreign.map(({ heard }) => heard))).toEqual([]);
      expect(failuresIn([...own, ...foreign].map(({ heard }) => heard.said))).toEqual([]);
    } finally {
      leave.abort();
      await Promise.all([...own, ...foreign].map(({ listening }) => listening));
    }
  });
});

function foundBy(all: { attempt: Attempt; said: string }[]): string[] {
  const found = all.filter(({ attempt, said }) => shown(said, attempt).length > 0);
  return [...new Set(found.map(({ attempt }) => attempt.where))].toSorted();
}
