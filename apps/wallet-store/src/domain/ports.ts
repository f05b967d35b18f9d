import type { Fault, JsonObject } from '@vestibule/foundation';
import type { DidKeyPair, StatusLists, StatusPurpose, Understanding } from '@vestibule/vcdm';
import type { PublicationOutcome, PublishedSchema, SchemaRecord } from './claims-schemas';
import type { ContentPage, ContentQuery, Document, DocumentQuery } from './content';
import type { Draft, DraftChange, NewDraft, RepeatableCall } from './drafts';
import type { Asker, ContentRecord, Owner, TenantId } from './records';
import type { PublishedName } from './schema-addresses';
import type { Rows, Search } from './search';
import type {
  DrawnStatus,
  PublishedStatusList,
  StatusListName,
  StatusListPublication,
  StatusListState,
  StatusOrder,
} from './status-lists';
import type { ListedApiKey, NewEntity, NewWallet, OwnerPage, OwnerQuery, OwnerRecord, WalletRecord } from './wallets';

/** Tenants by their API keys, which are stored as digests only. */
export interface Tenants {
  readonly findTenant: (apiKeyDigest: string) => Promise<TenantId | undefined>;
  /** Returns those of the digests that belong to keys now in force. */
  readonly findKnown: (apiKeyDigests: readonly string[]) => Promise<readonly string[]>;
  /** Ensures that a tenant with this name has this key; a revoked key stays revoked. */
  readonly install: (tenant: string, keyDigest: Uint8Array) => Promise<void>;
  readonly list: (tenant: string | undefined) => Promise<readonly ListedApiKey[]>;
  /** Returns how many keys with this id were in use until now. */
  readonly revoke: (id: string) => Promise<number>;
}

/** Entities and wallets; their private keys are sealed. */
export interface Wallets {
  readonly insertEntity: <Answer extends object>(
    entity: NewEntity,
    answer: Answer,
    idempotencyKey: string | undefined,
  ) => Promise<Answer>;
  readonly insertWallet: <Answer extends object>(
    wallet: NewWallet,
    answer: Answer,
    idempotencyKey: string | undefined,
  ) => Promise<Answer>;
  /**
   * Makes entity and wallet the default of their tenant; of several concurrent calls one wins, and all get the
   * winner's.
   */
  readonly insertDefaultWallet: (entity: NewEntity, wallet: NewWallet) => Promise<Owner>;
  readonly findDefaultWallet: (tenant: TenantId) => Promise<Owner | undefined>;
  readonly ownsEntity: (tenant: TenantId, entityDid: string) => Promise<boolean>;
  readonly ownsWallet: (tenant: TenantId, owner: Owner) => Promise<boolean>;
  /** The tenant's entities, in the order of their creation. */
  readonly findEntities: (tenant: TenantId, query: OwnerQuery) => Promise<OwnerPage<OwnerRecord>>;
  /** The tenant's wallets, or those of one entity, in the order of their creation. */
  readonly findWallets: (
    tenant: TenantId,
    query: OwnerQuery & { readonly entityDid: string | undefined },
  ) => Promise<OwnerPage<WalletRecord>>;
  /** The unsealed key of an entity, for signing. */
  readonly findEntityKey: (tenant: TenantId, entityDid: string) => Promise<DidKeyPair | undefined>;
}

/** How much was erased with a wallet. */
export interface ErasedContent {
  readonly credentials: number;
  readonly presentations: number;
  /** Remembered answers about the wallet. */
  readonly answers: number;
  /** Remembered answers that no key opens: they stay until they expire. */
  readonly unreadableAnswers: number;
}

/** A wallet, named by its tenant, and how to recognise the remembered answers about it. */
export interface WalletToErase {
  readonly tenantName: string;
  readonly walletDid: string;
  readonly isAbout: (answer: JsonObject) => boolean;
}

/**
 * One transaction: deletes a wallet with everything in it and the remembered answers about it; undefined if there is none.
 * Throws `concurrent_change` if something is put into it meanwhile.
 */
export type EraseWallet = (wallet: WalletToErase) => Promise<ErasedContent | undefined>;

/** Credentials or presentations in wallets. */
export interface Contents {
  readonly findOne: (tenant: TenantId, query: DocumentQuery) => Promise<ContentRecord | undefined>;
  readonly findPage: (tenant: TenantId, query: ContentQuery) => Promise<ContentPage>;
}

/** Undefined for a call without a key, and if there was none before with the same key and input. */
export type RecallAnswer = <Answer extends object>(
  tenant: TenantId,
  repeatable: RepeatableCall | undefined,
) => Promise<Answer | undefined>;

/** Drafts of credentials, or of presentations. */
export interface Drafts {
  /** Inserts revision 1 into the wallet and remembers `answer` for a repetition of `call`. */
  readonly insertDraft: <Answer extends object>(
    draft: NewDraft,
    answer: Answer,
    call?: RepeatableCall,
  ) => Promise<Answer>;
  /** The answer that the same call of {@link Drafts.insertDraft} got before. */
  readonly recallDraft: RecallAnswer;
  /** The latest revision, in any state; undefined for a document that was never a draft of this tenant. */
  readonly findDraft: (tenant: TenantId, did: string) => Promise<Draft | undefined>;
  /**
   * One statement: revision n + 1 replaces revision n, which was read before, if that is still the latest and a draft.
   * Of several concurrent changes of one draft exactly one gets the new revision; the others get undefined.
   */
  readonly replaceDraft: (tenant: TenantId, change: DraftChange) => Promise<Draft | undefined>;
}

/** Searches credentials that began as drafts, by their latest revision. */
export type SearchDrafts = (tenant: TenantId, search: Search) => Promise<Rows<Draft>>;

/** A document from outside. */
export type ImportedDocument = Document & {
  /** Its holder has no DID, and so is not the owner of the wallet. */
  readonly isOfStranger: boolean;
};

/** Documents that enter a wallet already issued: imported, or presented by another wallet. */
export interface IssuedDocuments {
  /**
   * Inserts an issued credential into a wallet; throws `credential_exists` if the wallet already has one with this DID.
   */
  readonly insertIssued: <Answer extends object>(
    tenant: TenantId,
    record: ImportedDocument,
    answer: Answer,
    repeatable: RepeatableCall | undefined,
  ) => Promise<Answer>;
  /** The answer that the same call of {@link IssuedDocuments.insertIssued} got before. */
  readonly recallIssued: RecallAnswer;
  /**
   * Inserts copies of issued documents into another wallet, which they were presented to. What is there already stays
   * unchanged; throws `credential_exists`, and inserts nothing, if it is another document with the same DID. One
   * transaction; returns the presentation as it is in that wallet.
   */
  readonly insertCopies: (
    tenant: TenantId,
    copies: { readonly presentation: Document; readonly credentials: readonly Document[] },
  ) => Promise<Document>;
  /**
   * The latest revisions of these credentials in a wallet, with their bodies; throws `invalid_request` if they exceed 1
   * MiB.
   */
  readonly findCredentials: (tenant: TenantId, owner: Owner, dids: readonly string[]) => Promise<readonly Document[]>;
}

/** Schemas and their publications. */
export interface Schemas {
  readonly insertSchema: <Answer extends object>(
    tenant: TenantId,
    schema: SchemaRecord,
    answer: Answer,
    call?: RepeatableCall,
  ) => Promise<Answer>;
  readonly findSchema: (tenant: TenantId, id: string) => Promise<SchemaRecord | undefined>;
  /** One statement: `schema` replaces the revision before it, unless that was changed or published meanwhile. */
  readonly replaceSchema: (tenant: TenantId, schema: SchemaRecord) => Promise<boolean>;
  /**
   * One transaction: the schema is published under a name, and the publication is stored unless the name already has
   * one. `lost` if the schema was changed meanwhile, `taken` if the name has another publication, and `outdated` if it
   * has none and its slug has a higher version.
   */
  readonly publishSchema: (
    tenant: TenantId,
    schema: SchemaRecord,
    publication: PublishedSchema,
  ) => Promise<PublicationOutcome>;
  readonly searchSchemas: (tenant: TenantId, search: Search) => Promise<Rows<SchemaRecord>>;
  readonly searchPublished: (tenant: TenantId, search: Search) => Promise<Rows<PublishedSchema>>;
  readonly findPublished: (asker: Asker, name: PublishedName) => Promise<PublishedSchema | undefined>;
}

/** Status lists of credentials that were made from drafts, and their entries. */
export interface CredentialStatuses {
  /**
   * One statement: the index that the credential has already, or the first free one of the candidates. No two
   * credentials get the same. Undefined if the entity has no open list for the purpose.
   */
  readonly drawIndex: (
    tenant: TenantId,
    order: StatusOrder,
    candidates: readonly number[],
  ) => Promise<DrawnStatus | undefined>;
  /** Opens a list unless the entity has one for the purpose, or instead of the one that is full. */
  readonly openList: (
    tenant: TenantId,
    list: Pick<StatusOrder, 'entityDid' | 'purpose'> & { readonly listId: string; readonly size: number },
    full: string | undefined,
  ) => Promise<void>;
  /** For each purpose that the credential has an entry for: is it set? */
  readonly findStatuses: (tenant: TenantId, credentialDid: string) => Promise<ReadonlyMap<StatusPurpose, boolean>>;
  /** One statement: a credential that was revoked before is not changed. */
  readonly changeStatus: (
    tenant: TenantId,
    credentialDid: string,
    change: { readonly purpose: StatusPurpose; readonly isSet: boolean },
  ) => Promise<{ readonly wasRevoked: boolean }>;
  readonly findList: (asker: Asker, name: StatusListName) => Promise<StatusListState | undefined>;
  /** For everybody; without the document for callers that know it by its etag. */
  readonly findPublished: (name: StatusListName, knownEtag?: string) => Promise<PublishedStatusList | undefined>;
  /** Keeps a signed list, unless a newer one is there. */
  readonly publish: (name: StatusListName, publication: StatusListPublication) => Promise<void>;
}

/** The JSON Schemas by which credentials are validated before they are signed. Nothing is fetched. */
export interface JsonSchemas {
  /** Of a schema that is published here, or one of the operator's list; undefined for any other address. */
  readonly find: (asker: Asker, url: string) => Promise<JsonObject | undefined>;
  /** Whether drafts may refer to unknown ones, by which nothing is validated. */
  readonly acceptsUnknown: boolean;
  /** Where a document does not satisfy a schema, at most 20 places; an address always has the same schema. */
  readonly validate: (url: string, schema: JsonObject, document: JsonObject) => readonly Fault[];
}

/**
 * How to interpret the documents of one call of a tenant: the contexts that they may have, the canonicalizer, and the
 * lists that say whether they are still valid.
 */
export type Understand = (tenant: TenantId) => Understanding & { readonly statusLists: StatusLists };
