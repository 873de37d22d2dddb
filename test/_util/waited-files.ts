import { randomUUID } from 'node:crypto';
import type { GraphQLCaller } from './graphql-caller.ts';
import type { RecordingProxy } from './recording-proxy.ts';

interface Key {
  filename: string;
  category: string;
}

/** An issuance that waits for files, as shown to its issuer. */
export interface Waiting {
  status: string;
  progress: { filesTotal: number; filesReady: number };
  error: { code: string; message: string; upstreamMessage: string | null } | null;
  history: { status: string; reason: string }[];
  entries: { edges: { node: { status: string } }[] };
  files: {
    edges: {
      node: Key & { status: string; message: string | null; since: string; upload: { finalUrl: string } };
    }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

export async function waitingOf(
  caller: GraphQLCaller,
  id: string,
  list: { status?: string; first?: number; after?: string | null } = {},
): Promise<Waiting> {
  const { issuance } = await caller.data(
    `query ($id: ID!, $status: UploadStatus, $first: Int, $after: String) { issuance(id: $id) {
      status progress { filesTotal filesReady } error { code message upstreamMessage }
      history { status reason } entries { edges { node { status } } }
      files(first: $first, after: $after, status: $status) {
        edges { node { filename category status message since upload { finalUrl } } }
        pageInfo { hasNextPage endCursor }
      }
    } }`,
    { id, ...list },
  );
  return issuance;
}

export const filesOf = ({ files }: Waiting) => files.edges.map(({ node }) => node);

export const freshName = (): string => `${randomUUID()}.png`;

/** A status and a body that replace the response of the service; undefined: its own response is sent. */
export type Answer = [status: number, body: unknown] | undefined;

/** Responds to calls for file metadata with `answerOf` from now on; `nth` counts the calls from 0. */
export function answerForFiles(
  service: RecordingProxy,
  answerOf: (files: Key[], nth: number) => Answer,
): void {
  let calls = 0;
  service.answerInstead = ({ call, body }) => {
    if (call !== 'fileMetadata' || !(body?.payload?.length > 0)) return undefined;
    const answer = answerOf(body.payload, calls++);
    return answer && { status: answer[0], text: JSON.stringify(answer[1]) };
  };
}

/** The metadata of a file that is ready. */
export const ready = ({ filename }: Key) => ({ filename, hash: 'sha256-00', cid: 'bafkreiready', size: 3 });
