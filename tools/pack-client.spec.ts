import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '..');
const COMPILER = path.join(root, 'node_modules/typescript-native/bin/tsc');

function run(program: string, argv: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(program, argv, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A folder outside of the repository, with the package installed from its tarball. */
let folder: string;
let listed: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-client-'));
  const written = run(process.execPath, [path.join(root, 'tools/pack-client.cjs'), path.join(folder, 'package')], root);
  expect([written.status, written.stderr]).toEqual([0, '']);
  const packed = run('npm', ['pack', './package', '--json', '--silent'], folder);
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  listed = files.map((file) => file.path);
  writeFileSync(path.join(folder, 'package.json'), '{"name":"backend","private":true}');
  const installed = run(
    'npm',
    ['install', `./${filename}`, '--offline', '--silent', '--no-audit', '--no-fund'],
    folder,
  );
  expect(installed.status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file against the installed package and returns what it prints. */
function runFile(name: string, text: string): unknown {
  writeFileSync(path.join(folder, name), text);
  const { status, stdout, stderr } = run(process.execPath, [name], folder);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** What a backend does first; the port is free, and nothing listens there. */
const BODY = `
const server = require_('node:http').createServer((request, response) => {
  response.writeHead(404, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ code: 'offer_not_found', status: 404, detail: 'd' }));
});
server.listen(0, '127.0.0.1', () => {
  const vestibule = createClient({ baseUrl: 'http://127.0.0.1:' + server.address().port });
  vestibule.offers.get('unknown').catch((error) => {
    let callback;
    try { verifyCallback('{}', {}, 'whsec_' + 'A'.repeat(44)); } catch (refusal) { callback = refusal.code; }
    console.log(JSON.stringify([error instanceof ProblemError, error.code, callback, Object.keys(all).sort()]));
    server.close();
  });
});
`;
const NAMES = 'ProblemError, createClient, verifyCallback';
const EXPORTS = [
  'Api',
  'ArgumentError',
  'CallbackError',
  'ConnectionError',
  'ProblemError',
  'RepeatedCursorError',
  'UnexpectedResponseError',
  'VestibuleError',
  'createClient',
  'crossDeviceResult',
  'sameDeviceResult',
  'verifyCallback',
];

/** The TypeScript of a page, file by file: the first block is the module that the others import. */
const blocksOf = (page: string) =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text as string,
  );

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  // The types of Node.js contradict themselves; the case without them checks those of the package.
  skipLibCheck: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
};

function compile(options: object, files: Readonly<Record<string, string>>) {
  const place = mkdtempSync(path.join(folder, 'types-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(place, name), text);
  const configuration = { compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) };
  writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify(configuration));
  return run(process.execPath, [COMPILER, '-p', place], folder);
}

const MISUSE = `
import { createClient, type VerifiedCallback } from '@vestibule/client';
const vestibule = createClient({ baseUrl: 'http://a.test' });
const meta = { vct_values: ['https://a.example'] };
// @ts-expect-error: a query needs credentials
void vestibule.presentationRequests.create({ dcql_query: {} });
// @ts-expect-error: a misspelt member
void vestibule.presentationRequests.create({ dcql_query: { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta }] }, expiresIn: 1 });
// @ts-expect-error: another format
void vestibule.presentationRequests.create({ dcql_query: { credentials: [{ id: 'a', format: 'mso_mdoc', meta }] } });
// @ts-expect-error: a status that a list does not have
vestibule.offers.list({ status: 'PENDING' });
// @ts-expect-error: the wallet of a credential is required
void vestibule.content.credentials.get('did:key:z', {});
// @ts-expect-error: an operation that receives
void vestibule.call('receiveIssuanceEvent', {});
// @ts-expect-error: an operation with a path
void vestibule.call('getCredentialOffer', {});
// @ts-expect-error: an operation without pages
vestibule.list('getCredentialOffer', { path: { offerId: 'o' } });
export function read({ type, event }: VerifiedCallback): string {
  // @ts-expect-error: not every event has a state
  void event.state;
  // @ts-expect-error: an expired request has no details
  if (type === 'presentedCredentials' && event.status === 'EXPIRED') return event.errorDetails;
  return type === 'issuance' && event.status === 'FAILED' ? event.errorDetails : type;
}
export async function draft(): Promise<string | undefined> {
  const content = vestibule.content;
  const { data } = await content.drafts.create({ data: { meta_schema: 'https://a.example', values: { name: { kind: 'STRING', value: 'Ada' } } } });
  // @ts-expect-error: the member of the previous version
  void data.schema;
  const previous = await vestibule.previousContent.call('DraftGet', { path: { id: 'd' } });
  void previous.data.schema;
  for await (const { CredentialDid } of content.credentials.list({ entityDid: 'e', walletDid: 'w' })) return CredentialDid;
  return data.meta_schema;
}
`;

describe('17.11 the tarball of @vestibule/client', () => {
  it('has the program, its types, and no dependency', () => {
    const manifest = JSON.parse(
      readFileSync(path.join(folder, 'node_modules/@vestibule/client/package.json'), 'utf8'),
    ) as object;
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['dependencies']));
    expect(manifest).toMatchObject({ name: '@vestibule/client', license: 'Apache-2.0' });
    expect(listed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.js', 'index.mjs', 'index.d.ts']));
    expect(listed.filter((file) => /spec|testing/.test(file))).toEqual([]);
  });

  it('works from a CommonJS file', () => {
    const start = `const all = require('@vestibule/client');\nconst { ${NAMES} } = all;\nconst require_ = require;`;
    expect(runFile('backend.cjs', start + BODY)).toEqual([true, 'offer_not_found', 'header_missing', EXPORTS]);
  });

  it('works from an ES module, which gets the same objects', () => {
    const start = `import * as all from '@vestibule/client';\nimport { ${NAMES} } from '@vestibule/client';\nimport { createRequire } from 'node:module';\nconst require_ = createRequire(import.meta.url);`;
    expect(runFile('backend.mjs', start + BODY)).toEqual([true, 'offer_not_found', 'header_missing', EXPORTS]);
    const same = `${start}\nconsole.log(require_('@vestibule/client').ProblemError === ProblemError);`;
    expect(runFile('same.mjs', same)).toBe(true);
  });

  describe('gives types to strict TypeScript', () => {
    beforeAll(() => {
      const types = path.join(folder, 'node_modules/@types');
      mkdirSync(types, { recursive: true });
      cpSync(path.join(root, 'node_modules/@types/node'), path.join(types, 'node'), { recursive: true });
      symlinkSync(path.join(root, 'node_modules/undici-types'), path.join(folder, 'node_modules/undici-types'));
    });

    it.each([
      ['an ES module', { module: 'nodenext' }, 'mts'],
      ['CommonJS', { module: 'nodenext' }, 'cts'],
      ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }, 'ts'],
      [
        'a browser library',
        { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2023', 'dom'], skipLibCheck: false },
        'ts',
      ],
    ])('in %s, and refuses misuse', (_what, options, ending) => {
      const { stdout } = compile(options, { [`misuse.${ending}`]: MISUSE });
      expect(stdout).toBe('');
    });

    it('that is in the docs', () => {
      const [first = '', ...others] = blocksOf('docs/client.md');
      expect(others).toHaveLength(3);
      const files = {
        'vestibule.ts': first,
        ...Object.fromEntries(others.map((text, index) => [`page-${index}.ts`, text])),
      };
      const readme = blocksOf('libs/kit/client/README.md').map((text, index) => [`readme-${index}.ts`, text]);
      const options = { module: 'esnext', moduleResolution: 'bundler', noPropertyAccessFromIndexSignature: true };
      expect(compile(options, { ...files, ...Object.fromEntries(readme) }).stdout).toBe('');
    });
  });
});
