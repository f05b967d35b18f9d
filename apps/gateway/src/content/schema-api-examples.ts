import type { ApiVersion } from '@vestibule/contracts';
import type { OperationExample } from '../http/openapi-examples';

const DRAFT = 'did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu';
const ENTITY = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169';
const WALLET = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
const HOLDER = 'did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm';
const SCHEMA_ID = 'AZyNnW1AAACfQhx2f0cJmPvT';
const TENANT = '6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11';
const URL = `https://connector.example/schemas/${TENANT}/employee-badge/1`;
const AT = '2026-03-01T12:00:00.000Z';

const CLAIMS_SCHEMA = {
  fields: [
    { kind: 'STRING', value: { name: 'given_name', not_empty: true, title: 'Given name' } },
    { kind: 'DATE', value: { name: 'since' } },
  ],
};
const TYPED = { given_name: { kind: 'STRING', value: 'Erika' }, since: { kind: 'DATE', value: '2026-03-01' } };
const PLAIN = { given_name: 'Erika', since: '2026-03-01' };
const PUBLISHED = {
  schema: CLAIMS_SCHEMA,
  slug: 'employee-badge',
  version: 1,
  meta_schema: URL,
  json_ld_vocab: `${URL}/context`,
  vcdm_json_schema: `${URL}/json-schema`,
  type_metadata: `${URL}/type-metadata`,
};

/** The same in both versions. */
const STATUS_EXAMPLES: Readonly<Record<string, OperationExample>> = {
  CredentialStatusGet: { answer: { id: DRAFT, status: 'valid', status_purposes: ['revocation'] } },
  CredentialStatusChange: {
    request: { status: 'revoked' },
    answer: { id: DRAFT, status: 'revoked', status_purposes: ['revocation'] },
  },
};

/** One example for each operation of the schema and draft API, in one of its versions. */
export function schemaExamples(version: ApiVersion): Readonly<Record<string, OperationExample>> {
  const current = version === '0.40.11';
  const values = current ? TYPED : PLAIN;
  const content = current
    ? { meta_schema: URL, json_ld_vocabs: [], vcdm_json_schemas: [], values }
    : { schema: URL, values };
  const resource = (name: string, id: string, part: object, revision = 1) => ({
    kind: { name, version },
    id,
    etag: String(revision),
    revision,
    created_at: AT,
    modified_at: AT,
    labels: {},
    annotations: {},
    data: part,
  });
  const shown = { entity_did: ENTITY, wallet_did: WALLET, ...content };
  const draft = resource('Draft', DRAFT, shown);
  const schema = resource('Schema', SCHEMA_ID, { schema: CLAIMS_SCHEMA });
  const published = resource('PublishedSchema', SCHEMA_ID, { ...PUBLISHED, owner: ENTITY });
  const byLabel = { filter: [{ labels: { team: { operator: 'EQUAL', value: 'blue' } } }], limit: 100 };
  const issued = {
    state: 'issued',
    entity_did: ENTITY,
    wallet_did: WALLET,
    issuer_did: ENTITY,
    holder_did: HOLDER,
    types: ['VerifiableCredential', 'EmployeeBadge'],
    document: { type: ['VerifiableCredential', 'EmployeeBadge'] },
  };
  return {
    SchemaCreate: { request: { data: { schema: CLAIMS_SCHEMA } }, answer: schema },
    SchemaGet: { answer: schema },
    SchemaUpdate: { request: { labels: { team: 'blue' } }, answer: { ...schema, labels: { team: 'blue' } } },
    SchemaPublish: { request: { slug: 'employee-badge' }, answer: resource('Schema', SCHEMA_ID, PUBLISHED, 2) },
    SchemaSearch: { request: byLabel, answer: { items: [schema] } },
    PublishedSchemaSearch: {
      request: { filter: [{ slug: { operator: 'EQUAL', value: 'employee-badge' } }] },
      answer: { items: [published] },
    },
    DraftCreate: {
      request: { data: current ? { meta_schema: URL, values } : { schema: URL, values } },
      answer: draft,
    },
    DraftGet: { answer: draft },
    DraftUpdate: {
      request: { data: { values: { since: null } } },
      answer: { ...draft, data: { ...shown, values: { given_name: values.given_name } } },
    },
    DraftSearch: { request: byLabel, answer: { items: [draft] } },
    DraftIssue: {
      request: { holder_did: HOLDER, status_purposes: ['revocation'] },
      answer: resource('Credential', DRAFT, issued, 2),
    },
    DraftAbandon: { answer: { ...draft, deleted_at: AT } },
    ...STATUS_EXAMPLES,
    GetCredentialClaimValues: { answer: resource('ClaimValues', DRAFT, { values }, 2) },
  };
}
