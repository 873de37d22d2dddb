import { randomBytes } from 'node:crypto';
import { isRecord, Problems } from './problems.ts';

export interface CollectionRequest {
  name: string;
  symbol: string;
  /** 0x and 64 hex digits, lower case. */
  salt: `0x${string}`;
}

/** Reads the body of `POST /collection`; an absent salt is drawn at random. */
export function readCollectionRequest(body: unknown): CollectionRequest {
  const problems = new Problems();
  const payload = problems.record(isRecord(body) ? body.payload : undefined, 'payload');
  const request = {
    name: problems.text(payload.name, 'payload.name'),
    symbol: problems.text(payload.symbol, 'payload.symbol'),
    salt: readSalt(payload.salt, problems),
  };
  problems.throwIfAny();
  return request;
}

function readSalt(value: unknown, problems: Problems): `0x${string}` {
  if (value === undefined || value === null) return `0x${randomBytes(32).toString('hex')}`;
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value))
    return value.toLowerCase() as `0x${string}`;
  problems.add('payload.salt must be 0x followed by 64 hexadecimal digits');
  return '0x';
}
