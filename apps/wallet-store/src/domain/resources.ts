import type { ApiVersion, ResourceView } from '@vestibule/contracts';
import { ApiError, type Fault, type JsonObject } from '@vestibule/foundation';
import type { OwnedRecord } from './records';

/** What the envelope contains about a resource. */
export interface Enveloped extends OwnedRecord {
  readonly id: string;
  readonly deletedAt?: Date | undefined;
}

/** A resource in the envelope that all resources share. */
export function resourceOf(
  kind: { readonly name: string; readonly version: ApiVersion },
  record: Enveloped,
  content: JsonObject,
): ResourceView {
  return {
    kind,
    id: record.id,
    etag: String(record.revision),
    revision: record.revision,
    created_at: record.createdAt.toISOString(),
    modified_at: record.updatedAt.toISOString(),
    labels: { ...record.labels },
    annotations: { ...record.annotations },
    data: content,
    ...(record.deletedAt ? { deleted_at: record.deletedAt.toISOString() } : {}),
  };
}

/** Throws `invalid_request` if there are any faults. */
export function refuseFaults(what: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: `the ${what} is not valid`, faults });
}
