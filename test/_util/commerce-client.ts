import { silent } from '@srr-gateway/common/testing/database';
import { onTestFinished } from 'vitest';
import { type Commerce, type Credentials, createCommerce } from '../../src/clients/commerce/commerce.ts';

export const credentials: Credentials = {
  issuer: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  apiKey: 'a-key-that-nobody-may-see',
};

/** A client that is closed when the test ends. */
export function clientOf(baseUrl: string, timeouts?: { read?: number; issue?: number }): Commerce {
  const commerce = createCommerce({ baseUrl, log: silent, ...(timeouts && { timeouts }) });
  onTestFinished(() => commerce.close());
  return commerce;
}
