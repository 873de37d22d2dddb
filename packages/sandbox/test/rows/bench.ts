import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Category } from '../../src/store/tables.ts';
import { type Answer, TestIssuer } from '../../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

export interface ReadyFile {
  finalUrl: string;
  hash: string;
  cid: string;
  size: number;
}

export type Fields = Record<string, unknown>;

const categories = [
  'non_attachment_file',
  'artwork',
  'certificate',
  'for_authenticity',
  'installation',
] as const;

export const invalidMetadata = (details: string, index = 0) =>
  `payload.${index}.metadata is invalid. Check it against the metadata JSON schema. Details: ${details}`;

export const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';

/** The environment of the cases: a running service, two issuers, and a ready file of each category. */
export class Bench {
  readonly issuer: TestIssuer;
  readonly other: TestIssuer;
  /** An issuer of a second service with small limits, another vendor, and the other form of the 404. */
  readonly small: TestIssuer;
  readonly files = {} as Record<Category, ReadyFile>;
  readonly #running: { main: TestSandbox; small: TestSandbox; receiver: WebhookReceiver };
  #collection: Promise<string> | undefined;

  private constructor(running: Bench['running']) {
    this.#running = running;
    this.issuer = new TestIssuer(running.main.sandbox.info);
    this.other = new TestIssuer(running.main.sandbox.info, 1);
    this.small = new TestIssuer(running.small.sandbox.info);
  }

  get running() {
    return this.#running;
  }

  static async start(): Promise<Bench> {
    const receiver = await startWebhookReceiver();
    const [main, small] = await Promise.all([
      startTestSandbox({ webhooks: [{ url: receiver.url, key: 'hook-key' }] }),
      startTestSandbox({
        settings: {
          fileLimitBytes: 100,
          hashLimitBytes: 10,
          missingFiles: 'array',
          vendor: { path: 'acme', prefix: 'acme' },
        },
      }),
    ]);
    const bench = new Bench({ main, small, receiver });
    for (const category of categories)
      bench.files[category] = await bench.issuer.uploadReady(`ready-${category}.png`, category, category);
    return bench;
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#running).map((part) => part.stop()));
  }

  get info() {
    return this.issuer.info;
  }

  /** A public file that is ready. */
  get image(): string {
    return this.files.non_attachment_file.finalUrl;
  }

  entry(more: Fields = {}): Fields & { externalId: string } {
    return this.issuer.entry(this.image, more) as Fields & { externalId: string };
  }

  metadata(more: Fields): Fields {
    return this.issuer.metadata(this.image, more);
  }

  /** An entry with more, or other, metadata. */
  withMetadata(more: Fields): Fields & { externalId: string } {
    return this.entry({ metadata: this.metadata(more) });
  }

  withChips(...chips: string[]): Fields & { externalId: string } {
    return this.withMetadata({ chipUIDs: chips, vendorCertICTagUIDs: chips });
  }

  /** Posts, and expects exactly this response. */
  async shows(endpoint: string, body: unknown, status: number, answer: unknown): Promise<void> {
    expect(await this.issuer.post(endpoint, body)).toEqual({ status, body: answer });
  }

  /** Expects the envelope of a refusal. */
  async refuses(endpoint: string, body: unknown, message: unknown, statusCode = 400): Promise<void> {
    await this.shows(endpoint, body, statusCode, { statusCode, message });
  }

  refusesEntries(payload: Fields[], message: unknown, statusCode = 400): Promise<void> {
    return this.refuses('srrs', { payload }, message, statusCode);
  }

  /** Expects the refusal of invalid metadata, with these details. */
  refusesMetadata(more: Fields, details: string): Promise<void> {
    return this.refusesEntries([this.withMetadata(more)], [invalidMetadata(details)]);
  }

  /** Sends an invalid entry with a valid one: the first fails with this code, the other is cancelled. */
  async failsWithCode(bad: Fields & { externalId: string }, message: string): Promise<void> {
    const good = this.entry();
    await this.refusesEntries([good, bad], {
      results: [
        { status: 'failed', externalId: good.externalId, message: cancelled },
        { status: 'failed', externalId: bad.externalId, message },
      ],
    });
  }

  async issue(...payload: Fields[]): Promise<Answer['body']['results']> {
    const { status, body } = await this.issuer.post('srrs', { payload });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.results;
  }

  /** The published metadata. */
  async published(result: { srr: { metadataURL: string } }): Promise<Fields> {
    return (await (await fetch(result.srr.metadataURL)).json()) as Fields;
  }

  async issueAndRead(entry: Fields): Promise<Fields> {
    const [result] = await this.issue(entry);
    return this.published(result);
  }

  /** The entry of the webhook about a record. */
  outcome(externalId: string, type = 'issue_complete'): Promise<Fields> {
    const find = () => this.running.receiver.entries(type).find((entry) => entry.externalId === externalId);
    return vi.waitUntil(find, { timeout: 15_000 });
  }

  /** Fields of a record as the subgraph has it. */
  indexed(tokenId: string, fields: string): Promise<Fields> {
    return vi.waitUntil(
      async () => {
        const response = await fetch(this.info.subgraphUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: `{ srrs(where: { tokenId: "${tokenId}" }) { ${fields} } }` }),
        });
        return ((await response.json()) as { data: { srrs: Fields[] } }).data.srrs[0];
      },
      { timeout: 15_000 },
    );
  }

  /** A collection of the issuer, the same in every case. */
  collection(): Promise<string> {
    this.#collection ??= this.#create();
    return this.#collection;
  }

  async #create(): Promise<string> {
    const payload = { name: 'Tides', symbol: 'TIDE' };
    const { collectionAddress } = (await this.issuer.post('collection', { payload })).body.result;
    const created = () => this.running.receiver.entries('collection_created');
    await expect.poll(() => created().map((entry) => entry.collectionAddress)).toContain(collectionAddress);
    return collectionAddress;
  }

  turn(settings: object): Promise<void> {
    return turnSandbox(this.running.main.sandbox, settings);
  }

  /** Uploads a file whose hash is not calculated until `then` has ended. */
  async unready(category: Category, then: (finalUrl: string, filename: string) => Promise<void>) {
    await this.turn({ hashDelayMs: 3_600_000 });
    try {
      const filename = `unready-${randomBytes(4).toString('hex')}.png`;
      await then(await this.issuer.upload(filename, category, 'unready'), filename);
    } finally {
      await this.turn({ hashDelayMs: 0 });
    }
  }

  /** Runs `then` with these quotas of an issuer, and raises them afterwards. */
  async withAllowance(left: { srrs?: number; nfcTags?: number }, then: () => Promise<void>) {
    const quota = (numbers: object) => this.turn({ quotas: [{ address: this.issuer.address, ...numbers }] });
    await quota(left);
    try {
      await then();
    } finally {
      await quota({ srrs: 100_000, nfcTags: 100_000 });
    }
  }

  async fault(fault: object): Promise<void> {
    const response = await fetch(`${this.running.main.sandbox.url}/sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    expect(response.status, await response.text()).toBe(201);
  }
}

export const newChip = () => randomBytes(7).toString('hex');
