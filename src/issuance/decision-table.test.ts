import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide, reports, standings } from './decision-table.ts';

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

describe('the decision table', () => {
  it('let nothing change a positive end', () => {
    for (const report of reports) expect(['NOTED', 'NOTHING']).toContain(decide(report, 'ISSUED'));
  });

  it('let every other standing of what was sent yield to proof on chain', () => {
    for (const standing of standings)
      expect(decide('SUBGRAPH_SHOWS', standing)).toBe(
        { UNSENT: 'NOTHING', ISSUED: 'NOTHING' }[standing as string] ?? 'ISSUED',
      );
  });

  it('settle nothing by what contradicts itself, or by what is said of a record that was not sent', () => {
    for (const standing of standings)
      expect(['ASK_SUBGRAPH', 'NOTHING']).toContain(decide('DELIVERY_UNCLEAR', standing));
    for (const report of reports) expect(decide(report, 'UNSENT')).toBe('NOTHING');
  });

  it('are those that the guarantees print', () => {
    const text = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8');
    const rows = text.split('\n').flatMap((line) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return reports.some((report) => name.includes(`\`${report}\``)) ? [[name, cells] as const] : [];
    });
    expect(rows.map(([name]) => /`(\w+)`/.exec(name)?.[1])).toEqual([...reports]);
    for (const [i, report] of reports.entries())
      expect([report, rows[i]?.[1]]).toEqual([report, standings.map((one) => inWords[decide(report, one)])]);
  });
});
