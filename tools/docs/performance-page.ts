import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readMeasured } from '../proofs/bench/measured';
import { renderResult } from '../proofs/bench/report';
import { replaceSection } from './marked-section';

export const PERFORMANCE_PAGE = 'docs/performance.md';

/** The page with the figures that `npm run bench -- --record` kept, before it is formatted. */
export function performancePage(root: string): string {
  const page = readFileSync(path.join(root, PERFORMANCE_PAGE), 'utf8');
  return replaceSection(page, 'npm run bench', renderResult(readMeasured(root)));
}
