import type { JsonObject } from '@vestibule/foundation';
import type { LabelRequirement } from './label-selector';
import type { ContentRecord, ContentState, Owner } from './records';

export type ContentKind = 'credential' | 'presentation';
export type QueryMode = 'All' | 'Held' | 'Presented';

/** A document with its body. */
export type Document = ContentRecord & { readonly body: JsonObject };

/** Where a page ended: lists are ordered by creation, then by DID. */
export interface Position {
  readonly createdAt: string;
  readonly did: string;
}

/** Identifies a document of a wallet; the latest revision by default. */
export interface DocumentQuery extends Owner {
  readonly did: string;
  readonly queryMode: QueryMode;
  readonly revision?: number | undefined;
}

export interface ContentQuery extends Owner {
  readonly queryMode: QueryMode;
  readonly state?: ContentState | undefined;
  /** All must hold. */
  readonly labels: readonly LabelRequirement[];
  readonly withBodies: boolean;
  readonly limit: number;
  readonly after: Position | undefined;
}

/** The first records that match a query: at most `limit`, and fewer if they are large, but at least one. */
export interface ContentPage {
  readonly records: readonly ContentRecord[];
  readonly hasMore: boolean;
}
