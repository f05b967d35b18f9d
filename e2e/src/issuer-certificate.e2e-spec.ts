import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import type { Wallet } from '@vestibule/demo-wallet';
import { offerCredential, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

const DAY = 86_400_000;

/** An issuer certificate of an authority of its own, as files. */
interface Pair {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly x5c: readonly string[];
  readonly root: Buffer;
}

let folder: string;
let stage: Stage;
let [first, second, short]: Pair[] = [];
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-issuer-certificates-'));
  const far = new Date(Date.now() + 800 * DAY);
  [first, second, short] = [
    await createPair('first', far),
    await createPair('second', far),
    await createPair('short', new Date(Date.now() + 20 * DAY)),
  ];
  const anchors = [first, second, short].map(({ root }, at) => {
    writeFileSync(path.join(folder, `anchor-${at}.pem`), toPem(root));
    return { file: `anchor-${at}.pem`, purposes: ['credential', 'status'] };
  });
  const trustFile = path.join(folder, 'trust.json');
  writeFileSync(trustFile, JSON.stringify({ policy: 'enforce', anchors }));
  stage = await startStage({ environment: { verifier: { TRUST_FILE: trustFile }, issuer: environmentOf(first) } });
}, 120_000);
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function createPair(name: string, notAfter: Date): Promise<Pair> {
  const root = await createCertificateAuthority({ name: `${name} Root`, now: new Date() });
  const authority = await root.issueAuthority({ name: `${name} CA` });
  const leaf = await authority.issue({ name: `${name} Issuer`, dnsNames: ['127.0.0.1'], notAfter });
  const chain = [leaf.certificate, authority.certificate];
  const [certificateFile, keyFile] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}-key.pem`)];
  writeFileSync(certificateFile, toPem(chain));
  writeFileSync(keyFile, toPem(leaf.privateKey));
  return { certificateFile, keyFile, x5c: chain.map((der) => der.toString('base64')), root: root.certificate };
}

const environmentOf = ({ certificateFile, keyFile }: Pair) => ({
  ISSUER_CERTIFICATE_FILE: certificateFile,
  ISSUER_KEY_FILE: keyFile,
});

let folders = 0;
/** A folder of retired pairs. */
function retire(...pairs: readonly Pair[]): string {
  folders += 1;
  const retired = path.join(folder, `retired-${folders}`);
  mkdirSync(retired);
  for (const { certificateFile, keyFile } of pairs) {
    for (const file of [certificateFile, keyFile]) copyFileSync(file, path.join(retired, path.basename(file)));
  }
  return retired;
}

/** The procedure of docs/operations.md: the new pair is current, the old one retired; then a restart. */
async function change(current: Pair, ...retired: readonly Pair[]): Promise<void> {
  const issuer = stage.stack.process('issuer');
  issuer.configure({ ...environmentOf(current), RETIRED_ISSUER_CERTIFICATES_FOLDER: retire(...retired) });
  await issuer.restart();
  await stage.stack.process('verifier').restart();
}

async function issued() {
  const wallet = stage.createWallet();
  const { offerId, uri } = await offerCredential(stage);
  const [credential] = await wallet.redeemOffer(uri);
  const jwt = credential?.compact.split('~', 1)[0] ?? '';
  const { status } = decodeJwt<{ status: { status_list: { uri: string } } }>(jwt);
  return { wallet, offerId, jwt, x5c: decodeProtectedHeader(jwt).x5c, list: status.status_list.uri };
}

async function present(wallet: Wallet): Promise<Record<string, unknown>> {
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  return (await stage.callbacksOf(state, 1))[0] ?? {};
}

const FULFILLED = { status: 'FULFILLED' };
const signedWith = async (list: string) => decodeProtectedHeader(await (await fetch(list)).text()).x5c;

async function expectRevocable({ wallet, offerId }: Awaited<ReturnType<typeof issued>>): Promise<void> {
  expect(await present(wallet)).toMatchObject(FULFILLED);
  await stage.management('PATCH', `/offers/${offerId}/status`, { status: 'revoked' });
  await stage.stack.process('verifier').restart();
  expect(await present(wallet)).toMatchObject({
    status: 'VERIFICATION_FAILED',
    errorDetails: expect.stringMatching(/^credential_revoked: /) as string,
  });
}

describe('a new certification authority for the issuer', () => {
  it('VCI:V3 leaves older credentials verifiable and revocable, in both directions', async () => {
    const [a, b] = [first, second] as [Pair, Pair];
    const [kept, revoked] = [await issued(), await issued()];
    expect([kept.x5c, kept.list]).toEqual([a.x5c, revoked.list]);
    expect(await present(kept.wallet)).toMatchObject(FULFILLED);

    await change(b, a);
    const [newer, newerRevoked] = [await issued(), await issued()];
    expect([newer.x5c, newer.list]).toEqual([b.x5c, newerRevoked.list]);
    expect(newer.list).not.toBe(kept.list);
    expect([await signedWith(kept.list), await signedWith(newer.list)]).toEqual([a.x5c, b.x5c]);
    await expectRevocable(revoked);
    await expectRevocable(newerRevoked);
    expect(await present(kept.wallet)).toMatchObject(FULFILLED);

    await change(a, b);
    const [again, toRevoke] = [await issued(), await issued()];
    expect([again.x5c, again.list]).toEqual([a.x5c, kept.list]);
    expect([await signedWith(kept.list), await signedWith(newer.list)]).toEqual([a.x5c, b.x5c]);
    for (const { wallet } of [kept, newer, again]) expect(await present(wallet)).toMatchObject(FULFILLED);
    await expectRevocable(toRevoke);
    const log = stage.logLines.filter((line) => line.includes('a retired issuer key signs status lists'));
    expect(log.length).toBeGreaterThan(0);
  }, 240_000);

  it('VCI:V3 without the retired key says so, and revokes nothing silently; the key back, all is well', async () => {
    const [a, b] = [first, second] as [Pair, Pair];
    const older = await issued();
    await change(b);
    expect(stage.logLines.some((line) => line.includes('status lists have no key until their last credential'))).toBe(
      true,
    );
    await stage.management('PATCH', `/offers/${older.offerId}/status`, { status: 'suspended' });
    expect((await fetch(older.list)).status).toBe(503);
    expect((await present(older.wallet))['status']).not.toBe('FULFILLED');
    await change(b, a);
    expect(await signedWith(older.list)).toEqual(a.x5c);
    await stage.management('PATCH', `/offers/${older.offerId}/status`, { status: 'valid' });
    await stage.stack.process('verifier').restart();
    expect(await present(older.wallet)).toMatchObject(FULFILLED);
    await change(a, b);
  }, 180_000);
});

describe('an issuer certificate that ends soon', () => {
  it('VCI:V9 ends the credentials with it; log, health and the offer say so, the answer to POST /offers does not', async () => {
    await change(short as Pair, first as Pair, second as Pair);
    const created = await stage.management('POST', '/offers', {
      credential_configuration_id: 'identity-card',
      claims: { given_name: 'Ada', family_name: 'Example' },
    });
    expect(Object.keys(created.body).sort()).toEqual(['credential_offer_uri', 'offer_id']);
    const { offerId, jwt } = await issued();
    const { exp = 0 } = decodeJwt(jwt);
    const end = Date.now() + 20 * DAY;
    expect([exp % 3_600, exp * 1000 <= end, exp * 1000 > end - DAY]).toEqual([0, true, true]);
    for (const id of [offerId, created.body['offer_id'] as string]) {
      const { body } = await stage.management('GET', `/offers/${id}`);
      expect(body['validity_shortened_to']).toBe(new Date(exp * 1000).toISOString());
    }
    const says = (text: string) => stage.logLines.some((line) => line.includes(text));
    expect(says('the issuer certificate ends soon')).toBe(true);
    expect(says('the certificates of the issuer end before the validity of a credential type')).toBe(true);
    const { body } = await stage.management('GET', '/health/ready');
    const { issuer } = body['services'] as Record<string, { expires: Record<string, string> }>;
    expect(Date.parse(issuer?.expires['issuerCertificate'] ?? '')).toBeLessThan(end + DAY);
  }, 120_000);
});
