import * as apollo from '@apollo/composition';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

export interface Subgraph {
  name: string;
  url: string;
  sdl: string;
}

const composers = {
  /** The Guild's library, which Hive uses. */
  guild: composeServices,
  /** Apollo's library, which the tools of their router use. */
  apollo: apollo.composeServices,
};
type Composer = keyof typeof composers;

/** Composes the SDL of the supergraph. @throws Error with the composer's message when the subgraphs do not fit. */
export function compose(subgraphs: readonly Subgraph[], composer: Composer = 'guild'): string {
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));
  const { supergraphSdl, errors = [] } = composers[composer](services);
  if (supergraphSdl) return supergraphSdl;
  throw new Error(`The subgraphs do not compose:\n${errors.map(({ message }) => `- ${message}`).join('\n')}`);
}
