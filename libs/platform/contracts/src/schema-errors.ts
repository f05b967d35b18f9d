import type { ErrorEntry } from '@vestibule/foundation';

/** What a backend can receive from the schema and draft API, in addition to the codes of every API. */
export const SCHEMA_ERRORS = {
  api_version_unknown: {
    status: 400,
    meaning: '`X-Service-OAS-Version` is not a version of the schema and draft API',
    remedy: 'send `0.40.11` or `0.38.2`, or omit the header',
  },
  draft_incomplete: {
    status: 400,
    meaning: 'the draft lacks values for `not_empty` claims of its schema; `errors` lists them',
    remedy: 'update the draft, then issue it',
  },
  json_schema_violated: {
    status: 400,
    meaning:
      'the credential of a draft does not satisfy one of its `vcdm_json_schemas`; `errors` has the first places, as paths in the W3C document',
    remedy: 'update the draft, then issue it',
  },
  json_schema_unknown: {
    status: 400,
    meaning: 'the draft names a JSON Schema in `vcdm_json_schemas` that is not known any more',
    remedy: 'remove it from the draft, or have the operator add it to `JSON_SCHEMAS_FILE`',
  },
  schema_not_found: {
    status: 404,
    meaning: 'the tenant has no such schema',
    remedy: 'search the schemas of the tenant',
  },
  published_schema_not_found: {
    status: 404,
    meaning: 'there is no published schema at this URL',
    remedy: 'use the URLs returned when the schema was published',
  },
  credential_status_list_not_found: {
    status: 404,
    meaning: 'there is no status list at this URL',
    remedy: 'use the `statusListCredential` of a credential',
  },
  schema_published: {
    status: 409,
    meaning: 'the schema is published and cannot be changed',
    remedy: 'create a new schema and publish it as the next version',
  },
  schema_version_taken: {
    status: 409,
    meaning: 'another definition is published under this slug and version',
    remedy: 'publish under a new version',
  },
  schema_version_outdated: {
    status: 409,
    meaning: 'a higher version is published under this slug',
    remedy: 'publish under a version higher than every published one of this slug',
  },
  api_version_gone: {
    status: 410,
    meaning: 'version 0.38 of the schema and draft API has ended',
    remedy: 'use the current version',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly schema: typeof SCHEMA_ERRORS;
  }
}
