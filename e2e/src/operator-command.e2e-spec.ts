import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sealingKeyMark } from '@vestibule/crypto';
import { environmentOfRun } from '@vestibule/dev-stack';
import { openToMigrations } from './operator-database';
import { joinStage, type SharedStage } from './stage';
import { createW3cIssuer } from './w3c-issuer';
import { createWalletApi, ownerQuery } from './wallet-api';

const PROGRAM = path.resolve(__dirname, '../../dist/apps/cli/main.js');
const KEY = /^whpk_[A-Za-z0-9+/]{43}=$/;
type Environment = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number;
  readonly out: readonly string[];
  readonly said: string;
}

// eslint-disable-next-line no-restricted-properties -- where node is
const { PATH } = process.env;

/** Runs `vestibule` as an operator does, as a program of its own and with this environment only. */
function vestibule(line: string, environment: Environment = {}, input = ''): Promise<Ended> {
  const env = { PATH, ...environmentOfRun(), ...environment };
  return new Promise((resolve) => {
    const child = execFile(PROGRAM, line.split(' ').filter(Boolean), { env }, (error, stdout, stderr) => {
      const out = stdout.split('\n').filter((text) => text !== '');
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, said: stderr });
    });
    // A program that has not read its input is none the worse for it.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage?.stop());

const ofWalletStore = (changes: Environment = {}): Environment => ({
  NATS_URL: stage.natsUrl,
  BASE_URL: stage.stack.baseUrl,
  DATABASE_URL: stage.database.urls.wallet_store,
  SEALING_KEYS: stage.stack.files.secrets.sealingKey,
  ...changes,
});

describe('17.16: vestibule', () => {
  it('explains itself, and refuses what it does not know with the nearest that it does', async () => {
    const help = await vestibule('--help');
    expect([help.code, help.said]).toEqual([0, '']);
    expect(help.out.join('\n')).toMatch(/keys[^]*callbacks[^]*migrate[^]*reseal[^]*api-keys[^]*erase/);
    expect(await vestibule('api-keys create --tenent acme')).toEqual({
      code: 2,
      out: [],
      said: 'unknown option: --tenent; did you mean --tenant?\nvestibule api-keys --help explains it\n',
    });
    expect((await vestibule('--version')).out).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)]);
  });

  it('21.4 qr shows a text, or the address that wallets scan in a piped answer, and says why it shows nothing', async () => {
    const address = `openid4vp://?request_uri=${'x'.repeat(100)}`;
    const shown = await vestibule(`qr ${address}`);
    expect([shown.code, shown.said, shown.out.length]).toEqual([0, '', 25]);
    const answers = [
      { state: 's', same_device_request_uri: 'other', cross_device_request_uri: address },
      { offer_id: 'o', credential_offer_uri: address },
    ];
    for (const answer of answers) expect(await vestibule('qr', {}, JSON.stringify(answer))).toEqual(shown);
    expect(await vestibule('qr', {}, `${address}\n`)).toEqual(shown);
    const refusals: readonly (readonly [number, string, string])[] = [
      [1, 'neither credential_offer_uri nor cross_device_request_uri', '{"error":"x"}'],
      [1, 'no offer; a is missing', '{"detail":"no offer","errors":[{"path":"a","message":"is missing"}]}'],
      [1, 'begins as JSON but is none', '{'],
      [1, 'at most 2953 bytes', 'x'.repeat(2954)],
      [1, 'more than 1048576 bytes', ' '.repeat(1_048_577)],
      [2, 'there is no text', ''],
    ];
    for (const [code, said, input] of refusals)
      expect(await vestibule('qr', {}, input)).toEqual({
        code,
        out: [],
        said: expect.stringContaining(said) as string,
      });
  });

  it('api-keys makes a key that works, lists it without showing it, and revokes it', async () => {
    const tenant = `cli-${randomBytes(4).toString('hex')}`;
    const made = await vestibule(`api-keys create --tenant ${tenant}`, ofWalletStore());
    expect(made).toMatchObject({ code: 0, said: '' });
    const valueOf = (name: string) => made.out.find((line) => line.startsWith(`${name}\t`))?.split('\t')[1] ?? '';
    const [key, id] = [valueOf('key'), valueOf('id')];
    const newWallet = () => createWalletApi(stage.stack.baseUrl, key).newWallet();
    expect((await newWallet()).walletDid).toMatch(/^did:/);
    const listed = await vestibule(`api-keys list --tenant ${tenant}`, ofWalletStore());
    expect(listed.out).toEqual([expect.stringMatching(new RegExp(`^${id}\t${tenant}\t.*\tvalid$`))]);
    expect(listed.out.join()).not.toContain(key);
    const revoke = () => vestibule(`api-keys revoke --id ${id}`, ofWalletStore());
    expect(await revoke()).toMatchObject({ code: 0, out: [`revoked\t${id}`] });
    expect((await createWalletApi(stage.stack.baseUrl, key).call('POST', '/entity')).status).toBe(401);
    const again = await revoke();
    expect([again.code, again.out]).toEqual([1, []]);
    expect(again.said).toContain('there is no valid key with this id [api_key_not_found]');
  });

  it('erase deletes a wallet, which nobody finds then, and no other', async () => {
    const { baseUrl, files } = stage.stack;
    const [api, issuer] = [createWalletApi(baseUrl, files.secrets.apiKey), await createW3cIssuer()];
    const [erased, other] = [await api.newWallet(), await api.newWallet()];
    for (const wallet of [erased, other]) await api.importCredential(wallet, await issuer.issue({ name: 'Ada' }));
    const erase = () => vestibule(`erase --tenant default --wallet ${erased.walletDid}`, ofWalletStore());
    const out = [`wallet\t${erased.walletDid}`, 'credentials\t1', 'presentations\t0', 'answers\t0'];
    expect(await erase()).toMatchObject({ code: 0, out });
    const [gone, left] = await Promise.all([erased, other].map((one) => api.get(`/credentials?${ownerQuery(one)}`)));
    expect([gone?.status, gone?.body['code'], left?.items.length]).toEqual([404, 'wallet_not_found', 1]);
    expect((await erase()).said).toContain('no such wallet [wallet_not_found]');
  });

  it('audit shows who made which key, and verifies the chain up to a head that was noted', async () => {
    const tenant = `audit-${randomBytes(4).toString('hex')}`;
    const made = await vestibule(`api-keys create --tenant ${tenant}`, ofWalletStore());
    const noted = await vestibule('audit wallet-store --verify', ofWalletStore());
    expect(noted).toMatchObject({ code: 0, said: '', out: [expect.stringMatching(/^whole\t\d+\t\d+:[0-9a-f]{64}$/)] });
    const id = made.out.find((line) => line.startsWith('id\t'))?.split('\t')[1] ?? '';
    await vestibule(`api-keys revoke --id ${id}`, ofWalletStore());
    const { out } = await vestibule('audit wallet-store', ofWalletStore());
    const records = out.map((line) => (JSON.parse(line) as { record: Record<string, unknown> }).record);
    expect(records.filter(({ target }) => target === id)).toMatchObject([
      { actor: 'command', action: 'api-key.create', details: { tenant }, service: 'wallet_store' },
      { actor: 'command', action: 'api-key.revoke' },
    ]);
    const [, , head = ''] = noted.out[0]?.split('\t') ?? [];
    const command = (rest: string) => vestibule(`audit wallet-store --verify ${rest}`, ofWalletStore());
    expect((await command(`--expect-head ${head}`)).code).toBe(0);
    const later = await command(`--expect-head 999999999:${'ab'.repeat(32)}`);
    expect([later.code, later.out]).toEqual([1, [expect.stringMatching(/^broken\t\d+\tis missing: the end/)]]);
    expect(later.said).toContain('[audit_chain_broken]');
  });

  it('migrate makes the schema of a service in an empty database, and does no harm the second time', async () => {
    const empty = await openToMigrations(stage.database.adminUrl);
    try {
      const environment = ofWalletStore({ DATABASE_URL: empty.url });
      expect(await empty.tables('wallet_store')).toEqual([]);
      expect((await vestibule('migrate wallet-store', environment)).code).toBe(0);
      const tables = await empty.tables('wallet_store');
      expect(tables).toEqual(expect.arrayContaining(['credential', 'migrations', 'wallet']));
      expect((await vestibule('migrate wallet-store', environment)).code).toBe(0);
      expect(await empty.tables('wallet_store')).toEqual(tables);
    } finally {
      await empty.close();
    }
  });

  it('migrate and reseal name what is missing: the service, its configuration', async () => {
    expect(await vestibule('migrate')).toMatchObject({
      code: 2,
      said: expect.stringContaining('<service> is missing: verifier, issuer, wallet-store') as string,
    });
    const { DATABASE_URL: _url, ...incomplete } = ofWalletStore();
    const refused = await vestibule('reseal wallet-store', incomplete);
    expect([refused.code, refused.out]).toEqual([2, []]);
    expect(refused.said).toContain('the configuration is wrong (variable: DATABASE_URL, reason: is missing)');
  });

  it('reseal ends with 0 when every record is under the first key, and with 1 and the reason when one is not', async () => {
    await createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey).newWallet();
    const done = await vestibule('reseal wallet-store', ofWalletStore());
    expect([done.code, done.out]).toEqual([0, []]);
    expect(done.said).toContain('every sealed record is under the first key: the other keys can be removed (moved: 0)');
    const other = ofWalletStore({ SEALING_KEYS: randomBytes(32).toString('base64url') });
    const failed = await vestibule('reseal wallet-store', other);
    expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('[reseal_incomplete]')]);
  });

  it('doctor examines a process of a running stack, and ends with 1 and the remedy when something is wrong', async () => {
    const sound = await vestibule('doctor wallet-store', ofWalletStore());
    const ofOurs = (line: string) => !/\tdatabase_(?:not_durable|connections_short)\t/.test(line);
    expect(sound.out.filter((line) => ofOurs(line) && !line.startsWith('ok\t'))).toEqual([]);
    expect(sound.out).toContain('ok\tnats\t-\tnothing to say\t-');
    const broken = await vestibule('doctor wallet-store --json', ofWalletStore({ SEALING_KEYS: 'canary-key' }));
    expect(broken).toEqual({ code: 1, said: '', out: [expect.any(String)] });
    expect(JSON.parse(broken.out[0] ?? '')).toMatchObject({
      check: 'configuration',
      level: 'error',
      code: 'configuration_invalid',
      about: expect.stringMatching(/^SEALING_KEYS must /) as string,
      remedy: 'see docs/configuration.md',
    });
    expect(broken.out.join()).not.toContain('canary-key');
    const gateway = { NATS_URL: stage.natsUrl, BASE_URL: stage.stack.baseUrl, ISSUER_URL: stage.stack.issuerUrl };
    expect(await vestibule('doctor gateway', gateway)).toMatchObject({
      code: 0,
      out: expect.arrayContaining(['ok\tservices\t-\tnothing to say\t-']) as string[],
    });
    const outside = await vestibule('doctor --public', gateway);
    expect([outside.code, outside.out]).toEqual([
      1,
      expect.arrayContaining([
        expect.stringContaining('error\tpublic name\tpublic_without_https\t') as string,
        'ok\twell-known documents\t-\tnothing to say\t-',
      ]),
    ]);
    expect((await vestibule('doctor gateway --public')).code).toBe(2);
  });

  it('callbacks lists, retries, drops and tests through the management listener, as a gateway has it or by --url', async () => {
    const url = `--url ${stage.stack.managementUrl}`;
    expect(await vestibule(`callbacks test issuer ${url}`)).toMatchObject({
      code: 0,
      out: [expect.stringMatching(/^issuer\tdelivered\thttp_\d+\t\d+ ms\t/)],
    });
    expect(await vestibule(`callbacks list issuer --state dead ${url}`)).toMatchObject({ code: 0, said: '' });
    const port = new URL(stage.stack.managementUrl).port;
    expect(await vestibule('callbacks retry verifier', { MANAGEMENT_PORT: port })).toMatchObject({
      code: 0,
      out: [expect.stringMatching(/^retried\t\d+$/)],
    });
    const unknown = await vestibule(`callbacks drop issuer ${'A'.repeat(32)} ${url}`);
    expect([unknown.code, unknown.said]).toEqual([1, expect.stringContaining('[callback_not_found]')]);
    const wrong = await vestibule(`callbacks list issuer --state gone ${url}`);
    expect([wrong.code, wrong.said]).toEqual([1, expect.stringContaining('state')]);
  });

  it('callbacks says why it cannot reach the listener, and that an answer is not from one', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const refused = await vestibule(`callbacks list issuer --url http://127.0.0.1:${port}`);
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('cannot be reached (ECONNREFUSED)')]);
    const wrong = await vestibule('callbacks list issuer --url ftp://127.0.0.1');
    expect([wrong.code, wrong.said]).toEqual([2, expect.stringContaining('--url must be an http or https URL')]);
    const file = await vestibule('callbacks list issuer --bearer-file /nowhere');
    expect([file.code, file.said]).toEqual([2, expect.stringContaining('--bearer-file: /nowhere cannot be read')]);
  });

  it('callbacks list follows the pages to the end, and sends the bearer key of the file', async () => {
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      asked.push(`${request.headers.authorization ?? ''} ${request.url ?? ''}`);
      const isLast = request.url?.includes('cursor') ?? false;
      response.setHeader('content-type', 'application/json');
      if (!isLast) response.setHeader('link', '<verifier?state=waiting&cursor=x>; rel="next"');
      response.end(JSON.stringify([{ id: isLast ? 'second' : 'first', attempts: 3 }]));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => listener.once('listening', resolve));
    const bearer = path.join(tmpdir(), `vestibule-bearer-${randomBytes(8).toString('hex')}`);
    writeFileSync(bearer, 'a-key\n', { mode: 0o600 });
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const { code, out } = await vestibule(`callbacks list verifier --url ${url} --bearer-file ${bearer}`);
    listener.close();
    rmSync(bearer);
    expect([code, out]).toEqual([0, ['first\t-\t-\t3\t-\t-', 'second\t-\t-\t3\t-\t-']]);
    expect(asked).toEqual([
      'Bearer a-key /callbacks/verifier?state=waiting',
      'Bearer a-key /callbacks/verifier?state=waiting&cursor=x',
    ]);
  });

  it('17.15: keys shows the public key of callbacks from the configuration and from the running services', async () => {
    const made = await vestibule('keys new callback-key');
    const [secret = '', publicKey = ''] = made.out.map((line) => line.split('\t')[1] ?? '');
    expect(secret).toMatch(/^whsk_/);
    expect(publicKey).toMatch(KEY);
    const shared = (await vestibule('keys new callback-secret')).out[0]?.split('\t')[1] ?? '';
    const shown = await vestibule('keys public', { CALLBACK_SECRETS: `${shared},${secret}` });
    expect(shown).toEqual({ code: 0, out: ['v1\tshared secret', `v1a\t${publicKey}`], said: '' });
    const file = path.join(tmpdir(), `vestibule-keys-${randomBytes(8).toString('hex')}`);
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    expect((await vestibule('keys public', { CALLBACK_SECRETS_FILE: file })).out).toEqual([`v1a\t${publicKey}`]);
    rmSync(file);
    const wrong = await vestibule('keys public', { CALLBACK_SECRETS: 'hunter2' });
    expect(wrong.code).toBe(2);
    expect(wrong.said).toContain('CALLBACK_SECRETS must be');
    expect(wrong.said).not.toContain('hunter2');
    const sealing = (await vestibule('keys new sealing')).out[0]?.split('\t')[1] ?? '';
    const mark = sealingKeyMark(Buffer.from(sealing, 'base64url'));
    expect(await vestibule('keys marks', { SEALING_KEYS: sealing })).toEqual({ code: 0, out: [mark], said: '' });
    const wrapped = await vestibule('keys marks', { SEALING_KEYS: 'wrapped:/hunter2' });
    expect([wrapped.code, wrapped.said]).toEqual([2, expect.stringMatching(/^(?!.*hunter2).*marks are of raw keys/)]);
    const running = await vestibule(`keys list --url ${stage.stack.managementUrl}`);
    expect(running.code).toBe(0);
    expect(new Set(running.out.map((line) => line.split('\t')[0]))).toEqual(new Set(['verifier', 'issuer']));
  });

  it('is the bin of the package, and the only thing that it installs', () => {
    const root = path.resolve(__dirname, '../..');
    const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { bin: Environment };
    expect(bin).toEqual({ vestibule: path.relative(root, PROGRAM) });
    expect(existsSync(PROGRAM)).toBe(true);
  });
});
