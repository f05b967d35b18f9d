import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  toPem,
  trustedListPayload,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { CARD, prove, startEudiStage, type EudiStage } from './eudi-stage';
import { challengeOf, createKey, readOffer, requestToken } from './strict-wallet';

const ETSI = 'http://uri.etsi.org/19602';
const DAY = 86_400_000;
const PATH = '/wallet-providers.jwt';

let eudi: EudiStage;
let signer: IssuedCertificate;
let stranger: IssuedCertificate;
/** Where the issuer keeps copies. */
let kept: string;
/** What the host of the list serves now; undefined while it is away. */
let served: string | (() => string) | undefined;
let sequence = 0;

interface ListDraft {
  readonly authorities: readonly Buffer[];
  /** From now on. Default 20 days. */
  readonly validMilliseconds?: number;
  readonly by?: IssuedCertificate;
}

/** A new version of the list of wallet providers. */
function list({ authorities, validMilliseconds = 20 * DAY, by = signer }: ListDraft): string {
  const now = Date.now();
  sequence += 1;
  const services = authorities.map((certificate) => ({
    type: `${ETSI}/SvcType/WalletSolution/Issuance`,
    certificates: [certificate],
  }));
  const payload = trustedListPayload({
    type: `${ETSI}/LoTEType/EUWalletProvidersList`,
    sequence,
    issuedAt: new Date(now - DAY + sequence * 1_000),
    nextUpdateAt: new Date(now + validMilliseconds),
    entities: services.length === 0 ? [] : [{ name: 'Wallet Provider', services }],
  });
  return signTrustedList(payload, { signer: by, signedAt: new Date(now - 1_000) });
}

beforeAll(async () => {
  const scheme = await createCertificateAuthority({ name: 'Scheme Root', now: new Date() });
  const name = 'List Signer';
  signer = await scheme.issue({ name, organization: DEVELOPMENT_OPERATOR });
  stranger = await scheme.issue({ name, organization: 'Attacker Ltd' });
  eudi = await startEudiStage(({ providers, statusHost }) => {
    kept = path.join(providers.folder, 'kept');
    const url = statusHost.at(PATH, (_request, response) => {
      if (served === undefined) return void response.destroy();
      response
        .writeHead(200, { 'content-type': 'application/jwt' })
        .end(typeof served === 'string' ? served : served());
    });
    writeFileSync(path.join(providers.folder, 'scheme.pem'), toPem(scheme.certificate));
    const signed = { signers: ['scheme.pem'], operator: DEVELOPMENT_OPERATOR };
    writeFileSync(providers.trustFile, JSON.stringify({ lists: [{ id: 'wallets', url, ...signed }] }));
    served = list({ authorities: [providers.authority] });
    return { TRUSTED_LISTS_FOLDER: kept, TRUSTED_LISTS_GRACE_SECONDS: '1' };
  });
});
afterAll(async () => eudi?.stop());

/** What becomes of an attested wallet, and of attested keys. */
async function outcomes(by: 'ES256' | 'stranger' = 'ES256') {
  const offer = await readOffer((await eudi.offer(CARD)).uri);
  const [key, instance] = [await createKey(), await createKey()];
  const attestation = await eudi.providers.attestWallet(instance.jwk, by);
  const attested = { attestation, instance, challenge: await challengeOf(offer.issuer) };
  const token = await requestToken(offer, key, attested);
  const answer = await prove(eudi, { type: 'jwt', attester: by });
  return [token, answer].map(({ status, body }) =>
    status === 200 ? 'accepted' : `${status} ${String(body['error'])}`,
  );
}

const ACCEPTED = ['accepted', 'accepted'];
const REFUSED = ['400 invalid_client', '400 invalid_proof'];

const logged = (words: string, after = 0) =>
  eudi.stage
    .readLog()
    .slice(after)
    .some((line) => line.includes(words) && line.includes('wallets'));
const LOADED = 'list of trusted entities was loaded';
const FAILED = 'could not be loaded or kept';

/** Starts the issuer again after kill -9; `seen` must be in its log then. */
async function restart(seen: string): Promise<void> {
  const before = eudi.stage.readLog().length;
  const issuer = eudi.stage.stack.process('issuer');
  await issuer.kill('SIGKILL');
  await issuer.restart();
  await until(() => logged(seen, before));
}

describe('18.8 an issuer that trusts the wallet providers on a list', () => {
  it('EU:T1 EU:T4 takes attestations of wallets and keys by those on it, and by nobody else', async () => {
    await until(() => logged(LOADED));
    expect(await outcomes()).toEqual(ACCEPTED);
    expect(await outcomes('stranger')).toEqual(REFUSED);
  });

  it('shows in health and metrics until when it is used', async () => {
    const { body } = await eudi.stage.management('GET', '/health/ready');
    expect(body).toMatchObject({
      services: { issuer: { checks: { trustedLists: true }, expires: { trustedList: expect.any(String) } } },
    });
    const address = eudi.stage.stack.process('issuer').readyUrl.replace('/health/ready', '/metrics');
    const metrics = await (await fetch(address)).text();
    expect(metrics).toMatch(/^vestibule_trusted_list_usable_until_timestamp_seconds\{.*list="wallets".*\} [1-9]/m);
    expect(metrics).toMatch(/^vestibule_trusted_list_anchors\{.*list="wallets".*\} 1$/m);
    expect(metrics).toMatch(/^vestibule_trusted_list_fetches_total\{.*list="wallets".*outcome="loaded".*\} 1$/m);
  });

  it('EU:T7 begins with its copy after kill -9, while the host is away', async () => {
    served = undefined;
    await restart(FAILED);
    expect(await outcomes()).toEqual(ACCEPTED);
    expect(await outcomes('stranger')).toEqual(REFUSED);
  });

  it('EU:T1 keeps its copy when another signs a list below the same authority, or the host lies', async () => {
    const other = await createCertificateAuthority({ name: 'Attacker', now: new Date() });
    for (const answer of [list({ authorities: [other.certificate], by: stranger }), 'not a list']) {
      served = answer;
      await restart(FAILED);
      expect(await outcomes()).toEqual(ACCEPTED);
    }
  });

  it('EU:T1 refuses a provider that was taken off the list, and EU:T2 does not go back to the older one', async () => {
    const older = list({ authorities: [eudi.providers.authority] });
    served = list({ authorities: [] });
    await restart(LOADED);
    expect(await outcomes()).toEqual(REFUSED);
    served = older;
    await restart('trusted_list_rolled_back');
    expect(await outcomes()).toEqual(REFUSED);
  });

  it('EU:T3 trusts nobody any more once the list has ended, grace time included', async () => {
    const authorities = [eudi.providers.authority];
    served = list({ authorities });
    await restart(LOADED);
    expect(await outcomes()).toEqual(ACCEPTED);
    served = () => list({ authorities, validMilliseconds: 1_000 });
    await restart(LOADED);
    served = undefined;
    await until(async () => (await outcomes())[0] === REFUSED[0]);
    expect(await outcomes()).toEqual(REFUSED);
    await restart(FAILED);
    expect(await outcomes()).toEqual(REFUSED);
  });

  it('EU:T3 trusts nobody while it has no copy and the host is away', async () => {
    rmSync(kept, { recursive: true });
    served = undefined;
    await restart(FAILED);
    expect(await outcomes()).toEqual(REFUSED);
  });
});
