import { describe, expect, it } from 'vitest';
import { CommerceRefusal } from '../../clients/commerce/commerce.ts';
import { readRefusal } from '../../clients/commerce/refusal.ts';
import { mapFaultsToEntries } from './map-faults.ts';

/** The second batch of an issuance. */
const entries = [
  { index: 250, external_id: 'one' },
  { index: 251, external_id: 'two' },
];
const payload = entries.map(({ external_id }) => ({ externalId: external_id }));

function placed(...texts: string[]) {
  const refusal = readRefusal({ kind: 'texts', texts }, 400, payload);
  if (!(refusal instanceof CommerceRefusal)) throw new Error('not a refusal');
  return mapFaultsToEntries(refusal.faults, entries);
}

describe('a refusal', () => {
  it('of one entry is a fault of that entry, and the other entries are cancelled', () => {
    const text = 'payload.1.externalId should not be empty';
    const { ofRequest, ofEntries } = placed(text);
    const fault = { code: 'EXTERNAL_ID_INVALID', path: ['input', 'entries', '251', 'externalId'] };
    expect(ofEntries).toMatchObject([
      { code: 'SRR_NOT_CREATED', externalId: 'one' },
      { ...fault, externalId: 'two' },
    ]);
    expect(ofRequest).toMatchObject({ ...fault, upstreamMessage: text });
  });

  it('with several messages about one entry keeps all messages', () => {
    const texts = ['payload.0.to must be a valid Ethereum addresses', 'payload.0.rule of tomorrow'];
    const { ofRequest, ofEntries } = placed(...texts);
    expect(ofEntries[0]).toMatchObject({ code: 'ADDRESS_INVALID', upstreamMessage: texts.join('\n') });
    expect(ofRequest.upstreamMessage).toBe(texts.join('\n'));
  });

  it('because of an identical request is a fault of each entry, so that no entry is created twice', () => {
    const text = 'Request Content Error: Current request already logged with status in_progress';
    const fault = { code: 'DUPLICATE_REQUEST_CONTENT', upstreamMessage: text };
    expect(placed(text).ofEntries).toMatchObject([
      { ...fault, externalId: 'one', path: ['input', 'entries', '250'] },
      { ...fault, externalId: 'two', path: ['input', 'entries', '251'] },
    ]);
  });

  it('with messages about no entry keeps them with the issuance', () => {
    const texts = ['payload.1.externalId must be a string', 'a rule of tomorrow', 'another one'];
    const { ofRequest, ofEntries } = placed(...texts);
    expect(ofRequest).toMatchObject({ code: 'EXTERNAL_ID_INVALID', upstreamMessage: texts.join('\n') });
    expect(ofEntries[1]?.upstreamMessage).toBe(texts[0]);
  });
});

describe('a fault of an entry', () => {
  const at = (path: string[], input: Record<string, unknown> | null) => {
    const fault = { code: 'INVALID_INPUT' as const, message: 'm', path: ['payload', '0', ...path] };
    return mapFaultsToEntries([fault], [{ index: 7, external_id: 'x', input }])
      .ofEntries[0]?.path?.slice(3)
      .join('.');
  };

  it('has a path in the form of metadata that the caller used', () => {
    const place = ['metadata', 'thumbnailURL'];
    expect(at(place, { metadata: {} })).toBe('metadata.thumbnail');
    expect(at(place, { metadata: null, metadataJson: {} })).toBe('metadataJson.thumbnailURL');
    // The form is unknown for entries from before it was stored, and after it was deleted.
    expect(at(place, null)).toBe('metadata.thumbnailURL');
    expect(at(['metadata', 'external_url'], { metadata: {} })).toBe('metadata.externalUrl');
    expect(at(['metadata', '$schemaIntegrity'], { metadata: {} })).toBe('metadata.schemaVersion');
    expect(at(['metadata', 'title', 'fileURL'], { metadata: {} })).toBe('metadata.title.fileURL');
    expect(at(['attachmentFiles', '2', 'name'], null)).toBe('attachments.2.name');
  });
});
