import { randomBytes } from 'node:crypto';
import { createIdempotency } from '@vestibule/persistence';
import { canonicalize } from '@vestibule/vcdm';
import { draftSearch } from '../adapters/postgres/draft-search';
import { DraftStore } from '../adapters/postgres/draft.store';
import { SCHEMA } from '../adapters/postgres/migrations';
import { SchemaStore } from '../adapters/postgres/schema.store';
import { WalletStore } from '../adapters/postgres/wallet.store';
import { composeSchemas } from '../compose-schemas';
import { openWalletStore, type StoreOptions } from './wallet-store.fixture-spec';

export const BASE_URL = 'https://connector.example';
export const CURRENT = '0.40.11' as const;
export const OLD = '0.38.2' as const;

const field = (kind: string, name: string, more: object = {}) => ({ kind, value: { name, ...more } });

/** A badge: one claim that it needs, and several that it may have. */
export const BADGE = {
  fields: [
    field('STRING', 'given_name', { not_empty: true, title: 'Given name' }),
    field('DATE', 'since'),
    field('NUMBER', 'level'),
    field('OBJECT', 'office', { fields: [field('STRING', 'street')] }),
    field('LIST', 'photos', { items: { kind: 'LINKED_FILE', value: {} } }),
  ],
};

/** What a badge says, with types and without. */
export const VALUES = {
  given_name: { kind: 'STRING', value: 'Zoë' },
  since: { kind: 'DATE', value: '2026-03-01' },
  level: { kind: 'NUMBER', value: 3 },
  office: { kind: 'OBJECT', value: { street: { kind: 'STRING', value: 'High Street' } } },
  photos: { kind: 'LIST', value: [{ kind: 'LINKED_FILE', value: 'https://files.example/1.jpg' }] },
};
export const PLAIN = {
  given_name: 'Zoë',
  since: '2026-03-01',
  level: 3,
  office: { street: 'High Street' },
  photos: ['https://files.example/1.jpg'],
};

/** Schemas and drafts over a fresh Postgres database. */
export async function openSchemas(options: StoreOptions = {}) {
  const stage = await openWalletStore(options);
  const { database, sealer, tenants } = stage;
  const clock = () => new Date();
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const schemaStore = new SchemaStore(database, idempotency, BASE_URL);
  const schemas = composeSchemas({
    clock,
    random: randomBytes,
    baseUrl: BASE_URL,
    tenants,
    wallets: new WalletStore(database, sealer, idempotency),
    drafts: new DraftStore({ database, sealer, idempotency }, 'credential'),
    schemas: schemaStore,
    searchDrafts: draftSearch(database, sealer),
    findContext: () => Promise.resolve(undefined),
    canonicalizeFor: () => canonicalize,
  });
  const tenant = await stage.newTenant();
  const asTenant = (version: typeof CURRENT | typeof OLD = CURRENT, who = tenant) => ({
    apiKeyDigest: who.apiKeyDigest,
    version,
  });
  let published = 0;
  const publishBadge = async (slug = `badge-${(published += 1)}`) => {
    const { id } = await schemas.createSchema({ ...asTenant(), body: { data: { schema: BADGE } } });
    return schemas.publishSchema({ ...asTenant(), id, body: { slug } });
  };
  return { ...stage, queryAs: stage.asTenant, schemas, schemaStore, tenant, asTenant, publishBadge };
}

export type SchemaStage = Awaited<ReturnType<typeof openSchemas>>;

type Version = typeof CURRENT | typeof OLD;

/** The calls on drafts as a test makes them, in the current version unless it says otherwise. */
export function draftCalls(stage: SchemaStage) {
  const { schemas, asTenant } = stage;
  const create = (content: object, { version = CURRENT as Version, ...more } = {}) =>
    schemas.createDraft({ ...asTenant(version), body: { data: content, ...more } as never });
  const update = (
    id: string,
    body: object,
    { version = CURRENT as Version, ifRevision = undefined as number | undefined } = {},
  ) => schemas.updateDraft({ ...asTenant(version), id, ifRevision, body: body as never });
  const issue = (id: string, body: object = {}) => schemas.issueDraft({ ...asTenant(), id, body: body as never });
  const abandon = (id: string, ifRevision?: number) => schemas.abandonDraft({ ...asTenant(), id, ifRevision });
  const read = async (id: string, version: Version = CURRENT) => {
    const filter = [{ id: { operator: 'EQUAL', value: id }, state: { operator: 'NOT_EQUAL', value: '' } }];
    return (await schemas.searchDrafts({ ...asTenant(version), body: { filter } })).items[0];
  };
  const forbidden = (id: string) => [() => issue(id), () => update(id, {}), () => abandon(id)];
  return { create, update, issue, abandon, read, forbidden };
}
