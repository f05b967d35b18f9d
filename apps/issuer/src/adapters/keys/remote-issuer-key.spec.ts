import { sign, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { createDevelopmentPki, toPem, type DevelopmentPki } from '@vestibule/dev-pki';
import { statusListOver } from '../../testing/running-issuer.fixture-spec';
import {
  credentialsOf,
  newNonce,
  openCredentialEndpoint,
  type OpenEndpoint,
} from '../../testing/credential-endpoint.fixture-spec';
import { withFile, readIssuerKey } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import { startKms, type Kms } from '../../testing/kms.fixture-spec';
import { createWalletKey, keyProof } from '../../testing/wallet.fixture-spec';
import { createKeyring, type Keyring } from '@vestibule/keys';
import type { Publication } from '../../domain/status-list';
import type { IssuerKey } from './issuer-key';

const LIMITS = { timeoutMilliseconds: 2_000 };
const logger = { info: () => undefined, error: () => undefined };

let pki: DevelopmentPki;
let kms: Kms;
let open: OpenEndpoint;
let key: IssuerKey;
let keyring: Keyring;
beforeAll(async () => {
  pki = await createDevelopmentPki({ now: NOW, hosts: ['c.example.com'] });
  kms = await startKms(pki.issuer.privateKey);
  open = await openCredentialEndpoint(await createWalletKey());
});
afterAll(() => kms?.stop());
beforeEach(async () => {
  kms.be('signs');
  kms.answerAs((raw) => raw);
  // A device that was given up in one test is not in the next one.
  keyring = createKeyring({ logger });
  key = await openKey();
  kms.be('signs');
});
afterEach(() => keyring.close());

async function openKey(now = NOW, limits: object = LIMITS, chain = pki.issuer.chain): Promise<IssuerKey> {
  return withFile('issuer.pem', toPem([...chain]), async (certificateFile) => {
    const opened = readIssuerKey({
      certificateFile,
      key: kms.describe(limits),
      openKey: keyring.open,
      now,
      issuerUrl: ISSUER_URL,
    });
    await opened.check();
    return opened;
  });
}
const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;

/** A credential endpoint that signs with the key in the service. */
const endpointWith = (issuerKey = key) => open({ deps: { signerAt: (now) => issuerKey.signerAt(now) } });

async function expectSigned(jwt: string): Promise<void> {
  const { x5c = [] } = decodeProtectedHeader(jwt);
  expect(x5c).toEqual(pki.issuer.chain.map((der) => der.toString('base64')));
  await compactVerify(jwt, new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64')).publicKey);
}

describe('a signing key in an HSM or a KMS', () => {
  it('VCI:V1 VCI:V23 signs credentials that others verify, and status lists', async () => {
    const [credential = ''] = credentialsOf(await endpointWith().send());
    await expectSigned(credential.split('~', 1)[0] ?? '');
    let publication: Publication | undefined;
    const getList = statusListOver({
      clock: () => NOW,
      issuerUrl: ISSUER_URL,
      statusListTtlSeconds: 300,
      listSignerAt: (_x5c, now) => key.signerAt(now),
      findList: async () => ({
        version: 0,
        x5c: undefined,
        issuer: '',
        databaseAt: NOW,
        publication,
      }),
      readContent: async () => ({ version: 0, size: 1_024, entries: [], isOver: false }),
      reportLostRevocations: () => undefined,
      publish: async (made) => void (publication = made),
      reportFailure: (error) => {
        throw error;
      },
    });
    await expectSigned((await getList({ listId: 'list' })).token ?? '');
  });

  it('signs a batch at once: a slow one does not add up', async () => {
    // One after the other would never come to an end.
    kms.waitForAll(5);
    const endpoint = endpointWith();
    const holders = await Promise.all(Array.from({ length: 5 }, createWalletKey));
    const proofs = await endpoint.proofs(...holders.map((holder) => keyProof(holder, newNonce())));
    const credentials = credentialsOf(await endpoint.send({ proofs }));
    expect([credentials.length, kms.requests()]).toEqual([5, 5]);
  });

  it('is asked again when it failed, hung or answered nonsense, and the offer ends as ISSUED', async () => {
    for (const mood of ['fails', 'answers nonsense', 'hangs'] as const) {
      kms.be(mood, 'signs');
      const endpoint = endpointWith();
      await endpoint.send();
      expect([mood, kms.requests(), endpoint.events.map(({ status }) => status)]).toEqual([mood, 2, ['ISSUED']]);
    }
  });

  it.each(['fails', 'hangs', 'answers nonsense'] as const)(
    'VCI:V3 that %s for too long leaves the offer open, within the time limit and without a word of the device',
    async (mood) => {
      const impatient = await openKey(NOW, { timeoutMilliseconds: 1_000 });
      kms.be(mood);
      const endpoint = endpointWith(impatient);
      const begin = performance.now();
      const error: unknown = await endpoint.send().catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'signer_unavailable', kind: 'unavailable' });
      // Three attempts, and what a busy machine adds.
      expect(performance.now() - begin).toBeLessThan(12_000);
      expect(kms.requests()).toBe(3);
      expect([endpoint.events, endpoint.reported]).toEqual([[], []]);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
      kms.be('signs');
      await endpoint.send();
      expect(endpoint.events.map(({ status }) => status)).toEqual(['ISSUED']);
    },
  );

  it('VCI:V3 VCI:V23 whose signature its certificate does not verify never gets it out: another key', async () => {
    kms.be('signs with another key');
    const endpoint = endpointWith();
    await expect(endpoint.send()).rejects.toEqual(code('credential_request_denied'));
    expect(kms.requests()).toBe(1);
    expect(endpoint.asked).not.toContain('complete');
    expect(endpoint.events).toMatchObject([
      { status: 'FAILED', errorDetails: expect.stringMatching(/^signature_invalid: /) },
    ]);
  });

  it.each<[string, (raw: Buffer) => Uint8Array]>([
    ['DER', () => sign('sha256', Buffer.from('input'), pki.issuer.privateKey)],
    ['R and S the other way round', (raw) => Buffer.concat([raw.subarray(32), raw.subarray(0, 32)])],
    ['64 zero bytes', () => new Uint8Array(64)],
  ])('VCI:V23 that answers %s does not get through the start', async (_what, convert) => {
    kms.answerAs(convert);
    await expect(openKey()).rejects.toEqual(code('signature_invalid'));
  });

  it('one wrong signature in a batch keeps back the whole batch', async () => {
    kms.be('signs', 'signs with another key', 'signs');
    const endpoint = endpointWith();
    const holders = await Promise.all(Array.from({ length: 3 }, createWalletKey));
    const proofs = await endpoint.proofs(...holders.map((holder) => keyProof(holder, newNonce())));
    await expect(endpoint.send({ proofs })).rejects.toEqual(code('credential_request_denied'));
    expect(endpoint.events).toMatchObject([{ status: 'FAILED' }]);
  });
});

describe('a remote key at the start', () => {
  it('VCI:V3 must sign, and with the key of the certificate', async () => {
    kms.be('signs with another key');
    await expect(openKey()).rejects.toEqual(code('signature_invalid'));
    kms.be('fails');
    await expect(openKey()).rejects.toEqual(code('signer_unavailable'));
  });

  it('VCI:V2 VCI:V3 needs a chain that holds, now and at each issuance, before the device is asked', async () => {
    const year = 366 * 86_400_000;
    const later = new Date(NOW.getTime() + 20 * year);
    await expect(openKey(later)).rejects.toEqual(code('signing_certificate_expired'));
    const broken = [pki.issuer.certificate, pki.root.certificate];
    await expect(openKey(NOW, LIMITS, broken)).rejects.toEqual(code('signing_chain_invalid'));
    expect(() => key.signerAt(later)).toThrow(code('signing_certificate_expired') as Error);
    expect(key.isValidAt(later)).toBe(false);
    expect(key.namesIssuer).toBe(true);
    expect(kms.requests()).toBe(0);
  });
});
