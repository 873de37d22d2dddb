import type { People } from './people.ts';
import { type Category, type Way, ways } from './uploads.ts';

/** A record to be issued, and what must be true of it afterwards. */
export interface Work {
  externalId: string;
  title: { en: string; ja: string };
  picture: string;
  way: Way;
  artist: string;
  royaltyRate: number;
  /** Absent: the record stays in the issuer's wallet. */
  to?: string;
  intoCollection: boolean;
}

/** What is attached to every record: one file of each category. */
export const attachments: { name: string; category: Category; file?: string }[] = [
  // Without a file of its own the attachment is the work's picture.
  { name: 'artwork.jpg', category: 'ARTWORK' },
  { name: 'certificate.pdf', category: 'CERTIFICATE', file: 'certificate.pdf' },
  { name: 'authenticity-mark.png', category: 'FOR_AUTHENTICITY', file: 'authenticity-mark.png' },
  { name: 'installation-note.txt', category: 'INSTALLATION', file: 'installation-note.txt' },
];

/** Three works: for the issuer's own wallet, for a buyer, and for the collection. */
export function planWorks({ artists, buyer }: People, run: string): Work[] {
  const plan = [
    { picture: 'harbour-at-dusk.jpg', en: 'Harbour at Dusk', ja: '夕暮れの港', royaltyRate: 10 },
    { picture: 'glass-orchard.jpg', en: 'Glass Orchard', ja: '硝子の果樹園', royaltyRate: 12.5, to: buyer },
    { picture: 'slow-current.jpg', en: 'Slow Current', ja: 'ゆるやかな流れ', royaltyRate: 15.7 },
  ];
  return plan.map(({ picture, en, ja, royaltyRate, to }, i) => ({
    externalId: `demo-${run}-${i + 1}`,
    // The same content by the same artist is issued only once, so the title carries the run.
    title: { en: `${en} (${run})`, ja: `${ja}（${run}）` },
    picture,
    way: ways[i % ways.length] as Way,
    artist: artists[i % artists.length] as string,
    royaltyRate,
    ...(to && { to }),
    intoCollection: i === 2,
  }));
}
