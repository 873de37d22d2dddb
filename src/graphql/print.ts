import { printSchema } from 'graphql';
import { schema } from './schema.ts';

/** The public contract as text, as `schema/gateway.graphql` holds it. */
export function printGatewaySchema(): string {
  return `${printSchema(schema)}\n`;
}
