import { FailedError, UsageError } from '../lib/exit-codes.ts';

interface Info {
  issuers: { address: string }[];
  artists: { address: string }[];
  buyers: { address: string }[];
}

/** A client of a sandbox's control API. */
export class Sandbox {
  readonly #origin: string;
  #info: Promise<Info> | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  async issuers(): Promise<string[]> {
    return (await this.#describe()).issuers.map(({ address }) => address.toLowerCase());
  }

  async artist(): Promise<string> {
    return (await this.#describe()).artists[0]?.address ?? '';
  }

  async buyer(): Promise<string> {
    return (await this.#describe()).buyers[0]?.address ?? '';
  }

  /** Causes something in the sandbox. */
  async post(path: string, body: object): Promise<void> {
    const response = await this.#call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new FailedError(
        `${this.#origin}/sandbox/${path} answered ${response.status}: ${await response.text()}`,
      );
    await response.body?.cancel();
  }

  #describe(): Promise<Info> {
    this.#info ??= this.#call('', {}).then(async (response) => {
      const info = response.ok
        ? ((await response.json().catch(() => undefined)) as Info | undefined)
        : undefined;
      if (info?.issuers && info.artists && info.buyers) return info;
      throw new UsageError(`${this.#origin} is no sandbox. Set --sandbox or SRR_SANDBOX_URL.`);
    });
    return this.#info;
  }

  async #call(path: string, init: RequestInit): Promise<Response> {
    const address = [`${this.#origin}/sandbox`, path].filter(Boolean).join('/');
    return fetch(address, init).catch(() => {
      throw new UsageError(
        `No answer from ${this.#origin}: is a sandbox there? Set --sandbox or SRR_SANDBOX_URL.`,
      );
    });
  }
}
