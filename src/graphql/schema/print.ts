import { printSchema } from 'graphql';
import { schema } from './schema.ts';

/** The schema as text, for `schema/gateway.graphql`. */
export function printGatewaySchema(): string {
  return `${printSchema(schema)}\n`;
}
