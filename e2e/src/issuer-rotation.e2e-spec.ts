import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const HOUR = 3_600_000;
let folder: string;
let stage: Stage;
let authority: Authority;
let first: Awaited<ReturnType<typeof certify>>;

async function certify(name: string, more: Partial<IssueOptions>) {
  const leaf = await authority.issue({ name, dnsNames: ['127.0.0.1'], ...more });
  const chain = [leaf.certificate];
  return { pem: toPem(chain), keyPem: toPem(leaf.privateKey), leaf: leaf.certificate.toString('base64') };
}
/** As an operator copies a file: it appears as a whole. */
function put(name: string, text: string): void {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-issuer-rotation-'));
  mkdirSync(path.join(folder, 'more'));
  authority = await createCertificateAuthority({ name: 'Rotation CA', now: new Date() });
  first = await certify('First', { notBefore: new Date(Date.now() - 2 * HOUR) });
  put('first.pem', first.pem);
  put('first-key.pem', first.keyPem);
  put('anchor.pem', toPem(authority.certificate));
  const anchors = [{ file: 'anchor.pem', purposes: ['credential', 'status'] }];
  put('trust.json', JSON.stringify({ policy: 'enforce', anchors }));
  const issuer = {
    ISSUER_CERTIFICATE_FILE: path.join(folder, 'first.pem'),
    ISSUER_KEY_FILE: path.join(folder, 'first-key.pem'),
    ISSUER_CERTIFICATES_FOLDER: path.join(folder, 'more'),
    RELOAD_SECONDS: '1',
  };
  const verifier = { TRUST_FILE: path.join(folder, 'trust.json') };
  stage = await startStage({ apps: FLOWS, environment: { issuer, verifier } });
}, 120_000);
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function issued() {
  const wallet = stage.createWallet();
  const { offerId, uri } = await offerCredential(stage);
  const [credential] = await wallet.redeemOffer(uri);
  const jwt = credential?.compact.split('~', 1)[0] ?? '';
  const { status } = decodeJwt<{ status: { status_list: { uri: string } } }>(jwt);
  return { wallet, offerId, leaf: decodeProtectedHeader(jwt).x5c?.[0], list: status.status_list.uri };
}
async function present(wallet: Wallet): Promise<Record<string, unknown>> {
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  return (await stage.callbacksOf(state, 1))[0] ?? {};
}
const unusable = async () => {
  const url = stage.stack.process('issuer').readyUrl.replace('/health/ready', '/metrics');
  return /vestibule_changed_files_unusable\{.*what="issuer certificates".*\} (\d)/.exec(
    await (await fetch(url)).text(),
  )?.[1];
};
const publishedKeys = async () => {
  const url = new URL('/.well-known/jwt-vc-issuer', stage.stack.issuerUrl);
  const { jwks } = (await (await fetch(url)).json()) as { jwks: { keys: { x5c: string[] }[] } };
  return jwks.keys.map(({ x5c }) => x5c[0]);
};

describe('20.2 a new issuer certificate with a new key', () => {
  it('VCI:V3 takes over without a restart and without a failed flow; older credentials hold and can be revoked', async () => {
    const pid = stage.pidOf('issuer');
    const older = [await issued(), await issued()] as const;
    expect(older[0].leaf).toBe(first.leaf);
    const next = await certify('Next', { notBefore: new Date(Date.now() - HOUR) });

    put('more/next.pem', next.pem);
    await until(async () => (await unusable()) === '1');
    expect((await issued()).leaf).toBe(first.leaf);

    const leaves: (string | undefined)[] = [];
    put('more/next-key.pem', next.keyPem);
    while (leaves.at(-1) !== next.leaf) leaves.push((await issued()).leaf);
    expect(new Set(leaves)).toEqual(new Set(leaves.length === 1 ? [next.leaf] : [first.leaf, next.leaf]));
    expect(await unusable()).toBe('0');
    expect(await publishedKeys()).toEqual([next.leaf, first.leaf]);

    const newer = await issued();
    expect(newer.list).not.toBe(older[0].list);
    for (const { wallet } of [older[0], newer]) expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    await stage.management('PATCH', `/offers/${older[1].offerId}/status`, { status: 'revoked' });
    await stage.stack.process('verifier').restart();
    expect(await present(older[1].wallet)).toMatchObject({ status: 'VERIFICATION_FAILED' });
    expect(await present(older[0].wallet)).toMatchObject({ status: 'FULFILLED' });
    const list = decodeProtectedHeader(await (await fetch(older[0].list)).text()).x5c?.[0];
    expect(list).toBe(first.leaf);
    expect(stage.pidOf('issuer')).toBe(pid);
  }, 120_000);
});
