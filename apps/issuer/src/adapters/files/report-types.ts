import type { Logger } from '@vestibule/process';
import type { LoadedTypes } from './type-metadata-folder';
import { reportLongPids } from './report-long-pids';
import { reportMissingLabels } from './report-missing-labels';

/** Logs what operators should know about their types although it is no fault. */
export function reportTypes({ types }: Pick<LoadedTypes, 'types'>, logger: Pick<Logger, 'warn'>): void {
  reportMissingLabels(types, logger);
  reportLongPids(types, logger);
}
