import { randomUUID } from 'node:crypto';
import { startWebhookReceiver, type WebhookReceiver } from '@srr-gateway/sandbox/testing/webhook-receiver';
import type { Account, OtherService } from './other-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read responses untyped
export type ServiceAnswer = { status: number; body: any };

/** Fields of an entry that replace the default ones; those of `metadata` are merged. */
export interface EntryOver {
  metadata?: object;
  externalId?: string;
  artistAddress?: string;
  to?: string;
  lockExternalTransfer?: boolean;
  collectionAddress?: string;
  attachmentFiles?: object[];
}

/** A client of the other service, written from its document, without the gateway. */
export class OtherServiceClient {
  readonly service: OtherService;
  readonly account: Account;

  constructor(service: OtherService, account = service.accounts[0] as Account) {
    this.service = service;
    this.account = account;
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    const response = await fetch(`${this.service.commerceUrl}/port/api/v1/commerce/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'commerce-api-key': this.account.apiKey,
        'issuer-address': this.account.address,
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Requests a signed URL and uploads; returns the finalUrl. */
  async upload(
    filename: string,
    category = 'non_attachment_file',
    bytes: string = randomUUID(),
  ): Promise<string> {
    const { body } = await this.post('signedUrls', { action: 'write', payload: [{ filename, category }] });
    const [{ url, contentType, finalUrl }] = body.results;
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes,
    });
    if (response.status !== 200) throw new Error(`storage answered ${response.status}`);
    return finalUrl;
  }

  /** The state of one file. */
  async state(filename: string, category = 'non_attachment_file'): Promise<ServiceAnswer> {
    return this.post('fileMetadata', { payload: [{ filename, category }] });
  }

  /** Uploads a picture and waits until it is ready. */
  async picture(): Promise<string> {
    const filename = `${randomUUID()}.png`;
    const finalUrl = await this.upload(filename);
    for (;;) {
      const { body } = await this.state(filename);
      if ((body.results ?? body.payload ?? body)[0]?.cid) return finalUrl;
    }
  }

  entry(externalId: string, picture: string, over: EntryOver = {}) {
    const { metadata, ...rest } = over;
    return {
      externalId,
      artistAddress: this.service.artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadata: {
        $schema: `${this.service.commerceUrl}/api/v1/schema/registry-record-metadata.v2.2.schema.json`,
        name: externalId,
        title: { en: externalId },
        medium: { en: 'Ink' },
        yearOfCreation: { en: '2026' },
        thumbnailURL: picture,
        image: picture,
        ...metadata,
      },
      ...rest,
    };
  }

  async issue(entries: object[], requestId: string = randomUUID()): Promise<ServiceAnswer> {
    return this.post('srrs', { requestId, payload: entries });
  }

  /** Sends a query to the subgraph. */
  async query(query: string, variables: object = {}): Promise<ServiceAnswer['body']> {
    const response = await fetch(this.service.subgraphUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  }

  /** Starts a receiver for the webhooks of this account. */
  async listen(): Promise<WebhookReceiver> {
    const receiver = await startWebhookReceiver();
    this.account.webhook = { url: receiver.url, key: 'a-webhook-key' };
    return receiver;
  }
}
