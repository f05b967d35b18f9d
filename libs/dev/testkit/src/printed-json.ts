import { readFileSync } from 'node:fs';
import path from 'node:path';

const DOCS = path.resolve(__dirname, '../../../../docs');

/** The JSON that a page of `docs/` prints, in its order: readers copy it. */
export function printedJson(page: string): readonly string[] {
  const text = readFileSync(path.join(DOCS, page), 'utf8');
  return [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => json);
}
