import { randomBytes } from 'node:crypto';
import { bodyOf, type Field, object, text } from './fields.ts';

const saltForm = /^0x[0-9a-fA-F]{64}$/;

/** Read as lower case; random when absent. */
const salt: Field<`0x${string}`> = {
  optional: true,
  schema: {
    type: ['string', 'null'],
    pattern: saltForm.source,
    description: 'Absent: a random salt. Each salt works once.',
  },
  read(value, name, problems) {
    if (value === undefined || value === null) return `0x${randomBytes(32).toString('hex')}`;
    if (typeof value === 'string' && saltForm.test(value)) return `0x${value.slice(2).toLowerCase()}`;
    problems.add(`${name} must be 0x followed by 64 hexadecimal digits`);
    return '0x';
  },
};

/** The body of `POST /collection`. */
export const collectionRequest = bodyOf(object({ payload: object({ name: text, symbol: text, salt }) }));
