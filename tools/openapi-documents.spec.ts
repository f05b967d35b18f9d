import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
const JUDGE = path.join(root, 'tools/judge-openapi.cjs');
const COMPILER = path.join(root, 'node_modules/typescript/bin/tsc');

interface Found {
  readonly file: string;
  readonly severity: string;
  readonly rule: string;
  readonly place: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-openapi-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function judge(documents: string): readonly Found[] {
  const lines = execFileSync(process.execPath, [JUDGE, documents, folder], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Found);
}

/** What an integrator writes over the generated types; each line that must not compile is marked so. */
const CLIENT = `
import type { components, paths, webhooks } from './management';
import type { components as content, operations } from './wallet-content-0.40.11';
import type { components as previous } from './wallet-content-0.38.2';

type Posted<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never;
type Created<P extends keyof paths> = paths[P] extends { post: { responses: { 201: { content: { 'application/json': infer B } } } } } ? B : never;
declare function post<P extends '/oidc4vp' | '/offers'>(path: P, body: Posted<P>): Promise<Created<P>>;

export async function request(): Promise<string> {
  const { state, cross_device_request_uri: uri } = await post('/oidc4vp', {
    dcql_query: {
      credentials: [
        { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['https://a.example'] }, claims: [{ path: ['address', null, 0] }] },
      ],
    },
    expires_in: 600,
  });
  return state + uri;
}

export async function offer(): Promise<string | undefined> {
  const created = await post('/offers', { credential_configuration_id: 'identity-card', claims: { given_name: 'Ada' } });
  return created.tx_code_value;
}

// @ts-expect-error: a query needs credentials
export const noQuery: Posted<'/oidc4vp'> = { dcql_query: {} };
// @ts-expect-error: a misspelt member
export const misspelt: Posted<'/offers'> = { credential_configuration_id: 'a', claim: {} };
// @ts-expect-error: another format
export const format: components['schemas']['CredentialQuery'] = { id: 'a', format: 'mso_mdoc', meta: { vct_values: [] } };

type Event = webhooks['presentedCredentials']['post']['requestBody']['content']['application/json'];
export function receive(event: Event): string {
  if (event.status === 'FULFILLED') {
    const name = event.credentials['card']?.[0]?.claims['family_name'];
    // @ts-expect-error: a claim may be anything
    const text: string = name;
    return text;
  }
  if (event.status === 'REJECTED') return event.errorDescription ?? event.errorDetails;
  // @ts-expect-error: an expired request says nothing more
  if (event.status === 'EXPIRED') return event.errorDetails;
  return event.errorDetails;
}

type Conflict = operations['DraftUpdate']['responses'][409]['content']['application/problem+json'];
export const isRace = ({ code }: Conflict): boolean => code === 'concurrent_change';
export const isOfNewerVersion = ({ code }: Conflict): boolean => code === 'a_code_that_this_client_does_not_know';

export const values: content['schemas']['ClaimValues'] = {
  name: { kind: 'STRING', value: 'Ada' },
  tags: { kind: 'LIST', value: [{ kind: 'NUMBER', value: 1 }] },
};
// @ts-expect-error: the value of a number
export const wrong: content['schemas']['ClaimValue'] = { kind: 'NUMBER', value: 'one' };
export const draft: content['schemas']['DraftCreateRequest'] = { data: { meta_schema: 'https://a.example', values } };
export const imported: content['schemas']['CredentialImport'] = { Body: { issuer: 'did:example:1' } };
export const patched: content['schemas']['PresentationUpdate'] = { validUntil: '2030-01-01T00:00:00Z' };
export const metaSchemaOf = ({ data }: content['schemas']['ResourceDraft']): string => data.meta_schema;
export const schemaOf = ({ data }: previous['schemas']['ResourceDraft']): string => data.schema;
`;

describe('17.10: the OpenAPI documents, as other programs read them', () => {
  const documents = path.join(root, 'docs/openapi');

  it('break no recommended rule of Redocly; only probes have no answer that says that the caller is at fault', () => {
    const found = judge(documents).map(({ file, severity, rule, place }) => [file, severity, rule, place]);
    expect(found).toEqual([
      ['management.json', 'warn', 'operation-4xx-response', '#/paths/~1health~1live/get/responses'],
      ['management.json', 'warn', 'operation-4xx-response', '#/paths/~1health~1ready/get/responses'],
    ]);
  });

  it('give types with the default options of openapi-typescript, over which a small client compiles', () => {
    const generated = readdirSync(folder).filter((file) => file.endsWith('.d.ts'));
    expect(generated).toEqual(readdirSync(documents).map((file) => file.replace(/json$/, 'd.ts')));
    writeFileSync(path.join(folder, 'client.ts'), CLIENT);
    const options = [
      '--noEmit',
      '--strict',
      '--lib',
      'es2023,dom',
      '--moduleResolution',
      'bundler',
      '--module',
      'esnext',
    ];
    const { stdout, status } = spawnSync(process.execPath, [COMPILER, ...options, 'client.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
  });

  it('would be found where one of them is wrong', () => {
    const wrong = mkdtempSync(path.join(tmpdir(), 'vestibule-openapi-wrong-'));
    const operation = { responses: { 200: { description: 'x' } }, security: [{ unknown: [] }] };
    const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/a/{id}': { get: operation } } };
    writeFileSync(path.join(wrong, 'wrong.json'), JSON.stringify(document));
    const rules = judge(wrong).flatMap(({ severity, rule }) => (severity === 'error' ? [rule] : []));
    rmSync(wrong, { recursive: true });
    expect(rules).toEqual(expect.arrayContaining(['path-parameters-defined', 'security-defined']));
  });
});
