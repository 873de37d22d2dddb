import { describe, expect, it } from 'vitest';
import { CommerceRefusal } from '../commerce/commerce.ts';
import { readRefusal } from '../commerce/refusal.ts';
import { placeFaults } from './place-faults.ts';

/** The second batch of an issuance. */
const entries = [
  { index: 250, external_id: 'one' },
  { index: 251, external_id: 'two' },
];
const payload = entries.map(({ external_id }) => ({ externalId: external_id }));

function placed(...texts: string[]) {
  const refusal = readRefusal({ kind: 'texts', texts }, 400, payload);
  if (!(refusal instanceof CommerceRefusal)) throw new Error('not a refusal');
  return placeFaults(refusal.faults, entries);
}

describe('a refusal', () => {
  it('of one entry stands at that entry of the mutation, and the others are cancelled with it', () => {
    const text = 'payload.1.externalId should not be empty';
    const { ofRequest, ofEntries } = placed(text);
    const fault = { code: 'EXTERNAL_ID_INVALID', path: ['input', 'entries', '251', 'externalId'] };
    expect(ofEntries).toMatchObject([
      { code: 'SRR_NOT_CREATED', externalId: 'one' },
      { ...fault, externalId: 'two' },
    ]);
    expect(ofRequest).toMatchObject({ ...fault, upstreamMessage: text });
  });

  it('that says several things of one entry keeps the words of all', () => {
    const texts = ['payload.0.to must be a valid Ethereum addresses', 'payload.0.rule of tomorrow'];
    const { ofRequest, ofEntries } = placed(...texts);
    expect(ofEntries[0]).toMatchObject({ code: 'ADDRESS_INVALID', upstreamMessage: texts.join('\n') });
    expect(ofRequest.upstreamMessage).toBe(texts.join('\n'));
  });

  it('that is about no entry keeps its words with the issuance', () => {
    const texts = ['payload.1.externalId must be a string', 'a rule of tomorrow', 'another one'];
    const { ofRequest, ofEntries } = placed(...texts);
    expect(ofRequest).toMatchObject({ code: 'EXTERNAL_ID_INVALID', upstreamMessage: texts.join('\n') });
    expect(ofEntries[1]?.upstreamMessage).toBe(texts[0]);
  });
});
