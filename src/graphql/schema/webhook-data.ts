import { type DocumentNode, execute, parse } from 'graphql';
import type { IssuerCaller } from '../../access/caller.ts';
import { databaseUnavailable } from '../../lib/database-unavailable.ts';
import { eventTypeInfo } from '../../model/event-type.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Contexts } from '../execution/context.ts';
import { typeNameOf } from './event.ts';
import { shownFields } from './event-fields.ts';
import { schema } from './schema.ts';

/** Selects only data of the gateway's own database: a delivery must not wait for the subgraph. */
const selections = { SRR: '{ id tokenId }', UserError: '{ code message path externalId upstreamMessage }' };

const ofEvery = '__typename id cursor type source receivedAt raw';
// One document for each type: a field may be nullable in one type and not in another, and one document may not select
// both.
const documents = new Map<string, DocumentNode>(
  Object.values(eventTypeInfo).map(({ name }) => {
    const fields = shownFields(name, selections).map((field) => `${field.name} ${field.selection}`);
    return [name, parse(`subscription { events { ${ofEvery} ... on ${name} { ${fields.join(' ')} } } }`)];
  }),
);
const least = parse(`subscription { events { ${ofEvery} } }`);

/**
 * Renders an event as the query `events` does, by executing the schema for its issuer. An event that cannot be
 * rendered as its type gets only the common fields, so that it does not block the later ones for ever.
 * @throws when the database is unavailable.
 */
export function webhookData(contexts: Contexts) {
  const show = async (event: EventRow, document: DocumentNode, signal: AbortSignal) => {
    const caller: IssuerCaller = {
      kind: 'issuer',
      issuer: event.issuer,
      scopes: new Set(['read']),
      // No selected field calls the issuance service.
      credentials: { issuer: event.issuer, apiKey: '' },
    };
    const contextValue = contexts.of(caller, {}, { signal });
    const { data, errors = [] } = await execute({ schema, document, rootValue: event, contextValue });
    const unavailable = errors.map(({ originalError }) => databaseUnavailable(originalError)).find(Boolean);
    if (unavailable) throw unavailable;
    return errors.length > 0 ? undefined : (data as { events: object }).events;
  };
  return async (event: EventRow, signal: AbortSignal): Promise<object> => {
    const whole = await show(event, documents.get(typeNameOf(event)) ?? least, signal);
    const rendered = whole ?? (await show(event, least, signal));
    if (rendered) return rendered;
    throw new Error(`The event ${event.cursor} cannot be shown.`);
  };
}
