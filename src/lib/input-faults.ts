import { coerceInputValue, type GraphQLError, type GraphQLInputType } from 'graphql';

/** A part of a value that its type does not accept. */
export interface InputFault {
  /** Fields and list indexes that lead to it. */
  path: string[];
  message: string;
  /** The wrong value, or the object with a missing or unknown field. */
  value: unknown;
}

/** graphql-js stops after this many errors too. All faults of a long list would fill the memory. */
const maxFaults = 50;
const enough = new Error('enough faults');

/** The faults of a value, in the order in which graphql-js reports them. */
export function inputFaults(value: unknown, type: GraphQLInputType, hideSuggestions = false): InputFault[] {
  const faults: InputFault[] = [];
  const add = (path: readonly (string | number)[], wrong: unknown, { message }: GraphQLError) => {
    faults.push({ path: [...path.map(String), ...fieldNamedIn(message)], message, value: wrong });
    if (faults.length === maxFaults) throw enough;
  };
  try {
    coerceInputValue(value, type, add, hideSuggestions);
  } catch (error) {
    if (error !== enough) throw error;
  }
  return faults;
}

/** For a missing or unknown field graphql-js gives the path of the object, and the field only in its message. */
function fieldNamedIn(message: string): string[] {
  const [, missing, unknown] =
    /^Field "(\w+)" of required type|^Field "(.*)" is not defined by type "\w+"/s.exec(message) ?? [];
  const name = missing ?? unknown;
  return name === undefined ? [] : [name];
}
