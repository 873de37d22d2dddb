import { printSchema } from 'graphql';
import { builder } from './builder.ts';
import './collection.ts';
import './create-collection.ts';
import './event.ts';
import './event-feeds.ts';
import './federation.ts';
import './issuance.ts';
import './issuance-queries.ts';
import './issue-operations.ts';
import './licensed-user.ts';
import './metadata.ts';
import './scalars.ts';
import './source.ts';
import './srr.ts';
import './srr-queries.ts';
import './upload.ts';
import './upload-operations.ts';
import './user-error.ts';
import './viewer.ts';
import './webhook-delivery-operations.ts';
import './webhook-endpoint.ts';
import './webhook-operations.ts';

/** The whole schema. Each import above adds its types to the builder. */
export const schema = builder.toSchema({ sortSchema: true });

/** The schema as text, for `schema/gateway.graphql` and `/schema.graphql`. */
export const printGatewaySchema = (): string => `${printSchema(schema)}\n`;
