import { expect, it } from 'vitest';
import { credentialsIn, nameOf, tokenOf } from './request-credentials.ts';

it.each(['Bearer a.b-c', 'bearer a.b-c', 'BEARER   a.b-c'])('%s is a bearer token', (authorization) => {
  expect(credentialsIn({ authorization })).toEqual({ kind: 'authorization', token: tokenOf('a.b-c') });
});

it.each(['Basic a', 'Bearer', 'Bearer a b', 'Basic x, Bearer a'])('%s is none', (authorization) => {
  expect(credentialsIn({ authorization })).toEqual({ kind: 'authorization', token: undefined });
});

it('a key is other credentials for each issuer', () => {
  const names = ['0x1', '0x2'].map((issuer) =>
    nameOf(credentialsIn({ 'commerce-api-key': 'a-key', 'issuer-address': issuer })),
  );
  expect(new Set(names).size).toBe(2);
});
