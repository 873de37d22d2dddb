import type { Chain } from './chain.ts';
import type { Tree } from './content.ts';
import type { Deliveries } from './deliveries.ts';
import type { Files } from './files.ts';
import { checksummed } from './ids.ts';
import type { Accepted } from './mint.ts';
import type { Variants } from './variants.ts';
import type { Reply, SeenRequest } from './web.ts';

/** A licensed user with an API key. */
export interface Account {
  address: string;
  apiKey: string;
  /** The webhook of the account, which the test sets, because the operator registers webhooks. */
  webhook: { url: string; key: string } | undefined;
}

/** The state that the parts of the service share. */
export interface World {
  variants: Variants;
  chain: Chain;
  files: Files;
  deliveries: Deliveries;
  accounts: Account[];
  /** The wallets of accounts and artists, in lower case. */
  wallets: Set<string>;
  registry: string;
  factory: string;
  /** The address for `{base_url}` and `{cdn_url}`. */
  url: () => string;
  cdn: () => string;
  publish(tree: Tree): void;
  /** The accepted entries by externalId; the newest if one was used again. */
  accepted: Map<string, Accepted>;
}

/** A refusal that ends the work on a request. */
export class Refused extends Error {
  readonly reply: Reply;
  constructor(status: number, message: unknown) {
    super(JSON.stringify(message));
    this.reply = { status, body: { statusCode: status, message } };
  }
}

/** The account of a commerce call. @throws Refused 401 */
export function authenticate(world: World, { headers }: SeenRequest): Account {
  const key = headers['commerce-api-key'];
  const address = headers['issuer-address'];
  if (!key || !address) throw new Refused(401, 'Missing header');
  const account = world.accounts.find((one) => same(one.address, String(address)));
  if (account?.apiKey !== key) throw new Refused(401, `API Key is not valid for ${address}`);
  return account;
}

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** An address in the letter case of the variants. */
export const written = ({ addresses }: Variants, address: string): string =>
  addresses === 'LOWER' ? address.toLowerCase() : checksummed(address);

/** Adds unknown fields to every object of a response or a delivery. */
export function extended(variants: Variants, value: unknown): unknown {
  if (!variants.extraFields || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => extended(variants, one));
  // The service does not change the documents of callers, or errors.
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'metadata' || name === 'message' ? inner : extended(variants, inner),
  ]);
  return { addedLater: { by: 'a newer version' }, ...Object.fromEntries(entries), status2: 7 };
}

export const ordered = <T>({ order }: Variants, list: T[]): T[] =>
  order === 'REVERSED' ? list.toReversed() : list;
