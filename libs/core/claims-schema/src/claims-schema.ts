/** What a claim can hold. */
export const CLAIM_KINDS = [
  'STRING',
  'NUMBER',
  'BOOLEAN',
  'DATE',
  'DATE_TIME',
  'ENUM',
  'OBJECT',
  'LIST',
  'LINKED_CREDENTIAL',
  'LINKED_FILE',
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** What every claim may say about itself. */
export interface ItemMembers {
  readonly name?: string;
  /** Must have a value, and none that is empty, when a draft is issued. */
  readonly not_empty?: boolean;
  readonly title?: string;
  readonly description?: string;
}

/** A claim of a schema or of an object has a name; the item of a list needs none. */
export interface FieldMembers extends ItemMembers {
  readonly name: string;
}

/** One allowed value of an ENUM and how it is shown. */
export interface EnumValue {
  readonly value: string;
  readonly title?: string;
}

type Described<Members> =
  | { readonly kind: Exclude<ClaimKind, 'ENUM' | 'OBJECT' | 'LIST'>; readonly value: Members }
  | { readonly kind: 'ENUM'; readonly value: Members & { readonly values: readonly EnumValue[] } }
  | { readonly kind: 'OBJECT'; readonly value: Members & { readonly fields: readonly ClaimField[] } }
  | { readonly kind: 'LIST'; readonly value: Members & { readonly items: ClaimItem } };

export type ClaimField = Described<FieldMembers>;
export type ClaimItem = Described<ItemMembers>;

/** What a credential of one type can say about its subject; three formats are derived from it. */
export interface ClaimsSchema {
  readonly fields: readonly ClaimField[];
}

/** A claims schema, and the name under which it is or may be published. */
export interface MetaSchema {
  readonly schema: ClaimsSchema;
  readonly slug?: string;
  readonly version?: number;
}

/** The version of a publication that names none. */
export const DEFAULT_VERSION = 1;

/** Bounds of a schema and of values; generous for people, small for a machine. */
export const CLAIMS_LIMITS = {
  /** Claims within claims: an OBJECT or a LIST goes one deeper. */
  maxDepth: 6,
  /** Claims of a whole schema, nested ones included. */
  maxFields: 512,
  maxEnumValues: 512,
  maxNameLength: 64,
  maxTitleLength: 256,
  maxDescriptionLength: 2_048,
  maxTextLength: 32_768,
  maxListItems: 1_000,
  maxVersion: 1_000_000,
} as const;
