import { withTimeout } from '@srr-gateway/common/time';
import { IpfsFailure, parseIpfsReference } from '../clients/ipfs/ipfs.ts';
import { type SrrRecord, srrId } from '../clients/subgraph/subgraph.ts';
import type { Upstreams } from '../config/config.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { Clients } from './clients.ts';
import type { AppOptions } from './options.ts';

/** Probable mistakes in the configuration, by the source that they affect. */
export type ConfigFindings = Partial<Record<'COMMERCE' | 'SUBGRAPH' | 'IPFS', string>>;

/** Enough records that one odd record does not decide. */
const records = 10;
/** Few, because each may take as long as a gateway searches for content. */
const documents = 3;
/** Time for a check. A public gateway searches about as long for content that it does not have. */
const checkMs = 30_000;
/** When a check takes longer, the caller gets the previous findings. */
const waitMs = 2_000;
/** Minimum time between checks, because the field may be polled all the time. */
const maxAgeMs = 10_000;

/** Creates the check of the configured names; undefined with the sandbox, whose names are always right. */
export const configuredNames = (options: AppOptions, clients: Clients): ConfiguredNames | undefined =>
  options.config.upstreams && new ConfiguredNames(options, clients);

/**
 * Checks the configured names against the subgraph's records. With a wrong name no call fails, but all records stay
 * NOT_YET_INDEXED for no visible reason.
 */
export class ConfiguredNames {
  readonly #options: AppOptions;
  readonly #clients: Pick<Clients, 'subgraph' | 'ipfs'>;
  readonly #stopping = new AbortController();
  readonly #warned = new Set<string>();
  #findings: ConfigFindings = {};
  #checking: Promise<void> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AppOptions, clients: Pick<Clients, 'subgraph' | 'ipfs'>) {
    this.#options = options;
    this.#clients = clients;
  }

  /** Checks in the background: a subgraph that is down must not delay the start. */
  startCheck(): void {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
  }

  /** The present findings, or those of the last finished check. */
  async findings(signal: AbortSignal): Promise<ConfigFindings> {
    if (performance.now() - this.#checkedAt > maxAgeMs) this.startCheck();
    if (this.#checking) await withTimeout(this.#checking, waitMs, signal);
    return this.#findings;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(checkMs)]);
    try {
      this.#findings = await this.#compare(signal);
    } catch (error) {
      // A source that is down says nothing about names, and its own health check reports it.
      this.#options.log.debug({ err: error }, 'the configured names could not be checked');
      return;
    } finally {
      this.#checkedAt = performance.now();
    }
    for (const message of Object.values(this.#findings)) {
      if (this.#warned.has(message)) continue;
      this.#warned.add(message);
      this.#options.log.warn(message);
    }
  }

  async #compare(signal: AbortSignal): Promise<ConfigFindings> {
    const { lists } = await this.#clients.subgraph.lists(
      'srrs',
      [{ where: { collection: null }, orderBy: 'createdAt', direction: 'desc', first: records }],
      { signal },
    );
    const srrs = lists.flat();
    const registry = wrongRegistry(this.#options.upstreams, srrs);
    return {
      ...(registry && { SUBGRAPH: registry }),
      ...(await this.#compareDocuments(srrs, signal)),
    };
  }

  async #compareDocuments(srrs: readonly SrrRecord[], signal: AbortSignal): Promise<ConfigFindings> {
    const { prefix: vendorPrefix } = this.#options.config.vendor;
    const cids = [...new Set(srrs.flatMap(({ metadataDigest: cid }) => (isCid(cid) ? [cid] : [])))];
    const read = await Promise.all(
      cids
        .slice(0, documents)
        .map((cid) => this.#clients.ipfs.json(cid, signal).then(({ document }) => document, failure)),
    );
    const found = read.filter((document) => !(document instanceof IpfsFailure));
    if (read.length > 0 && found.length === 0)
      return {
        IPFS: `IPFS_GATEWAYS: none of them delivers the metadata of this subgraph's newest records, such as ${cids[0]}. Check the addresses.`,
      };
    const other = found.flatMap(prefixesIn).find((prefix) => prefix !== vendorPrefix);
    return other === undefined
      ? {}
      : {
          COMMERCE: `VENDOR_PREFIX is "${vendorPrefix}", and documents of this subgraph have the field ${other}${alias}: it should be "${other}". Check VENDOR_PATH too.`,
        };
  }
}

/** Compares ids of registry records, because nothing else in them depends on the contract. */
function wrongRegistry({ registryAddress }: Upstreams, srrs: readonly SrrRecord[]): string | undefined {
  if (registryAddress === undefined) return undefined;
  // In older subgraphs the id is the token id, which does not depend on the contract.
  const hashed = srrs.filter(({ id, tokenId }) => tokenId && /^0x[0-9a-f]{64}$/i.test(id));
  if (hashed.length === 0) return undefined;
  const fits = hashed.some(
    ({ id, tokenId }) => srrId(registryAddress, tokenId as string) === id.toLowerCase(),
  );
  if (fits) return undefined;
  return `REGISTRY_ADDRESS does not give the id of any registry record of this subgraph: ${registryAddress} is not its registry, or SUBGRAPH_URL is of another chain.`;
}

/**
 * The failure if content was not found, which is a sign of wrong gateways; undefined for an outage or odd content,
 * which is another problem.
 */
function failure(error: unknown): IpfsFailure | undefined {
  if (!(error instanceof IpfsFailure)) throw error;
  return error.kind === 'NOT_FOUND' || error.kind === 'TIMEOUT' ? error : undefined;
}

const alias = 'CertICTagUIDs';

function prefixesIn(document: unknown): string[] {
  return Object.keys(isJsonObject(document) ? document : {}).flatMap((name) =>
    /^\w{1,50}$/.test(name) && name.endsWith(alias) ? [name.slice(0, -alias.length)] : [],
  );
}

/** Digests from before 2023 are not CIDs. */
const isCid = (digest: string | null | undefined): digest is string =>
  typeof digest === 'string' && parseIpfsReference(digest) !== undefined;
