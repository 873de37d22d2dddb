import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide, decisionStates, reports } from './decision-table.ts';

/** The words of `docs/guarantees.md` for each decision. */
const inWords = {
  ISSUED: '**issued**',
  FAILED: '**failed**',
  ACCEPTED: 'accepted',
  HELD: 'held back',
  ASK_SUBGRAPH: 'ask the subgraph',
  ADD_TO_HISTORY: 'history',
  NOTHING: '–',
};

describe('the decision table', () => {
  it('lets no report change an issued entry', () => {
    for (const report of reports) expect(['ADD_TO_HISTORY', 'NOTHING']).toContain(decide(report, 'ISSUED'));
  });

  it('issues every other entry that was sent once the subgraph shows its record', () => {
    for (const state of decisionStates)
      expect(decide('SUBGRAPH_SHOWS', state)).toBe(
        { UNSENT: 'NOTHING', ISSUED: 'NOTHING' }[state as string] ?? 'ISSUED',
      );
  });

  it('settles no entry by a contradictory delivery, nor one that was not sent by any report', () => {
    for (const state of decisionStates)
      expect(['ASK_SUBGRAPH', 'NOTHING']).toContain(decide('DELIVERY_UNCLEAR', state));
    for (const report of reports) expect(decide(report, 'UNSENT')).toBe('NOTHING');
  });

  it('is the table in docs/guarantees.md', () => {
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
      expect([report, rows[i]?.[1]]).toEqual([
        report,
        decisionStates.map((one) => inWords[decide(report, one)]),
      ]);
  });
});
