import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { requestIdOf } from '../issue/batch.ts';
import { FailedError } from '../lib/exit-codes.ts';
import { columnAt } from './columns.ts';
import { filesOf } from './draft.ts';
import { LocalFile } from './local-file.ts';
import { readManifest } from './manifest.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  mkdirSync(join(folder, 'works'));
  for (const name of ['a.jpg', 'b.jpg', '..c.jpg', 'works/c.jpg', 'plain', 'v1.0 final'])
    writeFileSync(join(folder, name), name);
  symlinkSync('/etc/passwd', join(folder, 'link.jpg'));
  symlinkSync('nothing.jpg', join(folder, 'gone.jpg'));
  symlinkSync('works/c.jpg', join(folder, 'inner.jpg'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const headers =
  'externalId,artistAddress,isPrimaryIssuer,lockExternalTransfer,name,title.en,medium.en,yearOfCreation.en,image';
const cells = 'one,0x12,yes,no,One,One,Oil,2026,a.jpg';
const manifest = (content: string | Buffer, name = 'records.csv') => {
  writeFileSync(join(folder, name), content);
  return readManifest(join(folder, name));
};
const faults = (content: string | Buffer, name?: string) => {
  try {
    manifest(content, name);
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
  throw new Error('the manifest has no faults');
};

const entry = {
  externalId: 'one',
  artistAddress: '0x12',
  isPrimaryIssuer: true,
  lockExternalTransfer: false,
  metadata: { name: 'One', title: { en: 'One' }, medium: { en: 'Oil' }, yearOfCreation: { en: '2026' } },
};

describe('a manifest', () => {
  it.each([
    ['in its plain form', `${headers}\n${cells}\n`],
    ['with a byte order mark and CRLF', `\ufeff${headers}\r\n${cells}\r\n`],
    ['with semicolons', `${headers}\n${cells}\n`.replaceAll(',', ';')],
    [
      'with the line in which Excel names the separator',
      `\ufeffsep=;\r\n${headers};\r\n${cells};\r\n`.replaceAll(',', ';'),
    ],
    ['with tabs', `${headers}\n${cells}\n`.replaceAll(',', '\t')],
    ['with quotes everywhere', `${headers}\n${cells}\n`.replaceAll(/[^,\n]+/g, '"$&"')],
    ['with empty rows and columns', `${headers},,\n${cells}, ,\n,,,,,,,,,,\n\n`],
    ['with blanks around', `${headers}\n${cells}\n`.replaceAll(',', ' , ')],
    ['without a line break at its end', `${headers}\n${cells}`],
  ])('is read %s', (_how, text) => {
    const { drafts } = manifest(text);
    expect(drafts).toMatchObject([{ where: 'row 2', entry }]);
    expect(drafts).toHaveLength(1);
    expect(drafts[0]).toMatchObject({ entry: { metadata: { image: { path: `${folder}/a.jpg` } } } });
  });

  it('may have the line ends of several programs', () => {
    const row = (id: string) => cells.replace('one', id);
    const { drafts } = manifest(`${headers}\r\n${row('one')}\n${row('two')}\r\n${row('three')}\r`);
    expect(drafts.map(({ externalId }) => externalId)).toEqual(['one', 'two', 'three']);
  });

  it('is read from a folder that is named by a link', () => {
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    onTestFinished(() => rmSync(link));
    manifest(`${headers}\n${cells}`);
    expect(readManifest(join(link, 'records.csv')).drafts).toMatchObject([{ entry }]);
  });

  it('may name files that are stored already, and leave values out', () => {
    const stored = 'https://files.example/a.jpg';
    const local = 'http://127.0.0.1:4001/a.jpg';
    const { drafts } = manifest(`${headers},to,chipUIDs\n${cells.replace('a.jpg', stored)},,04A1||04B2|`);
    expect(drafts).toMatchObject([
      { entry: { metadata: { image: { finalUrl: stored }, chipUIDs: ['04A1', '04B2'] } } },
    ]);
    expect(manifest(`${headers}\n${cells.replace('a.jpg', local)}`).drafts).toMatchObject([
      { entry: { metadata: { image: { finalUrl: local } } } },
    ]);
    const record = { ...entry, metadata: undefined, ...entry.metadata, image: 'a.jpg', to: null };
    expect(manifest(JSON.stringify([record]), 'a.json').drafts).toMatchObject([{ entry }]);
  });

  it('has one fault for each mistake', () => {
    const without = cells.replace(/^one/, '');
    expect(faults(`${headers}\n${without}\n${without}`)).toBe(
      ['row 2', 'row 3'].map((row) => `records.csv: ${row}, column "externalId": is empty.`).join('\n'),
    );
    expect(faults(`,${headers}\n,${cells}`)).toBe('records.csv: a column has no header.');
  });

  it.each([
    ['size.width', '1,000', /without a comma, or with a point/],
    ['size.width', '-1,000', /without a comma, or with a point/],
    ['size.width', '12,345', /without a comma, or with a point/],
    ['edition.totalNumber', '1,000,000', /without separators/],
    ['edition.totalNumber', '1.000', /without separators/],
  ])('rejects a number that can be read in two ways: %s %s', (column, number, mend) => {
    const said = faults(`${headers},${column}\n${cells},"${number}"`);
    expect(said).toContain(`row 2, column "${column}": "${number}" can be read in two ways. `);
    expect(said).toMatch(mend);
  });

  it.each(
    [
      [
        '0x10',
        '0b1',
        '1e3',
        '1E+12',
        'Infinity',
        'NaN',
        '--5',
        '5.',
        '.5',
        '1 000',
        '5 cm',
        '٣',
        '9'.repeat(400),
      ],
    ].flat(),
  )('rejects a number that is not written in digits: %s', (number) => {
    for (const [column, mend] of [
      ['size.width', '12.5 or 12,5.'],
      ['edition.number', '12.'],
    ])
      expect(faults(`${headers},${column}\n${cells},"${number}"`)).toContain(
        `row 2, column "${column}": "${number}" is not a number. Write digits, such as ${mend}`,
      );
  });

  it.each([
    [' 5 ', 5],
    ['-5', -5],
    ['007', 7],
    ['12,5', 12.5],
    ['12.125', 12.125],
  ])('accepts the number %j', (text, width) => {
    const [draft] = manifest(`${headers},size.width\n${cells},"${text}"`).drafts;
    expect(draft?.entry.metadata).toMatchObject({ size: { width } });
  });

  it('rejects JSON that it could not pass on exactly', () => {
    const record = { ...entry, artistAddress: '0x12' };
    expect(faults(`[${JSON.stringify(record).replace('"one"', '9007199254740993')}]`, 'a.json')).toMatch(
      /record 1, externalId: the number is too long/,
    );
    for (const chipUIDs of [['a|b'], [{ uid: 1 }]]) {
      const metadata = { ...entry.metadata, chipUIDs };
      expect(faults(JSON.stringify([{ ...record, metadata }]), 'a.json')).toMatch(/text without \|/);
    }
  });

  it('accepts quoted separators, quotes and line breaks, and counts rows as a spreadsheet does', () => {
    const text = `${headers}\n${cells.replace('One,', '"A ""B"", C\nand D",')}\n${cells.replace('one', 'two')}\n`;
    const { drafts } = manifest(text);
    expect(drafts.map(({ where }) => where)).toEqual(['row 2', 'row 3']);
    expect(drafts[0]?.entry.metadata).toMatchObject({ name: 'A "B", C\nand D' });
  });

  it('accepts every kind of column', () => {
    const more =
      'title.zh-Hant,size.height,edition.number,chipUIDs,isDigital,thumbnail,attachments.artwork,attachments.certificate';
    const values = '標題,"12,5",3,04A1|04B2,FALSE,ipfs://bafy,works\\c.jpg | b.jpg,a.jpg';
    const [draft] = manifest(`${headers},${more}\n${cells},${values}\n`).drafts;
    expect(draft?.entry).toMatchObject({
      metadata: {
        title: { en: 'One', 'zh-Hant': '標題' },
        size: { height: 12.5 },
        edition: { number: 3 },
        chipUIDs: ['04A1', '04B2'],
        isDigital: false,
        thumbnail: { ipfs: 'ipfs://bafy' },
      },
      attachments: [
        { name: 'c.jpg', category: 'ARTWORK', file: { path: `${folder}/works/c.jpg` } },
        { name: 'b.jpg', category: 'ARTWORK', file: { path: `${folder}/b.jpg` } },
        { name: 'a.jpg', category: 'CERTIFICATE', file: { path: `${folder}/a.jpg` } },
      ],
    });
    const files = filesOf(draft ? [draft] : []).map(({ path, category }) => [path, category]);
    expect(files).toContainEqual([`${folder}/a.jpg`, 'CERTIFICATE']);
    expect(files).toContainEqual([`${folder}/a.jpg`, 'NON_ATTACHMENT_FILE']);
    const lists = { chipUIDs: ['04A1', '04B2'], attachments: { artwork: ['works\\c.jpg', 'b.jpg'] } };
    const record = { ...entry, metadata: undefined, ...entry.metadata, image: 'a.jpg', ...lists };
    expect(manifest(JSON.stringify([record]), 'lists.json').drafts).toMatchObject([
      {
        entry: {
          metadata: { chipUIDs: lists.chipUIDs },
          attachments: [{ name: 'c.jpg' }, { name: 'b.jpg' }],
        },
      },
    ]);
  });

  it('uses the image as thumbnail when there is none', () => {
    const [draft] = manifest(`${headers}\n${cells}`).drafts;
    const metadata = draft?.entry.metadata as { image: unknown; thumbnail: unknown } | undefined;
    expect(metadata?.image).toBeInstanceOf(LocalFile);
    expect(metadata?.thumbnail).toBe(metadata?.image);
  });

  it.each(['..c.jpg', 'works/../a.jpg', 'inner.jpg'])('accepts a file within its folder: %s', (name) => {
    expect(manifest(`${headers}\n${cells.replace('a.jpg', name)}`).drafts).toHaveLength(1);
  });

  it('is the same in JSON, nested or flat', () => {
    const nested = { ...entry.metadata, ...entry, metadata: undefined, image: 'a.jpg' };
    const flat = Object.fromEntries(headers.split(',').map((name, i) => [name, cells.split(',')[i]]));
    const { drafts } = manifest(JSON.stringify([nested, { ...flat, externalId: 'two' }]), 'records.json');
    expect(drafts.map(({ where }) => where)).toEqual(['record 1', 'record 2']);
    expect(drafts).toMatchObject([{ entry }, { entry: { ...entry, externalId: 'two' } }]);
  });
});

describe('the faults of a manifest', () => {
  it.each([
    ['externalId;titel.en\n1;2', /column "titel.en" is not known. Did you mean "title.en"\?/],
    [`${headers},External ID\n`, /column "External ID" is not known. Did you mean "externalId"\?/],
    [`${headers},artist\n`, /column "artist" is not known. Did you mean "artistAddress"\?/],
    [`${headers},banana\n`, /column "banana" is not known\.$/m],
    [`${headers},title\n`, /column "title" needs a language, such as "title.en"\./],
    [`${headers},name\n${cells},x`, /column "name" appears twice/],
    [`${headers.replace(',image', '')}\n${cells}`, /row 2 has more cells than there are headers/],
    [`${headers.replace(',image', '')}\none,0x12,yes,no,One,One,Oil,2026`, /column "image" is missing/],
    [`${headers}\n`, /^records.csv: has no records\.$/],
    ['', /has no records/],
    [`\n${headers}\n${cells}`, /^records.csv: row 1 must have the headers\.$/],
    [`${headers}\n${cells.replace('one', 'o\0e')}`, /row 2, column "externalId": has a NUL character/],
    [`${headers}\n"one,0x12`, /is not well-formed CSV/],
    [Buffer.from(`${headers}\n${cells.replace('One', 'Büste')}`, 'latin1'), /is not UTF-8. Save it as/],
    [`${headers}\n${cells.replace('Oil', '')}`, /^records.csv: row 2, column "medium.en": is empty\.$/],
    [`${headers}\n${cells}\n${cells}`, /row 3, column "externalId": "one" is already used in row 2/],
    [`${headers}\n${cells.replace('yes', 'perhaps')}`, /"isPrimaryIssuer": "perhaps" must be yes or no/],
    [`${headers},size.width\n${cells},wide`, /"size.width": "wide" is not a number/],
    [`${headers},edition.number\n${cells},1.5`, /"edition.number": "1.5" is not a whole number/],
    [
      `${headers}\n${cells.replace('a.jpg', 'none.jpg')}`,
      /"image": there is no file none\.jpg\. Paths begin/,
    ],
    [`${headers}\n${cells.replace('a.jpg', 'works')}`, /"image": works is not a file/],
    [`${headers}\n${cells.replace('a.jpg', 'plain')}`, /"image": plain needs an extension without spaces/],
    [`${headers}\n${cells.replace('a.jpg', 'v1.0 final')}`, /"image": v1\.0 final needs an extension/],
    [`${headers}\n${cells.replace('a.jpg', 'a.jpg/b.jpg')}`, /"image": there is no file a\.jpg\/b\.jpg/],
    [`${headers}\n${cells.replace('a.jpg', 'C:\\a.jpg')}`, /"image": "C:\/a\.jpg" must be relative/],
    [`${headers}\n${cells.replace('a.jpg', '/etc/passwd')}`, /"image": "\/etc\/passwd" must be relative/],
    [`${headers}\n${cells.replace('a.jpg', '../secret.jpg')}`, /"image": "\.\.\/secret.jpg" is outside/],
    [`${headers}\n${cells.replace('a.jpg', 'link.jpg')}`, /"image": "link.jpg" is a link to a file outside/],
    [`${headers}\n${cells.replace('a.jpg', 'gone.jpg')}`, /"image": there is no file gone\.jpg/],
    [`${headers}\n${cells.replace('a.jpg', 'x'.repeat(300))}`, /row 2, .*x cannot be read \(ENAMETOOLONG\)/],
  ])('are named by row and column: %#', (content, says) => {
    expect(faults(content)).toMatch(says);
  });

  it.each([
    ['{', /is not well-formed JSON/],
    ['{}', /must be a list of records/],
    ['[1]', /record 1 must be an object/],
    ['[]', /has no records/],
    [
      JSON.stringify([Object.fromEntries(headers.split(',').map((name) => [name, '\ud800']))]),
      /record 1, column "externalId": has half of a surrogate pair/,
    ],
    ['[{"title.en": "One", "title": {"en": "Two"}}]', /record 1, column "title.en": appears twice/],
    ['[{"name": ["One", "Two"]}]', /record 1, name: must be one value, not a list/],
    ['[{"title": {"en": ["One"]}}]', /record 1, title\.en: must be one value, not a list/],
    [`[${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]`, /column "a\.a\.[a.]{1,200}" is not known/],
    ['[{"externalID": "1"}]', /column "externalID" is not known. Did you mean "externalId"\?/],
  ])('in JSON: %#', (content, says) => {
    expect(faults(content, 'records.json')).toMatch(says);
  });

  it('are reported all at once, up to 50', () => {
    const rows = Array.from({ length: 60 }, (_, i) => cells.replace('one', `r${i}`).replace('yes', 'maybe'));
    const lines = faults([headers, ...rows].join('\n')).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('… and 10 more.');
    const wide = faults([headers, ...rows.map((row) => `${row},extra`)].join('\n')).split('\n');
    expect(wide[0]).toMatch(/^records\.csv: row 2 has more cells than there are headers/);
    expect([wide.length, wide.at(-1)]).toEqual([51, '… and 10 more.']);
  });

  it('say what a manifest is, if the file is something else', () => {
    expect(faults('x', 'records.xlsx')).toMatch(/a manifest is a \.csv or a \.json file/);
    expect(() => readManifest(join(folder, 'absent.csv'))).toThrow(/There is no file/);
  });
});

it('accepts files smaller than 2^31 bytes', () => {
  const large = (size: number) => {
    writeFileSync(join(folder, 'large.jpg'), '');
    truncateSync(join(folder, 'large.jpg'), size);
    return `${headers}\n${cells.replace('a.jpg', 'large.jpg')}`;
  };
  expect(manifest(large(2 ** 31 - 1)).drafts).toHaveLength(1);
  expect(faults(large(2 ** 31))).toContain('large.jpg is too large: files must be smaller than 2^31 bytes.');
});

it('names a file at the service without blanks, by its use and its content', async () => {
  const path = join(folder, `Ein „Bild“ (1)${'x'.repeat(100)}.JPG`);
  writeFileSync(path, '');
  const name = `${'Ein-Bild-1-'.padEnd(80, 'x')}`;
  expect(await new LocalFile(path, 'NON_ATTACHMENT_FILE').filename()).toBe(`${name}-e3b0c44298.jpg`);
  expect(await new LocalFile(path, 'CERTIFICATE').filename()).toBe(`${name}-certificate-e3b0c44298.jpg`);
});

it('names a file that was removed before it was hashed', async () => {
  const path = join(folder, 'vanishing.jpg');
  writeFileSync(path, 'x');
  const { drafts } = manifest(`${headers}\n${cells.replace('a.jpg', 'vanishing.jpg')}`);
  rmSync(path);
  const requestId = requestIdOf(drafts);
  await expect(requestId).rejects.toBeInstanceOf(FailedError);
  await expect(requestId).rejects.toThrow(`${path} can no longer be read (ENOENT).`);
});

it.each<[string, (path: string) => void]>([
  ['got other content of the same length', (path) => utimesSync(path, 0, 0)],
  ['got longer', (path) => writeFileSync(path, 'abcd')],
  ['was removed', (path) => rmSync(path)],
])('notices that a file %s after it was hashed', async (_what, change) => {
  const path = join(folder, 'changing.jpg');
  writeFileSync(path, 'abc');
  const file = new LocalFile(path, 'ARTWORK');
  await file.sha256;
  expect(file.hasChanged).toBe(false);
  change(path);
  expect(file.hasChanged).toBe(true);
});

it('derives the requestId from the content, whatever the order of columns and the names of files', async () => {
  // A first run of the test has left other content.
  writeFileSync(join(folder, 'a.jpg'), 'a.jpg');
  const turned = (text: string) => text.split(',').reverse().join(',');
  const idOf = async (text: string) => requestIdOf(manifest(text).drafts);
  const id = await idOf(`${headers}\n${cells}`);
  expect(id).toMatch(/^srr-issue-[0-9a-f]{40}$/);
  expect(await idOf(`${turned(headers)}\n${turned(cells)}`)).toBe(id);
  expect(await idOf(`${headers}\n${cells.replace('Oil', 'Ink')}`)).not.toBe(id);
  writeFileSync(join(folder, 'b.jpg'), 'a.jpg');
  expect(await idOf(`${headers}\n${cells.replace('a.jpg', 'b.jpg')}`)).toBe(id);
  writeFileSync(join(folder, 'a.jpg'), 'other');
  expect(await idOf(`${headers}\n${cells}`)).not.toBe(id);
});

it.each([
  [['metadata', 'title', 'en'], 'title.en'],
  [['metadata', 'title'], 'title.en'],
  [['metadata', 'size', 'height'], 'size.height'],
  [['attachments', 0, 'file'], 'attachments.artwork'],
  [['attachments', '2', 'file'], 'attachments.certificate'],
  [['attachments', '3', 'file'], 'attachments.artwork'],
  [['attachments'], 'attachments.artwork'],
  [['artistAddress'], 'artistAddress'],
  [['metadata', 'thumbnail'], 'image'],
  [['metadata', 'note'], undefined],
  [[], undefined],
])('finds the column of a fault at %j', (path, column) => {
  const all = ['externalId', 'artistAddress', 'title.en', 'title.ja', 'size.height', 'attachments.artwork'];
  all.push('attachments.certificate', 'image');
  const attachments = ['ARTWORK', 'ARTWORK', 'CERTIFICATE'].map((category) => ({ category }));
  expect(columnAt(path, all, { attachments })).toBe(column);
});

it('finds the fault of a thumbnail in its own column, if there is one', () => {
  expect(columnAt(['metadata', 'thumbnail', 'file'], ['image', 'thumbnail'])).toBe('thumbnail');
});
