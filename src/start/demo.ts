import { randomBytes } from 'node:crypto';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import type { Issuer, Upstreams } from '../config/config.ts';
import type { Showcase } from '../graphql/transport/graphiql.ts';

/** Accepted only with the sandbox, where they give access to nothing of value. */
export const demo = { token: 'demo-token', webhookKey: 'demo-webhook-key' };

/** The sandbox's addresses as upstreams. */
export function upstreamsOf(info: SandboxInfo): Upstreams {
  return {
    commerceUrl: info.commerceUrl,
    subgraphUrls: [info.subgraphUrl],
    ipfsGateways: [info.ipfsUrl],
    registryAddress: parseAddress(info.registryAddress),
  };
}

/**
 * The sandbox's issuers. The first has the demo token and key; the other webhook keys are made at each start.
 */
export function demoIssuers(info: SandboxInfo): Issuer[] {
  return info.issuers.map(({ address, apiKey }, i) => ({
    address: parseAddress(address) as Address,
    apiKey,
    webhookKeys: [i === 0 ? demo.webhookKey : randomBytes(24).toString('base64url')],
    signingSecrets: [],
    tokens: i === 0 ? [{ token: demo.token, scopes: ['read', 'upload', 'issue'] }] : [],
  }));
}

/** Sample values for GraphiQL, from the sandbox's demo data. */
export function showcaseOf({ artists, buyers }: SandboxInfo): Showcase {
  return { token: demo.token, variables: { artist: artists[0]?.address, buyer: buyers[0]?.address } };
}
