import type { KeyObject } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createCertificateAuthority, toPem, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const DAY = 86_400_000;

/** An issuer certificate of an authority of its own, as files. */
interface Pair {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly x5c: readonly string[];
  readonly root: Buffer;
  readonly authority: Authority;
  readonly privateKey: KeyObject;
}

let folder: string;
let trustFile: string;
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
  trustFile = path.join(folder, 'trust.json');
  writeTrust(first, second, short);
  const verifier = { TRUST_FILE: trustFile, RELOAD_SECONDS: '1' };
  stage = await startStage({ apps: FLOWS, environment: { verifier, issuer: environmentOf(first) } });
}, 120_000);
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** The anchors of the verifier, as a file that takes the place of the former one. */
function writeTrust(...pairs: readonly Pair[]): void {
  const anchors = pairs.map(({ root, certificateFile }) => {
    const file = `${path.basename(certificateFile)}-anchor.pem`;
    writeFileSync(path.join(folder, file), toPem(root));
    return { file, purposes: ['credential', 'status'] };
  });
  writeFileSync(`${trustFile}.new`, JSON.stringify({ policy: 'enforce', anchors }));
  renameSync(`${trustFile}.new`, trustFile);
}

/** The same while the verifier runs: waits until it says that it has loaded them. */
async function trust(...pairs: readonly Pair[]): Promise<void> {
  const loads = () => stage.logLines.filter((line) => line.includes('changed files were loaded')).length;
  const before = loads();
  writeTrust(...pairs);
  await until(() => loads() > before);
}

async function createPair(name: string, notAfter: Date): Promise<Pair> {
  const root = await createCertificateAuthority({ name: `${name} Root`, now: new Date() });
  const authority = await root.issueAuthority({ name: `${name} CA` });
  return certify({ authority, root: root.certificate }, name, { notAfter });
}

/** A pair that this authority certifies, with a key of its own unless told otherwise. */
async function certify(
  { authority, root }: Pick<Pair, 'authority' | 'root'>,
  name: string,
  options: Partial<IssueOptions>,
): Promise<Pair> {
  const leaf = await authority.issue({ name: `${name} Issuer`, dnsNames: ['127.0.0.1'], ...options });
  const { privateKey } = leaf;
  const chain = [leaf.certificate, authority.certificate];
  const [certificateFile, keyFile] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}-key.pem`)];
  writeFileSync(certificateFile, toPem(chain));
  writeFileSync(keyFile, toPem(privateKey));
  const x5c = chain.map((der) => der.toString('base64'));
  return { certificateFile, keyFile, x5c, root, authority, privateKey };
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
  await Promise.all([issuer.restart(), stage.stack.process('verifier').restart()]);
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

/** One restart lets the verifier forget the lists of all of them. */
async function expectRevocable(...credentials: readonly Awaited<ReturnType<typeof issued>>[]): Promise<void> {
  for (const { wallet, offerId } of credentials) {
    expect(await present(wallet)).toMatchObject(FULFILLED);
    await stage.management('PATCH', `/offers/${offerId}/status`, { status: 'revoked' });
  }
  await stage.stack.process('verifier').restart();
  for (const { wallet } of credentials) {
    expect(await present(wallet)).toMatchObject({
      status: 'VERIFICATION_FAILED',
      errorDetails: expect.stringMatching(/^credential_revoked: /) as string,
    });
  }
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
    await expectRevocable(revoked, newerRevoked);
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
    // Since its restart the verifier has fetched no list.
    await stage.management('PATCH', `/offers/${older.offerId}/status`, { status: 'valid' });
    expect(await present(older.wallet)).toMatchObject(FULFILLED);
  }, 180_000);
});

describe('the procedure of docs/issuer-operations.md, with a verifier that learns of the new authority meanwhile', () => {
  const UNTRUSTED = { status: 'VERIFICATION_FAILED' };

  it('VCI:V3 old credentials and new ones hold at every step, forth and back, also when a retired key is renewed', async () => {
    const far = new Date(Date.now() + 800 * DAY);
    const [a, b] = [await createPair('old', far), await createPair('new', far)];
    await trust(a);
    await change(a, first as Pair, second as Pair);
    const older = await issued();
    expect(await present(older.wallet)).toMatchObject(FULFILLED);

    await trust(a, b);
    expect(await present(older.wallet)).toMatchObject(FULFILLED);
    await change(b, a);
    const newer = await issued();
    for (const { wallet } of [older, newer]) expect(await present(wallet)).toMatchObject(FULFILLED);

    const renewed = await certify(a, 'renewed', { privateKey: a.privateKey, notAfter: far });
    await change(b, renewed);
    expect(await signedWith(older.list)).toEqual(renewed.x5c);
    expect(await present(older.wallet)).toMatchObject(FULFILLED);

    await change(renewed, b);
    const back = await issued();
    expect(back.x5c).toEqual(renewed.x5c);
    expect([await signedWith(older.list), await signedWith(newer.list)]).toEqual([renewed.x5c, b.x5c]);
    for (const { wallet } of [older, newer, back]) expect(await present(wallet)).toMatchObject(FULFILLED);
    await expectRevocable(newer);

    await trust(a);
    for (const { wallet } of [older, back]) expect(await present(wallet)).toMatchObject(FULFILLED);
    expect(await present(newer.wallet)).toMatchObject(UNTRUSTED);
    await trust(b);
    for (const { wallet } of [older, back]) expect(await present(wallet)).toMatchObject(UNTRUSTED);
    await trust(first as Pair, second as Pair, short as Pair);
  }, 300_000);
});

describe('an issuer certificate that ends soon', () => {
  it('VCI:V9 ends the credentials with it; log, health and the offer say so, the answer to POST /offers does not', async () => {
    const says = (text: string) => stage.logLines.some((line) => line.includes(text));
    const shortened = 'the certificates of the issuer expire before the validity of a credential type ends';
    expect([says('the issuer certificate expires soon'), says(shortened)]).toEqual([false, false]);
    await change(short as Pair, first as Pair, second as Pair);
    expect([says('the issuer certificate expires soon'), says(shortened)]).toEqual([true, true]);
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
    const { body } = await stage.management('GET', '/health/ready');
    const { issuer } = body['services'] as Record<string, { expires: Record<string, string> }>;
    const endsAt = Date.parse(issuer?.expires['issuerCertificate'] ?? '');
    expect(endsAt).toBeLessThan(end + DAY);
    const metricsUrl = stage.stack.process('issuer').readyUrl.replace('/health/ready', '/metrics');
    const metrics = await (await fetch(metricsUrl)).text();
    const [, seconds] =
      /vestibule_issuer_certificate_expiry_timestamp_seconds\{service="issuer"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(seconds)).toBe(endsAt / 1000);
  }, 120_000);
});
