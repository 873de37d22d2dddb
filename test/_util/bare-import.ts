import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type TestGateway, testToken } from './gateway.ts';
import type { ManifestFolder } from './srr.ts';

interface Place {
  id: string;
  signedUrl: string;
  contentType: string;
}

/** A minimal import: announces files in one call, uploads eight at a time, issues in one call, and polls. */
export async function bareImport(gateway: TestGateway, { folder, rows }: ManifestFolder): Promise<void> {
  const ask = async <Data>(query: string, variables: object): Promise<Data> => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
    expect(errors).toBeUndefined();
    return data;
  };
  const files = rows.flatMap((cells) =>
    cells.slice(-2).map((path, i) => {
      const bytes = readFileSync(join(folder, path));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const category = i === 0 ? 'NON_ATTACHMENT_FILE' : 'CERTIFICATE';
      return { bytes, spec: { filename: `${randomUUID()}-${path.slice(6)}`, category, sha256 } };
    }),
  );
  const { createUploads } = await ask<{ createUploads: { uploads: Place[] } }>(
    'mutation ($input: CreateUploadsInput!) { createUploads(input: $input) { uploads { id signedUrl contentType } } }',
    { input: { files: files.map(({ spec }) => spec) } },
  );
  const { uploads } = createUploads;
  const rest = uploads.entries();
  const worker = async () => {
    for (const [i, { signedUrl, contentType }] of rest) {
      const response = await fetch(signedUrl, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: files[i]?.bytes as BodyInit,
      });
      expect(response.ok).toBe(true);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const entries = rows.map(([externalId, artistAddress, , , name, title, , medium, year], i) => {
    const image = { upload: uploads[2 * i]?.id };
    const [titleMap, mediumMap, yearOfCreation] = [{ en: title }, { en: medium }, { en: year }];
    const metadata = { name, title: titleMap, medium: mediumMap, yearOfCreation, image, thumbnail: image };
    const certificate = { name: 'c.pdf', category: 'CERTIFICATE', file: { upload: uploads[2 * i + 1]?.id } };
    const fixed = { isPrimaryIssuer: true, lockExternalTransfer: false };
    return { externalId, artistAddress, ...fixed, metadata, attachments: [certificate] };
  });
  const { issueSRRs } = await ask<{ issueSRRs: { issuance: { id: string } } }>(
    'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } } }',
    { input: { requestId: randomUUID(), entries } },
  );
  const look = `query ($id: ID!) { issuance(id: $id) { status entries(first: 1) { edges { node { srr { indexing } } } } } }`;
  for (;;) {
    const { issuance } = await ask<{
      issuance: { status: string; entries: { edges: { node: { srr: { indexing: string } | null } }[] } };
    }>(look, { id: issueSRRs.issuance.id });
    // Like srr, it waits until the records can be read.
    const indexed = issuance.entries.edges[0]?.node.srr?.indexing === 'INDEXED';
    if (issuance.status === 'COMPLETED' && indexed) return;
    await sleep(20);
  }
}
