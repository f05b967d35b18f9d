import type { JsonObject, JsonValue } from '@vestibule/foundation';
import type { ContentRecord, ContentState, Owner, TenantId } from './records';

/**
 * A credential that began as a draft, in its latest revision. Its id is the DID of the credential, its etag the
 * revision. It keeps its `source` when it is issued or abandoned, so that its values can still be read.
 */
export interface Draft extends ContentRecord {
  /** The W3C document: without proof until it is issued. */
  readonly body: JsonObject;
  /** What the caller wrote (schema, vocabularies, typed values), as the drafts API understands it. Sealed. */
  readonly source: JsonObject;
}

/** The content of a draft's revision. */
export type DraftContent = Pick<
  Draft,
  'types' | 'body' | 'source' | 'labels' | 'annotations' | 'issuerDid' | 'holderDid'
>;

export interface NewDraft {
  readonly tenant: TenantId;
  readonly owner: Owner;
  readonly did: string;
  readonly content: DraftContent;
  readonly createdAt: Date;
}

/** The next revision of a draft that was read before. */
export interface DraftChange {
  readonly draft: Draft;
  readonly state: ContentState;
  readonly content: DraftContent;
  readonly updatedAt: Date;
}

/** A creating call that may be repeated: the same key and input get the same answer. */
export interface RepeatableCall {
  readonly idempotencyKey: string;
  readonly input: JsonValue;
}
