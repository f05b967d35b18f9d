import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
const PAGE = 'docs/w3c-suites.md';
/** Assertions of the suite for VCDM 2.0, by its files. */
const VCDM = {
  ...{ '1.03': 5, '4.03': 6, '4.04': 1, '4.05': 11, '4.06': 4, '4.07': 2, '4.08': 2, '4.09': 4, '4.10': 4, '4.11': 3 },
  ...{ '4.13': 5, '4.13.2': 6, '5': 11, '7': 1 },
};

interface Row {
  readonly id: string;
  readonly shownBy: string;
}

function rowsOf(page: string): Row[] {
  return page.split('\n').flatMap((line) => {
    const [, id = '', , shownBy = ''] = line.split(' | ').length === 3 ? ['', ...line.slice(2, -2).split(' | ')] : [];
    return id === '' || id.trim() === 'id' || id.startsWith('--') ? [] : [{ id: id.trim(), shownBy: shownBy.trim() }];
  });
}

/** What is wrong with a row: its test does not exist, or it gives no reason. */
function faultOf({ id, shownBy }: Row): string | undefined {
  const [, file, title] = /^\[[^\]]+\]\(\.\.\/([^)]+)\) `(.+)`$/.exec(shownBy) ?? [];
  if (file === undefined || title === undefined)
    return /^does not apply: \S.{5,}/.test(shownBy) ? undefined : `${id} has no test and no reason`;
  const source = path.join(root, file);
  const text = existsSync(source) ? readFileSync(source, 'utf8').replace(/\s+/g, ' ') : '';
  return text.includes(title) ? undefined : `${id}: ${file} has no test ${title}`;
}

describe('17.8 the list of the W3C suites', () => {
  const rows = rowsOf(readFileSync(path.join(root, PAGE), 'utf8'));

  it('names for each assertion a test that exists, or why it does not apply', () => {
    expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('has every assertion of the suite for VCDM 2.0', () => {
    const expected = Object.entries(VCDM).flatMap(([file, count]) =>
      Array.from({ length: count }, (_, index) => `${file}-${index + 1}`),
    );
    expect(
      rows
        .map(({ id }) => id)
        .filter((id) => /^\d/.test(id))
        .sort(),
    ).toEqual(expected.sort());
  });

  it.each([
    ['no test and no reason', 'soon'],
    ['a file that does not exist', '[a](../e2e/src/none.e2e-spec.ts) `x`'],
    ['a title that does not exist', `[a](../${PAGE}) \`a title of no test at all\``],
  ])('notices %s', (_what, shownBy) => {
    expect(faultOf({ id: 'x', shownBy })).toBeDefined();
    expect(faultOf({ id: 'x', shownBy: `[a](../${PAGE}) \`The suites of the W3C\`` })).toBeUndefined();
  });
});
