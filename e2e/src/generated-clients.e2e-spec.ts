import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { joinStage, type SharedStage } from './stage';

const root = path.resolve(__dirname, '../..');
const DOCUMENT = path.join(root, 'docs/openapi/management.json');
const SAMPLE = path.join(root, 'libs/kit/client/samples/python');
const run = promisify(execFile);

/** A backend over openapi-fetch and the types that openapi-typescript makes with its default options. */
const BACKEND = `
import createClient from 'openapi-fetch';
import type { paths } from './management.js';

const [baseUrl = '', issuerUrl = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const vct_values = [issuerUrl + '/oidc4vci/types/identity-card'];

const offer = await client.POST('/offers', {
  body: {
    credential_configuration_id: 'identity-card',
    claims: { given_name: 'Ada', family_name: 'Example', birthdate: '1990-01-31' },
  },
});
if (offer.error) throw new Error(offer.error.code);
const { offer_id: offerId } = offer.data;
const request = await client.POST('/oidc4vp', {
  body: { dcql_query: { credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values }, claims: [{ path: ['family_name'] }] }] } },
});
if (request.error) throw new Error(request.error.code);
const { state, cross_device_request_uri: uri } = request.data;
console.log(JSON.stringify({ offer: offer.data.credential_offer_uri, request: uri, state }));

async function offerEnd(): Promise<string> {
  const { data, error } = await client.GET('/offers/{offerId}', { params: { path: { offerId }, query: { wait: 30 } } });
  if (error) throw new Error(error.code);
  return data.status === 'OFFER_CREATED' ? offerEnd() : data.status;
}
async function requestEnd(): Promise<string> {
  const { data, error } = await client.GET('/oidc4vp/{state}', { params: { path: { state }, query: { wait: 30 } } });
  if (error) throw new Error(error.code);
  return data.status === 'PENDING' ? requestEnd() : data.status;
}
console.log(JSON.stringify({ offer: await offerEnd(), request: await requestEnd() }));
`;

let stage: SharedStage;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-generated-'));
  stage = await joinStage();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stage?.stop();
});

/** Runs a backend that prints what its wallet needs and then how both flows ended; plays the wallet. */
async function playWallet(program: string, argv: readonly string[], cwd: string): Promise<void> {
  const { managementUrl, issuerUrl } = stage.stack;
  const backend = spawn(program, [...argv, managementUrl, issuerUrl], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(backend, 'close');
  let said = '';
  backend.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const lines = createInterface({ input: backend.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`the backend ended: ${said}`);
    return JSON.parse(value as string) as Readonly<Record<string, string>>;
  };
  try {
    const { offer = '', request = '', state = '' } = await next();
    const wallet = stage.createWallet();
    expect(await wallet.redeemOffer(offer)).toHaveLength(1);
    expect((await wallet.present(request)).status).toBe(200);
    expect(await next()).toEqual({ offer: 'ISSUED', request: 'FULFILLED' });
    expect(await stage.callbacksOf(state, 1)).toMatchObject([{ status: 'FULFILLED', state }]);
    expect(await closed).toEqual([0, null]);
  } finally {
    backend.kill();
  }
}

it('17.11 a client that openapi-typescript generates with default options drives both main flows', async () => {
  const place = mkdtempSync(path.join(folder, 'typescript-'));
  const tool = (file: string, ...argv: string[]) =>
    run(process.execPath, [path.join(root, 'node_modules', file), ...argv], { cwd: place });
  await tool('openapi-typescript/bin/cli.js', DOCUMENT, '--output', 'management.d.ts');
  symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'));
  writeFileSync(path.join(place, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(place, 'backend.ts'), BACKEND);
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: ['node'] };
  const options = { ...strict, target: 'es2023', lib: ['es2023', 'dom'], module: 'nodenext' };
  writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['backend.ts'] }));
  await tool('typescript-native/bin/tsc', '-p', '.');
  await playWallet(process.execPath, ['backend.js'], place);
});

interface Python {
  readonly program: string;
  /** Why the sample cannot run on this machine. */
  readonly lacks?: string;
}

/** What a program says if it fails. */
const failure = (file: string, ...argv: string[]): Promise<string | undefined> =>
  run(file, argv).then(
    () => undefined,
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => `${stdout}${stderr}`.trim(),
  );

/** An environment with the packages of the sample: what cannot be installed here is no failure of the client. */
async function preparePython(): Promise<Python> {
  const program = path.join(folder, 'python/bin/python');
  const { status, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  const [, minor = '0'] = /^Python 3\.(\d+)/.exec(stdout ?? '') ?? [];
  if (status !== 0 || Number(minor) < 11) return { program, lacks: 'Python 3.11' };
  const environment = path.join(folder, 'python');
  const without = await failure('python3', '-m', 'venv', environment);
  if (without !== undefined) return { program, lacks: `python3-venv: ${without}` };
  const refused = await failure(
    program,
    '-m',
    'pip',
    'install',
    '--quiet',
    // What is never imported need not be compiled.
    '--no-compile',
    '-r',
    path.join(SAMPLE, 'requirements.txt'),
  );
  return refused === undefined ? { program } : { program, lacks: `the packages of the sample: ${refused}` };
}

it('17.11 a client that openapi-python-client generates drives both main flows from Python', async () => {
  const { program, lacks } = await preparePython();
  if (lacks !== undefined) {
    process.stderr.write(`the sample client for Python is NOT TESTED: this machine lacks ${lacks}\n`);
    return;
  }
  const place = mkdtempSync(path.join(folder, 'sample-'));
  cpSync(path.join(SAMPLE, 'backend.py'), path.join(place, 'backend.py'));
  const generator = path.join(path.dirname(program), 'openapi-python-client');
  const output = ['--output-path', path.join(place, 'vestibule')];
  await run(generator, ['generate', '--meta', 'none', '--path', DOCUMENT, ...output], { cwd: place });
  await playWallet(program, ['backend.py'], place);
});
