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
  /** Where its outcomes are told; registration is the operator's, so the test sets it. */
  webhook: { url: string; key: string } | undefined;
}

/** What the parts of the service share. */
export interface World {
  variants: Variants;
  chain: Chain;
  files: Files;
  deliveries: Deliveries;
  accounts: Account[];
  /** Wallets in lower case: the accounts' and those of artists. */
  wallets: Set<string>;
  registry: string;
  factory: string;
  /** `{base_url}` and `{cdn_url}`. */
  url: () => string;
  cdn: () => string;
  publish(tree: Tree): void;
  /** By externalId; the newest where one was used again. */
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

/** The account that a commerce call is made for. @throws Refused 401 */
export function authenticate(world: World, { headers }: SeenRequest): Account {
  const key = headers['commerce-api-key'];
  const address = headers['issuer-address'];
  if (!key || !address) throw new Refused(401, 'Missing header');
  const account = world.accounts.find((one) => same(one.address, String(address)));
  if (account?.apiKey !== key) throw new Refused(401, `API Key is not valid for ${address}`);
  return account;
}

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** An address as the variants have it written. */
export const written = ({ addresses }: Variants, address: string): string =>
  addresses === 'LOWER' ? address.toLowerCase() : checksummed(address);

/** Adds fields that nobody knows to every object of an answer or a delivery. */
export function extended(variants: Variants, value: unknown): unknown {
  if (!variants.extraFields || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => extended(variants, one));
  // Documents of callers and errors are not the service's to add to.
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'metadata' || name === 'message' ? inner : extended(variants, inner),
  ]);
  return { addedLater: { by: 'a newer version' }, ...Object.fromEntries(entries), status2: 7 };
}

export const ordered = <T>({ order }: Variants, list: T[]): T[] =>
  order === 'REVERSED' ? list.toReversed() : list;
