import { changeCredentialStatus, getCredentialStatus } from '../use-cases/credential-status';
import { getClaimValues, issueTypedDraft } from '../use-cases/issue-typed-draft';
import { publishSchema } from '../use-cases/publish-schema';
import { getPublishedSchema, searchPublishedSchemas, searchSchemas } from '../use-cases/read-schemas';
import { getStatusListCredential } from '../use-cases/status-list-credential';
import { searchDrafts } from '../use-cases/search-drafts';
import { abandonTypedDraft, createDraft, updateDraft } from '../use-cases/write-draft';
import { createSchema, updateSchema } from '../use-cases/write-schema';
import { openWalletStore, type StoreOptions } from './wallet-store.fixture-spec';

export { BASE_URL } from './wallet-store.fixture-spec';
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
  const { useCase } = stage;
  const schemas = {
    createSchema: useCase(createSchema),
    updateSchema: useCase(updateSchema),
    publishSchema: useCase(publishSchema),
    searchSchemas: useCase(searchSchemas),
    searchPublishedSchemas: useCase(searchPublishedSchemas),
    getPublishedSchema: useCase(getPublishedSchema),
    createDraft: useCase(createDraft),
    updateDraft: useCase(updateDraft),
    searchDrafts: useCase(searchDrafts),
    issueDraft: useCase(issueTypedDraft),
    abandonDraft: useCase(abandonTypedDraft),
    getClaimValues: useCase(getClaimValues),
    getCredentialStatus: useCase(getCredentialStatus),
    changeCredentialStatus: useCase(changeCredentialStatus),
    getStatusListCredential: useCase(getStatusListCredential),
  };
  const schemaStore = stage.adapters.schemas;
  const { contexts, statusLists } = stage.draftDeps.understand('nobody');
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
  return {
    ...stage,
    queryAs: stage.asTenant,
    schemas,
    schemaStore,
    contexts,
    statusLists,
    tenant,
    asTenant,
    publishBadge,
  };
}

export type SchemaStage = Awaited<ReturnType<typeof openSchemas>>;

type Version = typeof CURRENT | typeof OLD;
const ANY_STATE = { operator: 'IN', value: ['draft', 'issued', 'abandoned'] };

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
    const filter = [{ id: { operator: 'EQUAL', value: id }, state: ANY_STATE }];
    return (await schemas.searchDrafts({ ...asTenant(version), body: { filter } })).items[0];
  };
  const forbidden = (id: string) => [() => issue(id), () => update(id, {}), () => abandon(id)];
  return { create, update, issue, abandon, read, forbidden };
}
