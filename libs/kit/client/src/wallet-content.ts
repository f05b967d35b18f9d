import { Api } from './api';
import type { BodyOf, ItemOf, QueryOf, ResultOf, WalletContentOperations } from './operation-types';
import type { CallOptions } from './options';

type Operations = WalletContentOperations;
type Result<Id extends keyof Operations> = Promise<ResultOf<Operations[Id]>>;
type Body<Id extends keyof Operations> = BodyOf<Operations[Id]>;
type Query<Id extends keyof Operations> = QueryOf<Operations[Id]>;
type Items<Id extends keyof Operations> = AsyncGenerator<ItemOf<Operations[Id]>, void, undefined>;

/** Schemas, and those that are published. */
export class Schemas {
  readonly #api: Api<Operations>;

  constructor(api: Api<Operations>) {
    this.#api = api;
  }

  /** `POST /schemas`. */
  create(schema: Body<'SchemaCreate'>, options?: CallOptions): Result<'SchemaCreate'> {
    return this.#api.call('SchemaCreate', { body: schema }, options);
  }

  /** `GET /schemas/{id}`. */
  get(id: string, options?: CallOptions): Result<'SchemaGet'> {
    return this.#api.call('SchemaGet', { path: { id } }, options);
  }

  /** `PATCH /schemas/{id}`: a JSON merge patch (RFC 7396). */
  update(id: string, patch: Body<'SchemaUpdate'>, options?: CallOptions): Result<'SchemaUpdate'> {
    return this.#api.call('SchemaUpdate', { path: { id }, body: patch }, options);
  }

  /** `PATCH /schemas/{id}/publish`: makes the schema public and immutable. `entityDid` signs it. */
  publish(
    id: string,
    { entityDid, ...body }: Body<'SchemaPublish'> & Query<'SchemaPublish'> = {},
    options?: CallOptions,
  ): Result<'SchemaPublish'> {
    const query = entityDid === undefined ? {} : { entityDid };
    return this.#api.call('SchemaPublish', { path: { id }, query, body }, options);
  }

  /** `POST /schemas/search`. */
  search(criteria: Body<'SchemaSearch'> = {}, options?: CallOptions): Items<'SchemaSearch'> {
    return this.#api.search('SchemaSearch', criteria, options);
  }

  /** `POST /published-schemas/search`. */
  searchPublished(criteria: Body<'PublishedSchemaSearch'> = {}, options?: CallOptions): Items<'PublishedSchemaSearch'> {
    return this.#api.search('PublishedSchemaSearch', criteria, options);
  }
}

/** Drafts of credentials. */
export class Drafts {
  readonly #api: Api<Operations>;

  constructor(api: Api<Operations>) {
    this.#api = api;
  }

  /** `POST /drafts`, in the wallet of `place` or in the default wallet of the tenant. */
  create(draft: Body<'DraftCreate'>, place: Query<'DraftCreate'> = {}, options?: CallOptions): Result<'DraftCreate'> {
    return this.#api.call('DraftCreate', { query: place, body: draft }, options);
  }

  /** `GET /drafts/{id}`. */
  get(id: string, options?: CallOptions): Result<'DraftGet'> {
    return this.#api.call('DraftGet', { path: { id } }, options);
  }

  /** `PATCH /drafts/{id}`: a JSON merge patch (RFC 7396). */
  update(id: string, patch: Body<'DraftUpdate'>, options?: CallOptions): Result<'DraftUpdate'> {
    return this.#api.call('DraftUpdate', { path: { id }, body: patch }, options);
  }

  /** `DELETE /drafts/{id}`: marks the draft as abandoned. */
  abandon(id: string, options?: CallOptions): Result<'DraftAbandon'> {
    return this.#api.call('DraftAbandon', { path: { id } }, options);
  }

  /** `POST /drafts/{id}/issue`: signs the draft. */
  issue(id: string, body: Body<'DraftIssue'> = {}, options?: CallOptions): Result<'DraftIssue'> {
    return this.#api.call('DraftIssue', { path: { id }, body }, options);
  }

  /** `POST /drafts/search`. */
  search(criteria: Body<'DraftSearch'> = {}, options?: CallOptions): Items<'DraftSearch'> {
    return this.#api.search('DraftSearch', criteria, options);
  }
}

/** Credentials in wallets. */
export class Credentials {
  readonly #api: Api<Operations>;

  constructor(api: Api<Operations>) {
    this.#api = api;
  }

  /** `GET /api/wallet/v1/credential/{did}`. */
  get(did: string, query: Query<'CredentialGetV1'>, options?: CallOptions): Result<'CredentialGetV1'> {
    return this.#api.call('CredentialGetV1', { path: { did }, query }, options);
  }

  /** `GET /api/wallet/v1/credentials`: oldest first. */
  list(query: Query<'CredentialListV1'>, options?: CallOptions): Items<'CredentialListV1'> {
    return this.#api.list('CredentialListV1', { query }, options);
  }

  /** `POST /api/wallet/v1/credentials`: stores a credential of another issuer. */
  import(
    credential: Body<'CredentialImportV1'>,
    place: Query<'CredentialImportV1'> = {},
    options?: CallOptions,
  ): Result<'CredentialImportV1'> {
    return this.#api.call('CredentialImportV1', { query: place, body: credential }, options);
  }

  /** `GET /credentials/{id}/values`: the values from which a credential was issued. */
  values(id: string, options?: CallOptions): Result<'GetCredentialClaimValues'> {
    return this.#api.call('GetCredentialClaimValues', { path: { id } }, options);
  }
}

/** Presentations of credentials between wallets. */
export class Presentations {
  readonly #api: Api<Operations>;

  constructor(api: Api<Operations>) {
    this.#api = api;
  }

  /** `POST /api/wallet/v1/vp`. */
  create(
    presentation: Body<'PresentationCreateV1'>,
    place: Query<'PresentationCreateV1'> = {},
    options?: CallOptions,
  ): Result<'PresentationCreateV1'> {
    return this.#api.call('PresentationCreateV1', { query: place, body: presentation }, options);
  }

  /** `GET /api/wallet/v1/vp/{did}`. */
  get(did: string, query: Query<'PresentationGetV1'>, options?: CallOptions): Result<'PresentationGetV1'> {
    return this.#api.call('PresentationGetV1', { path: { did }, query }, options);
  }

  /** `GET /api/wallet/v1/vp`: oldest first. */
  list(query: Query<'PresentationListV1'>, options?: CallOptions): Items<'PresentationListV1'> {
    return this.#api.list('PresentationListV1', { query }, options);
  }

  /** `PATCH /api/wallet/v1/vp/{did}`: a JSON merge patch (RFC 7396) of a draft. */
  update(did: string, patch: Body<'PresentationUpdateV1'>, options?: CallOptions): Result<'PresentationUpdateV1'> {
    return this.#api.call('PresentationUpdateV1', { path: { did }, body: patch }, options);
  }

  /** `POST /api/wallet/v1/vp/{did}/issue`: signs the presentation. */
  issue(did: string, body: Body<'PresentationIssueV1'> = {}, options?: CallOptions): Result<'PresentationIssueV1'> {
    return this.#api.call('PresentationIssueV1', { path: { did }, body }, options);
  }

  /** `POST /api/wallet/v1/vp/{did}/present`: hands the presentation to the wallet of `place`. */
  present(did: string, place: Query<'PresentationPresentV1'>, options?: CallOptions): Result<'PresentationPresentV1'> {
    return this.#api.call('PresentationPresentV1', { path: { did }, query: place }, options);
  }

  /** `DELETE /api/wallet/v1/vp/{did}`: marks the presentation as abandoned. */
  abandon(did: string, options?: CallOptions): Result<'PresentationAbandonV1'> {
    return this.#api.call('PresentationAbandonV1', { path: { did } }, options);
  }
}

/** Wallet content, schemas and drafts of a tenant, which the API key names. */
export class WalletContent extends Api<Operations> {
  readonly schemas = new Schemas(this);
  readonly drafts = new Drafts(this);
  readonly credentials = new Credentials(this);
  readonly presentations = new Presentations(this);

  /** `POST /api/wallet/v1/entity`. */
  createEntity(options?: CallOptions): Result<'EntityCreateV1'> {
    return this.call('EntityCreateV1', {}, options);
  }

  /** `GET /api/wallet/v1/entities`: those of the tenant, oldest first. */
  listEntities(query: Query<'EntityListV1'> = {}, options?: CallOptions): Items<'EntityListV1'> {
    return this.list('EntityListV1', { query }, options);
  }

  /** `GET /api/wallet/v1/wallets`: those of the tenant, oldest first. */
  listWallets(query: Query<'WalletListV1'> = {}, options?: CallOptions): Items<'WalletListV1'> {
    return this.list('WalletListV1', { query }, options);
  }

  /** `POST /api/wallet/v1/wallet`: a wallet of the entity. */
  createWallet(entityDid: string, options?: CallOptions): Result<'WalletCreateV1'> {
    return this.call('WalletCreateV1', { query: { entityDid } }, options);
  }
}
