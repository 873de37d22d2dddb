import type { SharedAnswers } from '../graphql/execution/shared-answers.ts';
import type { Store } from '../store/store.ts';
import type { Clients } from './clients.ts';
import type { ConfiguredNames } from './configured-names.ts';
import type { Services } from './services.ts';

/** The parts from which the servers are wired. */
export interface Parts {
  store: Store;
  clients: Clients;
  services: Services;
  names: ConfiguredNames | undefined;
  /** Absent: replicas share no answers. */
  answers: SharedAnswers | undefined;
  /** State that changes after the server is created: its address, and whether it is stopping. */
  state: { url: string; stopping: boolean };
}
