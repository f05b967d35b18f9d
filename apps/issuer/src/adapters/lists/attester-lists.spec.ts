import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  toPem,
  trustedListPayload,
  type Authority,
  type IssuedCertificate,
  type TrustedListDraft,
} from '@vestibule/dev-pki';
import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { createMetrics } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import { readAttesterTrust, type AttesterTrust } from '../keys/attester-trust';
import { followAttesterLists } from './attester-lists';

const NOW = new Date('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const ETSI = 'http://uri.etsi.org/19602';
const WALLETS = `${ETSI}/LoTEType/EUWalletProvidersList`;
const URL = 'https://lists.example/wallets.jwt';
const LIST = { id: 'wallets', url: URL, signers: ['scheme.pem'] };

const folder = mkdtempSync(path.join(tmpdir(), 'attester-lists-'));
const file = path.join(folder, 'attesters.json');
let signer: IssuedCertificate;
let provider: Authority;
let served: string | undefined;
const closing: AttesterTrust[] = [];
beforeAll(async () => {
  const scheme = await createCertificateAuthority({ name: 'Scheme Root', now: NOW });
  signer = await scheme.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });
  provider = await createCertificateAuthority({ name: 'Wallet Provider', now: NOW });
  writeFileSync(path.join(folder, 'scheme.pem'), toPem(signer.certificate));
});
afterEach(async () => {
  for (const { lists } of closing.splice(0)) await lists?.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A list of wallet providers, valid for a day. */
function list(authorities: readonly Authority[], { service = 'WalletSolution', sequence = 1 } = {}): string {
  return sign(authorities.length === 0 ? [] : [entityOf(authorities, [], service)], sequence);
}

/** One with authorities for its attestations, and for their status. */
function entityOf(
  issuing: readonly Authority[],
  revoking: readonly Authority[],
  service = 'WalletSolution',
): TrustedListDraft['entities'][number] {
  const of = (authorities: readonly Authority[], kind: string) =>
    authorities.map(({ certificate }) => ({
      type: `${ETSI}/SvcType/${service}/${kind}`,
      certificates: [certificate],
    }));
  return { name: 'Provider', services: [...of(issuing, 'Issuance'), ...of(revoking, 'Revocation')] };
}

function sign(entities: TrustedListDraft['entities'], sequence = 1): string {
  const dates = { issuedAt: at(-3_600), nextUpdateAt: at(86_400) };
  const draft = { type: WALLETS, sequence, ...dates, entities };
  return signTrustedList(trustedListPayload(draft), { signer, signedAt: at(-3_600) });
}

async function open(content: object = { lists: [LIST] }, refreshSeconds = 3_600, kept?: string) {
  writeFileSync(file, JSON.stringify(content));
  const time = { now: NOW };
  const warned: string[] = [];
  const logger = { info: () => undefined, warn: (message: string) => void warned.push(message) };
  const trust = await readAttesterTrust(file, logger, (lists) =>
    followAttesterLists(lists, {
      egress: {
        get: () =>
          served === undefined
            ? Promise.reject(new ProcessingFailure('egress_failed', 'the host is away'))
            : Promise.resolve({ status: 200, contentType: undefined, finalUrl: URL, body: Buffer.from(served) }),
      },
      clock: () => time.now,
      logger,
      metrics: createMetrics('issuer'),
      skewSeconds: 60,
      graceSeconds: 0,
      refreshSeconds,
      folder: kept,
      chance: () => 0,
      pause: () => Promise.resolve(),
    }),
  );
  closing.push(trust);
  await until(() => trust.lists?.isTried() ?? true);
  return { trust, time, warned };
}

/** The codes of what each part says to an attester below an authority; 'trusted' for its key. */
async function answers({ wallets, keys, walletStatus, keyStatus }: AttesterTrust, authority: Authority, now = NOW) {
  const { certificate } = await authority.issue({ name: 'Attester' });
  const header = { x5c: [certificate.toString('base64')] };
  return [wallets, keys, walletStatus, keyStatus].map((attesters) => {
    try {
      return attesters?.(header, now).length === 1 ? 'trusted' : 'nobody';
    } catch (error) {
      return error instanceof DomainError ? error.code : error;
    }
  });
}

describe('18.8 lists of wallet providers', () => {
  it('EU:T1 EU:T4 name who attests wallets and keys, and signs the status of attestations', async () => {
    served = list([provider]);
    const { trust } = await open();
    expect(await answers(trust, provider)).toEqual(['trusted', 'trusted', 'trusted', 'trusted']);
    const stranger = await createCertificateAuthority({ name: 'Wallet Provider', now: NOW });
    expect(new Set(await answers(trust, stranger))).toEqual(new Set(['untrusted_issuer']));
    expect(trust.lists?.firstEnd()).toEqual(at(86_400));
  });

  it('EU:T3 are trusted again when a clock that was ahead for a moment is right', async () => {
    served = list([provider]);
    const { trust, time } = await open();
    time.now = at(2 * 86_400);
    expect((await answers(trust, provider))[0]).toBe('untrusted_issuer');
    time.now = at(1);
    expect((await answers(trust, provider))[0]).toBe('trusted');
  });

  it('EU:T3 trust nobody while they are not known, and after their end', async () => {
    served = undefined;
    const away = await open();
    expect((await answers(away.trust, provider))[0]).toBe('untrusted_issuer');
    expect(away.trust.lists?.firstEnd()).toBeUndefined();
    served = list([provider]);
    const { trust, time } = await open();
    time.now = at(86_399);
    expect((await answers(trust, provider, time.now))[0]).toBe('trusted');
    time.now = at(86_400);
    expect((await answers(trust, provider, time.now))[0]).toBe('untrusted_issuer');
  });

  it('EU:T1 are followed while the issuer runs: who is taken off them is not trusted any more', async () => {
    served = list([provider]);
    const { trust } = await open(undefined, 0.01);
    expect((await answers(trust, provider))[0]).toBe('trusted');
    served = list([], { sequence: 2 });
    await until(async () => (await answers(trust, provider))[0] === 'untrusted_issuer');
    expect(new Set(await answers(trust, provider))).toEqual(new Set(['untrusted_issuer']));
    served = list([provider], { sequence: 3 });
    await until(async () => (await answers(trust, provider))[0] === 'trusted');
  });

  it('EU:T2 EU:T3 start with the copy of the last version at their address, not with that of another list', async () => {
    const kept = path.join(folder, 'kept');
    served = list([provider], { sequence: 5 });
    await open(undefined, undefined, kept);
    served = undefined;
    expect((await answers((await open(undefined, undefined, kept)).trust, provider))[0]).toBe('trusted');
    const moved = { lists: [{ ...LIST, url: 'https://lists.example/others.jwt' }] };
    expect((await answers((await open(moved, undefined, kept)).trust, provider))[0]).toBe('untrusted_issuer');
    served = list([provider], { sequence: 1 });
    expect((await answers((await open(moved, undefined, kept)).trust, provider))[0]).toBe('trusted');
  });

  it('EU:T4 trust nobody for a service of another type', async () => {
    served = list([provider], { service: 'PID' });
    expect((await answers((await open()).trust, provider))[0]).toBe('untrusted_issuer');
  });

  it('EU:T5 name who signs the status of the attestations of one provider, not of another', async () => {
    const [revoking, other, own] = await Promise.all(
      ['Revoking', 'Other', 'Own'].map((name) => createCertificateAuthority({ name, now: NOW })),
    );
    if (!revoking || !other || !own) throw new Error('three authorities');
    writeFileSync(path.join(folder, 'own.pem'), toPem(own.certificate));
    served = sign([entityOf([provider], [revoking]), entityOf([other], [])]);
    const anchors = { anchors: ['own.pem'] };
    const { trust } = await open({ lists: [LIST], walletAttestation: anchors, keyAttestation: anchors });
    const headerOf = async (authority: Authority) => {
      const { certificate } = await authority.issue({ name: 'Signer' });
      return { x5c: [certificate.toString('base64')] };
    };
    const attestation = await headerOf(provider);
    const parts = [trust.walletStatus, trust.keyStatus];
    const numbers = async (signing: Authority, attested = attestation) => {
      const header = await headerOf(signing);
      return parts.map((signers) => signers?.(header, NOW, { header: attested, acceptedAt: NOW }).length);
    };
    for (const one of [provider, revoking, own]) expect(await numbers(one)).toEqual([1, 1]);
    expect(await numbers(other)).toEqual([0, 0]);
    expect(await numbers(revoking, await headerOf(other))).toEqual([0, 0]);
    expect(await numbers(revoking, await headerOf(own))).toEqual([0, 0]);
  });

  it('EU:T5 name who signs the status of an attestation that was accepted before the certificate of its signer ended', async () => {
    const revoking = await createCertificateAuthority({ name: 'Revoking', now: NOW });
    served = sign([entityOf([provider], [revoking])]);
    const { trust } = await open();
    const { certificate: attester } = await provider.issue({ name: 'Attester', notAfter: at(3_600) });
    const { certificate: lister } = await revoking.issue({ name: 'Lister' });
    const [header, attestation] = [lister, attester].map((one) => ({ x5c: [one.toString('base64')] }));
    const later = at(7_200);
    const keys = (acceptedAt: Date) =>
      trust.keyStatus?.(header ?? {}, later, { header: attestation ?? {}, acceptedAt }).length;
    expect(keys(at(3_599))).toBe(1);
    expect(() => keys(later)).toThrow(expect.objectContaining({ code: 'certificate_expired' }) as Error);
  });

  it('mix with authorities in files', async () => {
    served = list([]);
    const own = await createCertificateAuthority({ name: 'Own', now: NOW });
    writeFileSync(path.join(folder, 'own.pem'), toPem(own.certificate));
    const { trust } = await open({ lists: [LIST], walletAttestation: { anchors: ['own.pem'] } });
    expect((await answers(trust, own)).slice(0, 2)).toEqual(['trusted', 'untrusted_issuer']);
  });

  it.each<[string, object, string]>([
    ['has signers that exist', { signers: ['none.pem'] }, 'lists[0].signers'],
    ['is not of those who issue', { type: WALLETS.replace('Wallet', 'PID') }, 'lists[0].type'],
    ['says what unknown services are for', { type: 'urn:x' }, 'lists[0].type'],
    ['is not at an address that is never requested', { url: 'http://lists.example/wallets.jwt' }, 'lists[0].url'],
    ['is not on a private host', { url: 'https://10.0.0.1/wallets.jwt' }, 'lists[0].url'],
    ['has a name for metrics', { id: 'A b' }, 'lists[0].id'],
  ])('each %s', async (_, more, place) => {
    const fault = await open({ lists: [{ ...LIST, ...more }] }).catch((error: unknown) => error as DomainError);
    expect(fault).toMatchObject({ code: 'attestation_trust_invalid', faults: [{ path: place }] });
  });

  it.each<[boolean, string, object, object?]>([
    [true, 'nothing tells them apart', {}],
    [true, 'one has a name of its scheme', { schemeName: 'One' }],
    [false, 'each has its name', { schemeName: 'Two' }, { schemeName: 'One' }],
    [false, 'they are one list', { url: URL }],
  ])('are named in the log (%s) if they can be exchanged: %s', async (isNamed, _what, other, first = {}) => {
    served = undefined;
    const elsewhere = { ...LIST, id: 'others', url: 'https://others.example/wallets.jwt', ...other };
    const { warned } = await open({ lists: [{ ...LIST, ...first }, elsewhere] });
    const message = 'lists of one type and signer can be exchanged by who serves them: set schemeName';
    expect(warned.includes(message)).toBe(isNamed);
  });
});
