import type { Store } from '../store/store.ts';
import type { Clients } from './clients.ts';
import type { ConfiguredNames } from './configured-names.ts';
import type { Services } from './services.ts';

/** What the servers are wired from. */
export interface Parts {
  store: Store;
  clients: Clients;
  services: Services;
  names: ConfiguredNames | undefined;
  /** What changes after the server is created: its own address, and whether it is stopping. */
  state: { url: string; stopping: boolean };
}
