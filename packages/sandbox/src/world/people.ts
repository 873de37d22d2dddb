import { createHash } from 'node:crypto';

/** An inhabitant of the sandbox's world: fictional, and the same in every sandbox. */
export interface Person {
  /** Decides the wallet's address; never change it. */
  key: string;
  englishName: string;
  originalName: string;
  userType: 'handler' | 'artist';
  /** Which play accounts own the wallet. */
  owners: readonly (0 | 1 | 2)[];
  /** How many of the owners must agree. */
  threshold: number;
  /** A public play key: it opens nothing but a sandbox. */
  apiKey?: string;
  withdrawn?: boolean;
}

/** Those whom every sandbox has. */
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
  // Still on chain, but the service serves this wallet no more: what "Address not found" is about.
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

/** 32 bytes that decide the address of a person's wallet. */
export function walletSalt(key: string): `0x${string}` {
  return `0x${createHash('sha256').update(`srr-sandbox/${key}`).digest('hex')}`;
}
