import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { createCertificateAuthority } from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import { issueTo, queryFor, requestPresentation } from './flows';
import { openRequest } from './handmade-wallet';
import { FLOWS, startStage, type Stage } from './stage';

const DATASET = {
  registryURI: 'https://registry.example/api',
  intendedUseIdentifier: 'use-1',
  purpose: [{ lang: 'en', value: 'Log in' }],
};
const USE = 'https://registrar.example/uses/kyc';

/** A registrar certifies that these claims of the sample credential may be requested. */
async function certify(registered: readonly string[], more: object = {}): Promise<string> {
  const registrar = await createCertificateAuthority({ name: 'Registrar', now: new Date() });
  const { certificate, privateKey } = await registrar.issue({ name: 'Registration Certificates' });
  const vct = (queryFor(stage).credentials[0] as { meta: { vct_values: string[] } }).meta.vct_values;
  const credentials = [
    { format: 'dc+sd-jwt', meta: { vct_values: vct }, claim: registered.map((name) => ({ path: [name] })) },
  ];
  const claims = { name: 'Shop', sub: 'LEIXG-529900T8BM49AURSDO55', credentials, iat: 1_790_000_000, ...more };
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ typ: 'rc-wrp+jwt', alg: 'ES256', x5c: [Buffer.from(certificate).toString('base64')] })
    .sign(privateKey);
}

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-registration-'));
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
let stage: Stage;
const asking = (...names: string[]) => ({
  dcql_query: queryFor(stage, { claims: names.map((name) => ({ path: [name] })) }),
});

beforeAll(async () => {
  const registrationFile = path.join(folder, 'registration.json');
  const registrations = [{ id: 'later', dataset: DATASET }];
  write('registration.json', JSON.stringify({ registrations }));
  const verifier = { REGISTRATION_FILE: registrationFile, RELOAD_SECONDS: '1' };
  stage = await startStage({ apps: FLOWS, environment: { verifier } });
  write('login.jwt', await certify(['given_name']));
  write('kyc.jwt', await certify(['given_name', 'family_name'], { intended_use_id: USE }));
});
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('18.5 an installation whose relying party is registered', () => {
  it('VP:F11 sends the dataset of the registrar where it has no certificate', async () => {
    const { crossDevice } = await requestPresentation(stage);
    const { claims } = await openRequest(crossDevice);
    expect(claims['verifier_info']).toEqual([{ format: 'registrar_dataset', data: DATASET }]);
  });

  it('takes a changed file without a restart', async () => {
    const registrations = [
      { id: 'login', certificate: 'login.jwt', dataset: DATASET },
      { id: 'kyc', certificate: 'kyc.jwt' },
    ];
    write('registration.json', JSON.stringify({ default: 'login', registrations }));
    await until(async () => {
      const { status, body } = await stage.management('POST', '/oidc4vp', {
        ...asking('given_name'),
        intended_use: 'kyc',
      });
      expect([201, 400]).toContain(status);
      return typeof body['state'] === 'string';
    });
  });

  it('EU:P1 VP:F10 sends one certificate by value, without credential_ids, that a strict wallet can verify', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    const { state, crossDevice } = await requestPresentation(stage, asking('given_name'));
    const { claims } = await openRequest(crossDevice);
    const info = claims['verifier_info'] as { format: string; data: string; credential_ids?: unknown }[];
    const certificates = info.filter(({ format }) => format === 'registration_cert');
    expect(info).toHaveLength(2);
    expect(certificates).toEqual([{ format: 'registration_cert', data: expect.any(String) }]);
    const jwt = certificates[0]?.data ?? '';
    const { typ, x5c = [] } = decodeProtectedHeader(jwt);
    expect(typ).toBe('rc-wrp+jwt');
    const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'));
    const { payload } = await compactVerify(
      jwt,
      createPublicKey(leaf.publicKey.export({ format: 'pem', type: 'spki' })),
    );
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ name: 'Shop' });
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1)).map(({ status }) => status)).toEqual(['FULFILLED']);
  });

  it('sends the certificate of the use that the request names, by either name', async () => {
    const wanted = [];
    for (const intended_use of ['kyc', USE]) {
      const { crossDevice } = await requestPresentation(stage, {
        ...asking('given_name', 'family_name'),
        intended_use,
      });
      wanted.push((await openRequest(crossDevice)).claims['verifier_info']);
    }
    expect(wanted[0]).toEqual([{ format: 'registration_cert', data: expect.any(String) }]);
    expect(wanted[1]).toEqual(wanted[0]);
  });

  it('VP:F10 refuses what asks for more than is registered, with the place of each claim', async () => {
    const { status, body } = await stage.management(
      'POST',
      '/oidc4vp',
      asking('given_name', 'family_name', 'birthdate'),
    );
    expect([status, body['errors']]).toMatchObject([
      400,
      [{ path: 'dcql_query.credentials[0].claims[1]' }, { path: 'dcql_query.credentials[0].claims[2]' }],
    ]);
    expect(JSON.stringify(body['errors'])).toContain('not registered');
  });

  it('refuses a use that is not registered, with those that are', async () => {
    const { status, body } = await stage.management('POST', '/oidc4vp', { ...asking('given_name'), intended_use: 'x' });
    expect([status, body['errors']]).toEqual([
      400,
      [{ path: 'intended_use', message: 'must be one of "login", "kyc"' }],
    ]);
  });
});
