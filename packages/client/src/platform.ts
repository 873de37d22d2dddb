import type { Fetch } from './http.ts';

/** The way that bytes take: straight to storage, through the gateway, or with a GraphQL request (small files). */
export type Way = 'signedUrl' | 'proxyUrl' | 'uploadFile';

/** A file that can be read more than once: for its hash, and for each attempt to send it. */
export interface OpenFile {
  blob: Blob;
  filename?: string | undefined;
  close?(): Promise<void>;
}

export interface Put {
  url: string;
  headers: Record<string, string>;
  blob: Blob;
  onSent: (bytes: number) => void;
  signal: AbortSignal;
  fetch: Fetch;
}

/** What differs between browsers and Node. */
export interface Platform<Source> {
  open(source: Source): Promise<OpenFile>;
  sha256(): { update(bytes: Uint8Array): unknown; hex(): string };
  /** Sends the bytes; the response's headers are complete when it resolves. */
  put(request: Put): Promise<Response>;
  /** A browser must ask storage on another origin first, and many a storage does not answer it. */
  way: Way;
}
