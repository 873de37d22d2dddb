import { createHash } from 'node:crypto';

/** A licensed user of the sandbox's world: fictional, and the same in every sandbox. */
export interface Person {
  /** The wallet's address is derived from it, so never change it. */
  key: string;
  englishName: string;
  originalName: string;
  userType: 'handler' | 'artist';
  /** Indexes of the play accounts that own the wallet. */
  owners: readonly (0 | 1 | 2)[];
  /** How many of the owners must agree. */
  threshold: number;
  /** A public API key that works only in a sandbox. */
  apiKey?: string;
  withdrawn?: boolean;
}

/** The licensed users of every sandbox. */
export const people: readonly Person[] = [
  {
    key: 'lantern-hall',
    englishName: 'Lantern Hall Gallery',
    originalName: '灯火堂',
    userType: 'handler',
    owners: [0],
    threshold: 1,
    apiKey: 'play-key-lantern-hall',
  },
  {
    key: 'northlight',
    englishName: 'Northlight Editions',
    originalName: 'Northlight Editions',
    userType: 'handler',
    owners: [1],
    threshold: 1,
    apiKey: 'play-key-northlight',
  },
  {
    key: 'mio-asagiri',
    englishName: 'Mio Asagiri',
    originalName: '朝霧 澪',
    userType: 'artist',
    owners: [2],
    threshold: 1,
  },
  {
    key: 'tomas-verhaal',
    englishName: 'Tomas Verhaal',
    originalName: 'Tomas Verhaal',
    userType: 'artist',
    owners: [2],
    threshold: 1,
  },
  {
    key: 'ines-calderwood',
    englishName: 'Ines Calderwood',
    originalName: 'Inês Calderwood',
    userType: 'artist',
    owners: [2],
    threshold: 1,
  },
  // The wallet is still on chain, but the service no longer serves it: gives "Address not found".
  {
    key: 'oskar-fielding',
    englishName: 'Oskar Fielding',
    originalName: 'Oskar Fielding',
    userType: 'artist',
    owners: [2],
    threshold: 1,
    withdrawn: true,
  },
];

/** 32 bytes from which the address of a person's wallet is derived. */
export function walletSalt(key: string): `0x${string}` {
  return `0x${createHash('sha256').update(`srr-sandbox/${key}`).digest('hex')}`;
}
