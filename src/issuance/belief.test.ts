import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { believe, standings, words } from './belief.ts';

/** How `docs/guarantees.md` says what follows. */
const inWords = {
  ISSUED: '**issued**',
  FAILED: '**failed**',
  ACCEPTED: 'accepted',
  HELD: 'held back',
  ASK_SUBGRAPH: 'ask the subgraph',
  NOTED: 'history',
  NOTHING: '–',
};

describe('the rules of belief', () => {
  it('let nothing change a positive end', () => {
    for (const word of words) expect(['NOTED', 'NOTHING']).toContain(believe(word, 'ISSUED'));
  });

  it('let every other standing of what was sent yield to proof on chain', () => {
    for (const standing of standings)
      expect(believe('SUBGRAPH_SHOWS', standing)).toBe(
        { UNSENT: 'NOTHING', ISSUED: 'NOTHING' }[standing as string] ?? 'ISSUED',
      );
  });

  it('settle nothing by what contradicts itself, or by what is said of a record that was not sent', () => {
    for (const standing of standings)
      expect(['ASK_SUBGRAPH', 'NOTHING']).toContain(believe('DELIVERY_UNCLEAR', standing));
    for (const word of words) expect(believe(word, 'UNSENT')).toBe('NOTHING');
  });

  it('are those that the guarantees print', () => {
    const text = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8');
    const rows = text.split('\n').flatMap((line) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return words.some((word) => name.includes(`\`${word}\``)) ? [[name, cells] as const] : [];
    });
    expect(rows.map(([name]) => /`(\w+)`/.exec(name)?.[1])).toEqual([...words]);
    for (const [i, word] of words.entries())
      expect([word, rows[i]?.[1]]).toEqual([word, standings.map((one) => inWords[believe(word, one)])]);
  });
});
