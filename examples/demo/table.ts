import type { Srr } from './joined.ts';
import type { Work } from './records.ts';

/** One row a record, and below the addresses to open in a browser. */
export function printTable(records: { work: Work; srr: Srr | null }[]): void {
  const short = (address?: string | null) => (address ? `${address.slice(0, 8)}…${address.slice(-4)}` : '-');
  const rows = records.map(({ work, srr }) => [
    srr?.metadata?.title?.text ?? work.externalId,
    srr?.tokenId ?? '-',
    `${short(srr?.owner)}${work.to ? ' (buyer)' : ' (issuer)'}`,
    srr?.artist?.englishName ?? '-',
    srr?.collection?.name ?? 'registry',
    srr?.royalty ? `${srr.royalty.percent} %` : '-',
    srr?.provenance?.edges.map(({ node }) => `${short(node.from)} → ${short(node.to)}`).join(', ') || '-',
    srr?.metadataStatus ?? '-',
  ]);
  const heads = ['title', 'token', 'owner', 'artist', 'collection', 'royalty', 'provenance', 'metadata'];
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  console.log(`\n${line(heads)}\n${widths.map((width) => '─'.repeat(width)).join('  ')}`);
  for (const row of rows) console.log(line(row));
  console.log();
  for (const { work, srr } of records)
    console.log(
      `${work.title.en}\n  picture   ${srr?.metadata?.image?.url ?? '-'}\n  metadata  ${srr?.metadataUrl ?? '-'}`,
    );
}
