import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readMeasured } from '../proofs/bench/measured';
import { renderResult } from '../proofs/bench/report';
import { replaceSection } from './marked-section';

export const PERFORMANCE_PAGE = 'docs/performance.md';

/** The page with the figures recorded by `npm run bench -- --record`, before formatting. */
export function performancePage(root: string): string {
  const page = readFileSync(path.join(root, PERFORMANCE_PAGE), 'utf8');
  return replaceSection(page, 'npm run bench', renderResult(readMeasured(root)));
}
