import type { Plugin } from 'graphql-yoga';
import type { HeaderSource, Authenticator as Proving } from '../../../src/access/authenticate.ts';
import { anonymous, type IssuerCaller } from '../../../src/access/caller.ts';

/** In the place of what limits: nothing is looked at. */
const nothing = (): Plugin => ({});
export const anonymousBody = nothing;
export const deadline = nothing;
export const queryLimits = nothing;

const issuer = `0x${'1'.repeat(40)}` as const;
const somebody: IssuerCaller = {
  kind: 'issuer',
  issuer,
  scopes: new Set(['read']),
  credentials: { issuer, apiKey: 'none' },
};

/** In the place of what proves: whoever sends credentials is somebody, and they are not looked at. */
export class Authenticator implements Pick<Proving, 'caller' | 'prove' | 'provenIssuer'> {
  async caller(headers: HeaderSource) {
    return headers.get('authorization') === null ? anonymous : somebody;
  }

  async prove() {
    return undefined;
  }

  provenIssuer() {
    return undefined;
  }
}
