import type { PresentationRequestView } from '@vestibule/contracts';
import { decodeDecisionRecord } from './decision-record';
import { timesOf, type TimesRow } from './request-times';

/** What a row shows of its request. */
export interface ViewRow extends TimesRow {
  status: PresentationRequestView['status'];
  decision_record: string | null;
  /** The decision record of a request that an earlier version ended. */
  checks: PresentationRequestView['checks'] | null;
}

/** The view of a request that backends get. */
export function viewOf(state: string, row: ViewRow): PresentationRequestView {
  const checks = row.decision_record === null ? row.checks : decodeDecisionRecord(row.decision_record);
  return {
    state,
    status: row.status,
    ...timesOf(row),
    ...(checks ? { checks } : {}),
  };
}
