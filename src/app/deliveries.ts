import { appendDeliveries } from '../events/append-deliveries.ts';
import { DeliveryGroups } from '../events/delivery-groups.ts';
import type { Parts } from './parts.ts';

/** Wires how deliveries are stored: with their effects on issuances. The next read then asks for the newest block. */
export const createDeliveries = ({ store, clients, services: { issuances } }: Parts): DeliveryGroups =>
  new DeliveryGroups((issuer, group) =>
    appendDeliveries(store.db, issuer, group, (...args) => issuances.applyDeliveries(...args)).finally(() =>
      clients.subgraph.invalidateHead(),
    ),
  );
