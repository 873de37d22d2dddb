import { randomUUID } from 'node:crypto';
import { parseAddress } from '@srr-gateway/common/address';
import { expect, it } from 'vitest';
import { withTables } from '../../test/_util/with-tables.ts';
import { SecretBox } from '../access/secret-box.ts';
import type { Issuer } from '../config/issuers.ts';
import type { Db } from '../store/tables.ts';
import type { EndpointRow } from './endpoints.ts';
import { resealSecrets } from './reseal.ts';
import { openSecret, sealSecret, secretsOf } from './secrets.ts';

const issuer = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') as Issuer['address'];
const [lost, old, current] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

let db: Db;
withTables((opened) => {
  db = opened;
});

it('secrets are sealed again with the current key, except those whose key is lost', async () => {
  const endpoint = async (key: Buffer) => {
    const id = randomUUID();
    const sealed_secret = sealSecret(new SecretBox(key), id, 'a secret');
    await db
      .insertInto('webhook_endpoint')
      .values({ id, issuer, url: `https://shop.example/${id}`, cursor: '0', sealed_secret })
      .execute();
    return id;
  };
  const unreadable = [await endpoint(lost), await endpoint(lost)];
  const readable = await endpoint(old);
  await resealSecrets(db, new SecretBox(current, old));
  const open = async (id: string, key: Buffer) => {
    const query = db.selectFrom('webhook_endpoint').select('sealed_secret').where('id', '=', id);
    const { sealed_secret: sealed } = await query.executeTakeFirstOrThrow();
    return openSecret(new SecretBox(key), id, sealed as Buffer);
  };
  expect(await open(readable, current)).toBe('a secret');
  for (const id of unreadable) expect(await open(id, lost)).toBe('a secret');
});

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const rowWith = (sealed_secret: Buffer, sealed_previous: Buffer) =>
  ({
    id: 'id',
    configured: false,
    sealed_secret,
    sealed_previous,
    previous_until: new Date(Date.now() + 60_000),
  }) as EndpointRow;
const box = new SecretBox(current);

it('a delivery is signed with the new secret only when the key of the previous one is lost', () => {
  const row = rowWith(sealSecret(box, 'id', secret), sealSecret(new SecretBox(lost), 'id', secret));
  expect(secretsOf(box, row, undefined)).toEqual([secret]);
});

it('a delivery is signed with the previous secret only when an earlier release took a secret that cannot sign', () => {
  const row = rowWith(sealSecret(box, 'id', 'whsec_short'), sealSecret(box, 'id', secret));
  expect(secretsOf(box, row, undefined)).toEqual([secret]);
});

it('a sealed secret that was copied to another endpoint cannot be opened', () => {
  expect(() => openSecret(box, 'another', sealSecret(box, 'id', secret))).toThrow('cannot be decrypted');
});
