import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordedRun, RecordedRuns } from './fault-report';

/** The last run recorded with `--record`, and an earlier one to compare with. */
const RECORDED_FILE = 'tools/proofs/chaos/recorded.json';

/** The recorded runs of a checkout of this repository. */
export function readRecorded(root: string): RecordedRuns {
  return JSON.parse(readFileSync(path.join(root, RECORDED_FILE), 'utf8')) as RecordedRuns;
}

/** Records a run; the earlier one in the file is kept for comparison. */
export function record(root: string, now: RecordedRun): void {
  const file = path.join(root, RECORDED_FILE);
  const before = existsSync(file) ? readRecorded(root).before : {};
  writeFileSync(file, `${JSON.stringify({ before, now }, null, 2)}\n`);
}
