import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { offerCredential, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';

const PROGRAM = path.resolve(__dirname, '../../dist/apps/cli/main.js');

interface Ended {
  readonly code: number;
  readonly report: Readonly<Record<string, unknown>>;
  readonly said: string;
}

let stage: SharedStage;
let folder: string;
let file: string;
beforeAll(async () => {
  stage = await joinStage();
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-wallet-'));
  file = path.join(folder, 'card.json');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stage?.stop();
});

/** Runs `vestibule wallet` as the CI of an integrator does. */
function wallet(argv: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, 'wallet', ...argv], (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      const report = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as Ended['report'];
      resolve({ code, report, said: stderr });
    });
    child.stdin?.on('error', () => undefined).end(input);
  });
}

const issuerFiles = () => [
  '--issuer-chain',
  path.join(stage.stack.files.folder, 'issuer.pem'),
  '--issuer-key',
  path.join(stage.stack.files.folder, 'issuer-key.pem'),
];

describe('21.2 vestibule wallet', () => {
  it('redeems an offer into a file for its user alone, and presents from it', async () => {
    const offer = await offerCredential(stage, { tx_code: { length: 6 } });
    const redeemed = await wallet(['redeem', offer.uri, '--tx-code', offer.txCode ?? '', '--credential', file]);
    expect([redeemed.code, redeemed.said]).toEqual([0, 'accepted; expected: accepted\n']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { state, crossDevice } = await requestPresentation(stage);
    const presented = await wallet(['present', crossDevice, '--credential', file]);
    expect(presented).toMatchObject({ code: 0, report: { outcome: 'accepted', status: 200, asExpected: true } });
    expect((await stage.management('GET', `/oidc4vp/${state}`)).body['status']).toBe('FULFILLED');
  });

  it('takes the answers of both calls by standard input, with the transaction code', async () => {
    const offered = await stage.management('POST', '/offers', {
      credential_configuration_id: 'identity-card',
      claims: { given_name: 'Ada', family_name: 'Example' },
      tx_code: { length: 5 },
    });
    const own = path.join(folder, 'piped.json');
    expect((await wallet(['redeem', '--credential', own], JSON.stringify(offered.body))).code).toBe(0);
    const { crossDevice } = await requestPresentation(stage);
    const answer = JSON.stringify({ cross_device_request_uri: crossDevice });
    expect((await wallet(['present', '--credential', own], answer)).code).toBe(0);
  });

  it('that misbehaves ends with 0 if it is refused, and with 1 if something else was expected', async () => {
    const { crossDevice } = await requestPresentation(stage);
    const refused = await wallet(['present', crossDevice, '--misbehave', 'wrong-nonce', ...issuerFiles()]);
    expect(refused).toMatchObject({
      code: 0,
      report: { case: 'wrong-nonce', outcome: 'refused', status: 400, error: 'invalid_request' },
      said: 'refused (400, invalid_request); expected: refused\n',
    });
    const offer = await offerCredential(stage, { tx_code: { length: 6 } });
    const wrong = ['redeem', offer.uri, '--tx-code', offer.txCode ?? '', '--misbehave', 'wrong-tx-code'];
    expect((await wallet(wrong)).code).toBe(0);
    expect(await wallet([...wrong, '--expect', 'accepted'])).toMatchObject({
      code: 1,
      report: { expected: 'accepted', asExpected: false, error: 'invalid_grant', step: 'token' },
    });
  });

  it('says in one sentence what is wrong with its call, and sends nothing', async () => {
    const broken = path.join(folder, 'broken.json');
    writeFileSync(broken, '{"keys":1}');
    const address = 'openid4vp://?client_id=x';
    const problem =
      '{"detail":"no query","code":"invalid_request","errors":[{"path":"dcql_query","message":"is required"}]}';
    const rows: readonly (readonly [readonly string[], string, string?])[] = [
      [['present', address, '--misbehave', 'wrong-nonc'], 'unknown case: wrong-nonc'],
      [['present', address, '--misbehave', 'revoked-credential'], 'revoked-credential needs issuer and publishStatus'],
      [['present', address, '--expect', 'good'], '--expect is accepted, refused, stopped'],
      [['present', address, '--issuer-key', broken], '--issuer-chain and --issuer-key belong together'],
      [['present', address, '--credential', path.join(folder, 'none.json')], 'cannot be read (ENOENT)'],
      [['present', address, '--credential', broken], 'is not a file of this wallet'],
      [['present'], 'there is no request-uri', '{"state":"x"}'],
      [['present'], 'no query; dcql_query is required [invalid_request]', problem],
      [['redeem'], 'begins as JSON but is none', '{'],
      [['redeem', 'x', '--tx-cod', '1'], 'did you mean --tx-code?'],
    ];
    for (const [argv, said, input] of rows) {
      const ended = await wallet(argv, input);
      expect([ended.code, ended.report]).toEqual([2, {}]);
      expect(ended.said).toContain(said);
    }
  });
});
