import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSoftHsm, describeWithSoftHsm, type SoftHsm } from '@vestibule/testkit';
import { endIn, issueTo, offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let hsm: SoftHsm;

/** Processes of the PKCS#11 library below a service. */
function librariesOf(app: 'issuer' | 'verifier'): readonly number[] {
  const pid = String(stage.pidOf(app));
  const listed = execFileSync('ps', ['--ppid', pid, '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return listed.filter((line) => line.includes('pkcs11-process')).map((line) => Number.parseInt(line, 10));
}

/** The token disappears, and with it the sessions of those who use it; returns what brings it back. */
function takeAway(): () => void {
  const tokens = path.join(path.dirname(hsm.pinFile), 'tokens');
  renameSync(tokens, `${tokens}-away`);
  for (const app of ['issuer', 'verifier'] as const) for (const pid of librariesOf(app)) process.kill(pid, 'SIGKILL');
  return () => renameSync(`${tokens}-away`, tokens);
}

describeWithSoftHsm('with every signing key in a PKCS#11 device', () => {
  beforeAll(async () => {
    hsm = createSoftHsm();
    stage = await startStage({ apps: FLOWS });
    const { folder } = stage.stack.files;
    for (const [app, name, id, variable] of [
      ['issuer', 'issuer', '01', 'ISSUER_KEY_FILE'],
      ['issuer', 'issuer-access', '02', 'ISSUER_ACCESS_KEY_FILE'],
      ['verifier', 'verifier', '03', 'ACCESS_KEY_FILE'],
    ] as const) {
      const pem = path.join(folder, `${name}-key.pem`);
      hsm.importKey(readFileSync(pem, 'utf8'), name, id);
      // From here on, no process can find the key anywhere else.
      rmSync(pem);
      const description = path.join(path.dirname(hsm.pinFile), `${name}.json`);
      writeFileSync(description, hsm.describe(name));
      stage.stack.process(app).configure({ [variable]: description, ...hsm.environment });
    }
    for (const app of ['issuer', 'verifier'] as const) await stage.stack.process(app).restart();
  }, 180_000);
  afterAll(async () => {
    await stage?.stop();
    hsm?.remove();
  }, 60_000);

  it('VCI:V1 VP:A3 credentials, status lists, metadata and requests are signed there, and both flows end well', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    const request = await requestPresentation(stage);
    await wallet.present(request.sameDevice);
    const [event] = await stage.callbacksOf(request.state, 1);
    expect(event).toMatchObject({ status: 'FULFILLED' });
    const metadata = new URL('/.well-known/openid-credential-issuer', stage.stack.issuerUrl);
    const signed = await fetch(metadata, { headers: { accept: 'application/jwt' } });
    expect([signed.status, (await signed.text()).split('.')[2]?.length]).toEqual([200, 86]);
    // One for each key: that of credentials and that of metadata, and that of requests.
    expect([librariesOf('issuer').length, librariesOf('verifier').length]).toEqual([2, 1]);
  });

  it('VCI:V3 while the device is away wallets are told to come back, and no offer ends before its time', async () => {
    const lost = await offerCredential(stage);
    const later = await offerCredential(stage);
    const request = await requestPresentation(stage);
    const bringBack = takeAway();
    try {
      await expect(stage.createWallet().redeemOffer(lost.uri)).rejects.toMatchObject({ error: 'server_error' });
      await expect(stage.createWallet().present(request.sameDevice)).rejects.toMatchObject({ error: 'server_error' });
      expect(await stage.callbacksOf(lost.offerId, 1)).toMatchObject([{ status: 'OFFER_CREATED' }]);
    } finally {
      bringBack();
    }
    await endIn(stage, 2_000, lost.offerId);
    const events = await stage.callbacksOf(lost.offerId, 2);
    expect(events[1]).toMatchObject({ status: 'FAILED', errorDetails: expect.stringMatching(/^signer_unavailable: /) });
    const wallet = stage.createWallet();
    await wallet.redeemOffer(later.uri);
    await wallet.present(request.sameDevice);
    expect(await stage.callbacksOf(request.state, 1)).toMatchObject([{ status: 'FULFILLED' }]);
  }, 180_000);
});
