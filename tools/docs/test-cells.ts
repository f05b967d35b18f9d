import type { TestTitle } from './spec-map-titles';

const MAX_TESTS = 3;
const MAX_TITLE_LENGTH = 90;

/** A string with Markdown syntax escaped. */
export const plain = (text: string) =>
  text
    .replaceAll('`', "'")
    .replaceAll('](', '] (')
    .replace(/[\\|<>*_[\]]/g, (character) => `\\${character}`);

function short(title: string): string {
  if (title.length <= MAX_TITLE_LENGTH) return title;
  const cut = title.slice(0, MAX_TITLE_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_TITLE_LENGTH / 2)).trimEnd()} …`;
}

const label = (file: string) =>
  file
    .replace(/^(?:libs\/(?:core|platform|dev)|apps)\//, '')
    .replace('/src/', '/')
    .replace(/\.(?:\w+-)?spec\.ts$/, '');

const testLine = ({ file, title }: TestTitle) => `[${label(file)}](../${file}) ${plain(short(title))}`.trimEnd();

/** Prefers tests of different files, because they are more informative. */
function chosen(tests: readonly TestTitle[]): TestTitle[] {
  const first = tests.filter((one, index) => tests.findIndex(({ file }) => file === one.file) === index);
  return [...first, ...tests.filter((one) => !first.includes(one))].slice(0, MAX_TESTS);
}

/** The cell of a table for the tests of one row: at most three, of different files first, and how many more there are. */
export function testLines(tests: readonly TestTitle[]): string {
  const more = tests.length > MAX_TESTS ? [`+${tests.length - MAX_TESTS}`] : [];
  return [...chosen(tests).map(testLine), ...more].join('<br>');
}
