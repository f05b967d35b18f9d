import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FINDINGS } from '@vestibule/process';
import { replaceSection } from './marked-section';

export const DOCTOR_PAGE = 'docs/doctor.md';

function findingsTable(): string {
  const rows = Object.entries(FINDINGS).map(
    ([code, { level, meaning, remedy }]) => `| \`${code}\` | ${level} | ${meaning} | ${remedy} |`,
  );
  return ['| code | level | meaning | what to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The page about `vestibule doctor`, with the table of its findings. */
export function doctorPage(root: string): string {
  return replaceSection(readFileSync(path.join(root, DOCTOR_PAGE), 'utf8'), 'findings', findingsTable());
}
