import { randomBytes } from 'node:crypto';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import type { Issuer, Upstreams } from '../config/config.ts';
import type { Showcase } from '../graphql/server/graphiql.ts';

/** Accepted only while the sandbox stands in: they open nothing that is worth anything. */
export const demo = { token: 'demo-token', webhookKey: 'demo-webhook-key' };

export function upstreamsOf(info: SandboxInfo): Upstreams {
  return {
    commerceUrl: info.commerceUrl,
    subgraphUrls: [info.subgraphUrl],
    ipfsGateways: [info.ipfsUrl],
    registryAddress: parseAddress(info.registryAddress),
  };
}

/** The sandbox's issuers, the first with the demo token and key; other webhook keys are made anew at each start. */
export function demoIssuers(info: SandboxInfo): Issuer[] {
  return info.issuers.map(({ address, apiKey }, i) => ({
    address: parseAddress(address) as Address,
    apiKey,
    webhookKeys: [i === 0 ? demo.webhookKey : randomBytes(24).toString('base64url')],
    signingSecrets: [],
    tokens: i === 0 ? [{ token: demo.token, scopes: ['read', 'upload', 'issue'] }] : [],
  }));
}

export function showcaseOf({ artists, buyers }: SandboxInfo): Showcase {
  return { token: demo.token, variables: { artist: artists[0]?.address, buyer: buyers[0]?.address } };
}
