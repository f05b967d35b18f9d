import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FLOW_NAMES } from './flows';
import type { BenchResult, CheckoutResult } from './result';

/** The last result that was recorded with `--record`, the source of docs/performance.md. */
export const MEASURED_FILE = 'tools/proofs/bench/measured.json';

function countsOf({ counts }: CheckoutResult): CheckoutResult['counts'] {
  const plain = FLOW_NAMES.map((flow) => {
    const { statements, messages, bytes } = counts[flow];
    return [flow, { statements, messages, bytes }];
  });
  return Object.fromEntries(plain) as CheckoutResult['counts'];
}

/** The result as JSON, without the text of every statement; a hundredth of a millisecond is precise enough. */
export function withoutParts(result: BenchResult): string {
  const checkouts = result.checkouts.map((checkout) => ({ ...checkout, counts: countsOf(checkout) }));
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
  return `${JSON.stringify({ ...result, checkouts }, rounded, 2)}\n`;
}

/** The recorded result of a checkout of this repository. */
export function readMeasured(root: string): BenchResult {
  return JSON.parse(readFileSync(path.join(root, MEASURED_FILE), 'utf8')) as BenchResult;
}
