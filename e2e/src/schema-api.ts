type Members = Record<string, unknown>;

/** An answer of the schema and draft API. */
export interface ResourceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members & { readonly id: string; readonly data: Members; readonly code?: string };
  /** The paths of `errors`, in order. */
  readonly faults: readonly string[];
  readonly items: readonly ResourceAnswer['body'][];
}

/** The header that asks for the previous version. */
export const OLD = { 'x-service-oas-version': '0.38.2' };

/** One tenant on the schema and draft API. */
export function createSchemaApi(baseUrl: string, apiKey: string) {
  return async (
    method: string,
    address: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ResourceAnswer> => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${address}`, {
      method,
      headers: { 'x-api-key': apiKey, ...json, ...more },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as ResourceAnswer['body'];
    const errors = (answer['errors'] ?? []) as { path: string }[];
    const items = (answer['items'] ?? []) as ResourceAnswer['items'];
    return {
      status: response.status,
      headers: response.headers,
      body: answer,
      faults: errors.map((one) => one.path),
      items,
    };
  };
}

export type SchemaApi = ReturnType<typeof createSchemaApi>;

const field = (kind: string, name: string, more: object = {}) => ({ kind, value: { name, ...more } });

/** What an employee's badge says; only the name is needed. */
export const BADGE = {
  fields: [
    field('STRING', 'given_name', { not_empty: true, title: 'Given name' }),
    field('DATE', 'since'),
    field('NUMBER', 'level'),
    field('OBJECT', 'office', { fields: [field('STRING', 'street')] }),
  ],
};
export const VALUES = {
  given_name: { kind: 'STRING', value: 'Zoë' },
  since: { kind: 'DATE', value: '2026-03-01' },
  level: { kind: 'NUMBER', value: 3 },
  office: { kind: 'OBJECT', value: { street: { kind: 'STRING', value: 'High Street' } } },
};
export const PLAIN = { given_name: 'Zoë', since: '2026-03-01', level: 3, office: { street: 'High Street' } };
