/** A Markdown table with padded columns, so that it is also readable on a terminal; numbers are right-aligned. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumeric = (column: number) =>
    column > 0 && rows.every((row) => row[column] === '' || /^[\d-]/.test(row[column] ?? ''));
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column] ?? '')].map(lengthOf)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, isNumeric(column))).join(' | ')} |`;
  const rule = widths.map((width, column) => (isNumeric(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

const lengthOf = (text: string) => [...text].length;

const pad = (text: string, width: number, right: boolean) => (right ? text.padStart(width) : text.padEnd(width));
