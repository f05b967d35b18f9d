import type { KeyObject } from 'node:crypto';
import { jwsClaims, parseCompactJws, signCompactJws, signEs256 } from '@vestibule/crypto';
import { VerificationFailure } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { X509_FAILURES } from '@vestibule/x509-trust';
import { fakeEgress, ISSUER, jsonAnswer, publishedKeys } from '../../testing/published-issuer.fixture-spec';
import { base64, createWorld, failsWith, NOW, STATUS, type World } from '../../testing/verifier.fixture-spec';
import { StatusLists } from './status-lists';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

/** A status list without certificate, that names the issuer's key. */
async function listOf(status: number, key: KeyObject = world.pki.issuer.privateKey, kid = 'k1') {
  const token = await signStatusListToken({
    uri: STATUS.uri,
    issuedAt: NOW,
    expiresAt: new Date(NOW.getTime() + 3_600_000),
    ttlSeconds: 300,
    list: packStatuses(64, 2, [{ idx: STATUS.idx, status }]),
    x5c: world.pki.issuer.chain.map(base64),
    signer: (input) => signEs256(world.pki.issuer.privateKey, input),
  });
  return signCompactJws({ typ: 'statuslist+jwt', kid }, jwsClaims(parseCompactJws(token)), key);
}

function credential(keys = publishedKeys(world)): VerifiedPresentation {
  const signedBy = { method: 'metadata', name: ISSUER, keys, authorityKeyIdentifiers: [] };
  return { vct: 'urn:example:pid:1', status: STATUS, signedBy } as unknown as VerifiedPresentation;
}

function open(token: string) {
  const served = { ...jsonAnswer({}), contentType: STATUS_LIST_MEDIA_TYPE, body: Buffer.from(token) };
  const { egress, fetches } = fakeEgress(() => served);
  const lists = new StatusLists({
    egress,
    trust: () => world.trust,
    clock: () => NOW,
    skewSeconds: 60,
    graceSeconds: 300,
    maxAgeSeconds: 604_800,
  });
  return { fetches, check: (presentation = credential()) => lists.check(presentation, NOW) };
}

describe('the certificates of a list’s signer', () => {
  it('VP:N11 are looked up in revocation lists where that is configured, and fail the credential', async () => {
    const chain = world.trust.chains.verify(world.pki.issuer.chain.map(base64), { now: NOW, purpose: 'credential' });
    const token = await signStatusListToken({
      uri: STATUS.uri,
      issuedAt: NOW,
      expiresAt: new Date(NOW.getTime() + 3_600_000),
      ttlSeconds: 300,
      list: packStatuses(64, 2, []),
      x5c: world.pki.issuer.chain.map(base64),
      signer: (input) => signEs256(world.pki.issuer.privateKey, input),
    });
    const served = { ...jsonAnswer({}), contentType: STATUS_LIST_MEDIA_TYPE, body: Buffer.from(token) };
    const checkRevocation = () =>
      Promise.reject(new VerificationFailure('certificate_revoked', X509_FAILURES.certificate_revoked));
    const { egress } = fakeEgress(() => served);
    const options = {
      egress,
      trust: () => world.trust,
      clock: () => NOW,
      skewSeconds: 60,
      graceSeconds: 300,
      maxAgeSeconds: 604_800,
    };
    const signedBy = { method: 'certificate', chain } as VerifiedPresentation['signedBy'];
    const certified = { ...credential(), signedBy };
    await new StatusLists(options).check(certified, NOW);
    const checking = new StatusLists({ ...options, checkRevocation });
    await expect(checking.check(certified, NOW)).rejects.toEqual(failsWith('certificate_revoked'));
  });
});

describe('the status list of an issuer that is known by its metadata', () => {
  it('VP:O5 VP:L9 needs no certificate: one of its published keys signs', async () => {
    await expect(open(await listOf(0)).check()).resolves.toBeUndefined();
    await expect(open(await listOf(1)).check()).rejects.toEqual(failsWith('credential_revoked'));
  });

  it('VP:O5 fails with the signature of another key, or with the name of a key that is not published', async () => {
    const forged = open(await listOf(0, world.holderKey));
    await expect(forged.check()).rejects.toEqual(failsWith('status_token_signature_invalid'));
    const unknown = open(await listOf(0, world.pki.issuer.privateKey, 'k2'));
    await expect(unknown.check()).rejects.toEqual(failsWith('status_token_signer_not_trusted'));
  });

  it('VP:O6 is verified anew when the issuer publishes other keys', async () => {
    const { check, fetches } = open(await listOf(0));
    await check();
    await check();
    expect(fetches).toHaveLength(1);
    const others = publishedKeys(world).map(({ jwk }) => ({ kid: 'k2', jwk }));
    await expect(check(credential(others))).rejects.toEqual(failsWith('status_token_signer_not_trusted'));
    expect(fetches).toHaveLength(2);
  });

  it('VP:O5 says nothing for a credential with a certificate', async () => {
    const chain = world.trust.chains.verify(world.pki.issuer.chain.map(base64), { now: NOW, purpose: 'credential' });
    const { check } = open(await listOf(0));
    await check();
    const signedBy = { method: 'certificate', chain } as VerifiedPresentation['signedBy'];
    await expect(check({ ...credential(), signedBy })).rejects.toEqual(failsWith('status_token_certificate_missing'));
  });
});
