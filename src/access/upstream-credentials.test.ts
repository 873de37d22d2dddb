import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import type { Issuer } from '../config/config.ts';
import { Issuers } from './issuers.ts';
import { SecretBox } from './secret-box.ts';
import { UpstreamCredentials } from './upstream-credentials.ts';

const [issuer, other] = [issuerNumber(1), issuerNumber(2)];
const configured = (apiKey: string) => [{ address: issuer, apiKey } as Issuer];

it('work uses the key that is configured now, of which no copy is stored', () => {
  const issuers = new Issuers(configured('old'));
  const keys = new UpstreamCredentials(issuers, new SecretBox(randomBytes(32)));
  const stored = keys.seal({ issuer, apiKey: 'old' });
  expect(stored).toBeNull();
  issuers.replace(configured('new'));
  expect(keys.open(issuer, stored)).toEqual({ issuer, apiKey: 'new' });
  issuers.replace([]);
  expect(keys.open(issuer, stored)).toBeUndefined();
});

it('another key of the caller is stored for its issuer alone', () => {
  const keys = new UpstreamCredentials(new Issuers(configured('theirs')), new SecretBox(randomBytes(32)));
  const stored = keys.seal({ issuer, apiKey: 'own' });
  expect(keys.open(issuer, stored)).toEqual({ issuer, apiKey: 'own' });
  expect(() => keys.open(other, stored)).toThrow('cannot be decrypted');
});
