import type { MaybePromise } from '../../../lib/maybe-promise.ts';

type Data = Record<string, unknown>;

/** Finds the immutable object that an object's fields are read from. */
type ContentOf = (source: never) => object | undefined;

/** What the fields of an immutable part may depend on besides its content. */
export interface PartConditions {
  /** The languages of the caller. */
  readonly languages: string;
  /** Grows when an argument is read from a variable. */
  readonly variablesRead: number;
  /** Whether a value may be another at the next request without a new block, so that the part is not cached. */
  readonly mayChangeWithoutNewBlock: boolean;
}

interface Part {
  selection: number;
  languages: string;
  data: Data;
}

/**
 * For each immutable object, its part of the last answer that had it. A page at a new block mostly has documents that
 * an earlier one had; completing them again took a quarter of the time of a page of 999. An object's part is garbage
 * collected with it, so the cache of the objects bounds the parts.
 */
const parts = new WeakMap<object, Part>();
let selections = 0;

/**
 * Options of a type whose fields depend only on this content, their arguments and the caller's languages. A field
 * that reads anything else must set `loaders.mayChangeWithoutNewBlock` until it knows its final value.
 */
export const immutable = (contentOf: ContentOf) => ({ extensions: { contentOf } });

/** Completes objects of an immutable type, each once for the selection and languages that were last asked. */
export function reuseParts<Source, Conditions extends PartConditions>(
  { contentOf }: { contentOf?: ContentOf },
  complete: (source: Source, conditions: Conditions) => MaybePromise<Data>,
): typeof complete {
  if (!contentOf) return complete;
  const selection = selections++;
  return (source, conditions) => {
    const content = contentOf(source as never);
    if (!content) return complete(source, conditions);
    const { languages, variablesRead } = conditions;
    const part = parts.get(content);
    if (part?.selection === selection && part.languages === languages) return part.data;
    const data = complete(source, conditions);
    const isFixed = !(data instanceof Promise) && conditions.variablesRead === variablesRead;
    if (isFixed && !conditions.mayChangeWithoutNewBlock) parts.set(content, { selection, languages, data });
    return data;
  };
}
