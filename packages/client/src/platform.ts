import type { Fetch } from './http.ts';

export const ways = ['signedUrl', 'proxyUrl', 'uploadFile'] as const;

/** How to upload: directly to the storage, through the gateway, or in a GraphQL request (small files). */
export type Way = (typeof ways)[number];

/** A file that can be read more than once: for its hash, and for each attempt to send it. */
export interface OpenFile {
  blob: Blob;
  filename?: string | undefined;
  close?(): Promise<void>;
}

/** A request whose body is sent piece by piece. */
export interface Transfer {
  method: 'PUT' | 'POST';
  url: string;
  headers: Record<string, string>;
  blob: Blob;
  onSent: (bytes: number) => void;
  signal: AbortSignal;
  fetch: Fetch;
}

/** The parts that differ between browsers and Node. */
export interface Platform<Source> {
  /** Reads a stream to its end first, unless the signal aborts. */
  open(source: Source, signal?: AbortSignal): Promise<OpenFile>;
  sha256(): { update(bytes: Uint8Array): unknown; hex(): string };
  /** Whether `send` reports progress. `fetch` does not, and service workers have only that. */
  tellsProgress(): boolean;
  /** Sends the bytes. Resolves when the response's headers have come. */
  send(request: Transfer): Promise<Response>;
  /**
   * The default. In browsers it is the gateway, because storage on another origin needs CORS, which many do not
   * allow.
   */
  way: Way;
}
