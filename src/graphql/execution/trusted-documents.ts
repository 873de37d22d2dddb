import { createHash } from 'node:crypto';
import { StartError } from '@srr-gateway/common/start-error';
import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { askedFor, type DocumentStore } from './persisted-queries.ts';

/**
 * Executes only the documents that the operator took from the front-end's build, named by id or sent as text,
 * over HTTP and WebSocket.
 * @throws StartError when one of them is not valid against the schema.
 */
export function trustedDocuments(
  documents: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
): DocumentStore {
  for (const [id, text] of documents) checkRuns(id, text, schema);
  const texts = new Set(documents.values());
  const plugin: Plugin = {
    onParams({ params, setParams }) {
      const asked = askedFor(params);
      const query = asked && !params.query ? documents.get(asked.sha256Hash) : undefined;
      if (query !== undefined) setParams({ ...params, query });
      else if (asked && !params.query) throw untrusted(asked.sha256Hash);
    },
    onParse({ params }) {
      const text = params.source.toString();
      const body = typeof params.source === 'string' ? text : params.source.body;
      if (!texts.has(body)) throw untrusted(createHash('sha256').update(body).digest('hex'));
    },
  };
  return { plugin, find: (id) => documents.get(id) };
}

function untrusted(hash: string): GraphQLError {
  return new GraphQLError(
    `This gateway executes only documents that it was given in advance, and ${hash.slice(0, 64)} is none of them (TRUSTED_DOCUMENTS_FILE).`,
    { extensions: { code: 'DOCUMENT_NOT_TRUSTED', http: { status: 403 } } },
  );
}

function checkRuns(id: string, text: string, schema: GraphQLSchema): void {
  try {
    const [error] = validate(schema, parse(text));
    if (error) throw error;
  } catch (cause) {
    if (!(cause instanceof GraphQLError)) throw cause;
    throw new StartError(`TRUSTED_DOCUMENTS_FILE: ${id} cannot run: ${cause.message}`, { cause });
  }
}
