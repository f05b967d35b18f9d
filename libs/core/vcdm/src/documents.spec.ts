import { randomBytes } from 'node:crypto';
import * as vc from '@digitalbazaar/vc';
import type { JsonObject } from '@vestibule/foundation';
import { createDidKey } from './did-key';
import { buildCredential, buildPresentation, CREDENTIALS_V2, type CredentialContent } from './documents';
import { signCredential, signPresentation } from './sign-documents';
import { knowing, verifying } from './testing/knowing.fixture-spec';
import {
  issueAsStranger,
  now,
  presentAsStranger,
  stranger,
  strangersKey,
  TERMS,
  UNDEFINED_TERMS,
} from './testing/stranger.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

const code = (expected: string) => expect.objectContaining({ code: expected });
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const [issuer, holder, credentialKey] = [1, 2, 3].map(() => createDidKey(randomBytes)) as [Key, Key, Key];
type Key = ReturnType<typeof createDidKey>;
const signing = { signer: issuer, now, ...knowing() };
const binding = { challenge: 'a-challenge', domain: 'https://verifier.example' };

const content = (change: Partial<CredentialContent> = {}): CredentialContent => ({
  id: credentialKey.did,
  types: ['PersonCredential'],
  contexts: [TERMS, UNDEFINED_TERMS],
  credentialSubject: { name: 'Ada', age: 36 },
  credentialSchema: [],
  issuerDid: issuer.did,
  holderDid: holder.did,
  validFrom: now,
  validUntil: later(3600),
  ...change,
});
const issued = (change: Partial<CredentialContent> = {}, options: Partial<typeof signing> = {}) =>
  signCredential(buildCredential(content(change)), { ...signing, ...options });
const presented = async (options: { signer?: Key; holderDid?: string; credentials?: JsonObject[] } = {}) => {
  const credentials = options.credentials ?? [await issued()];
  const presentation = buildPresentation({
    id: createDidKey(randomBytes).did,
    holderDid: options.holderDid ?? holder.did,
    credentials,
  });
  return signPresentation(presentation, binding, { ...signing, signer: options.signer ?? holder });
};

const withStatus = (credentialStatus: JsonObject) => (credential: JsonObject) => ({ ...credential, credentialStatus });

describe('credentials issued here', () => {
  it('have the form of VCDM 2.0 and one proof ecdsa-rdfc-2019 of their issuer', async () => {
    const multibase = issuer.did.slice('did:key:'.length);
    expect(await issued()).toEqual({
      '@context': [CREDENTIALS_V2, TERMS, UNDEFINED_TERMS],
      id: credentialKey.did,
      type: ['VerifiableCredential', 'PersonCredential'],
      issuer: issuer.did,
      validFrom: '2026-03-01T12:00:00Z',
      validUntil: '2026-03-01T13:00:00Z',
      credentialSubject: { id: holder.did, name: 'Ada', age: 36 },
      proof: {
        type: 'DataIntegrityProof',
        cryptosuite: 'ecdsa-rdfc-2019',
        created: '2026-03-01T12:00:00Z',
        proofPurpose: 'assertionMethod',
        verificationMethod: `${issuer.did}#${multibase}`,
        proofValue: expect.stringMatching(/^z[1-9A-HJ-NP-Za-km-z]{80,90}$/),
      },
    });
  });

  it('verify with the Data Integrity libraries used on their own', async () => {
    const credentialSchema = [{ id: 'https://schema.example/1.json', type: 'JsonSchema' }];
    const result = await vc.verifyCredential({ ...stranger(), credential: await issued({ credentialSchema }) });
    expect(result).toMatchObject({ verified: true });
  });

  it('do not verify there with a changed claim', async () => {
    const changed = { ...(await issued()), credentialSubject: { id: holder.did, name: 'Eve', age: 36 } };
    expect(await vc.verifyCredential({ ...stranger(), credential: changed })).toMatchObject({ verified: false });
  });

  it('verify here', async () => {
    await expect(verifyCredential(await issued(), verifying)).resolves.toEqual({
      id: credentialKey.did,
      types: ['VerifiableCredential', 'PersonCredential'],
      issuerDid: issuer.did,
      holderDid: holder.did,
    });
  });

  it('need a known context for each claim', async () => {
    const unknown = 'https://evil.example/context';
    await expect(issued({ contexts: [unknown] })).rejects.toThrow(
      expect.objectContaining({ code: 'vc_context_unknown', detail: expect.stringContaining(unknown) }),
    );
    await expect(issued({ contexts: [] })).rejects.toThrow(code('vc_term_undefined'));
  });
});

describe('credentials of a stranger', () => {
  const foreign = async (change: Partial<CredentialContent> = {}) => {
    const key = await strangersKey();
    return issueAsStranger(key, buildCredential(content({ issuerDid: key.controller, ...change })));
  };

  it('issued with the Data Integrity libraries alone verify here', async () => {
    const credential = await foreign();
    await expect(verifyCredential(credential, verifying)).resolves.toMatchObject({ issuerDid: credential['issuer'] });
  });

  it.each<[string, (credential: JsonObject) => JsonObject]>([
    ['a claim', (c) => ({ ...c, credentialSubject: { ...(c['credentialSubject'] as JsonObject), name: 'Adb' } })],
    ['the holder', (c) => ({ ...c, credentialSubject: { ...(c['credentialSubject'] as JsonObject), id: issuer.did } })],
    ['the type', (c) => ({ ...c, type: ['VerifiableCredential', 'OtherCredential'] })],
    ['the end of validity', (c) => ({ ...c, validUntil: '2026-03-01T14:00:00Z' })],
    ['the id', (c) => ({ ...c, id: credentialKey.did.replace('zDna', 'zDnb') })],
    ['an added claim', (c) => ({ ...c, credentialSubject: { ...(c['credentialSubject'] as JsonObject), more: true } })],
    ['the creation of the proof', (c) => changedProof(c, { created: '2026-03-01T12:00:01Z' })],
    ['one character of the proof value', (c) => changedProof(c, { proofValue: flipped(c) })],
  ])('do not verify with a changed byte: %s', async (_what, change) => {
    await expect(verifyCredential(change(await foreign()), verifying)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it('do not verify with a wrong key, which signed in the name of the issuer', async () => {
    const [victim, attacker] = [await strangersKey(), await strangersKey()];
    const credential = buildCredential(content({ issuerDid: victim.controller }));
    const signed = await issueAsStranger(attacker, credential);
    await expect(verifyCredential(signed, verifying)).rejects.toThrow(code('vc_issuer_mismatch'));
    const renamed = changedProof(signed, { verificationMethod: victim.id });
    await expect(verifyCredential(renamed, verifying)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it('do not verify when they are expired, or not valid yet; 60 seconds of skew are allowed', async () => {
    const credential = await foreign({ validFrom: later(-10), validUntil: later(3600) });
    const at = (instant: Date) => verifyCredential(credential, { ...verifying, now: instant });
    await expect(at(later(3659))).resolves.toBeDefined();
    await expect(at(later(3660))).rejects.toThrow(code('vc_expired'));
    await expect(at(later(-70))).resolves.toBeDefined();
    await expect(at(later(-71))).rejects.toThrow(code('vc_not_yet_valid'));
  });

  it('do not verify with a foreign context, which the error names', async () => {
    const url = 'https://evil.example/context';
    const credential = await foreign();
    const contextsOf = credential['@context'] as JsonObject[];
    const changed = { ...credential, '@context': [...contextsOf, url] as never };
    await expect(verifyCredential(changed, verifying)).rejects.toThrow(
      expect.objectContaining({ code: 'vc_context_unknown', detail: expect.stringContaining(url) }),
    );
  });

  it('do not verify with a claim that no context defines', async () => {
    const credential = await foreign({ types: [], contexts: [TERMS], credentialSubject: { name: 'Ada' } });
    const subject = credential['credentialSubject'] as JsonObject;
    const changed = { ...credential, credentialSubject: { ...subject, undefinedClaim: true } };
    await expect(verifyCredential(changed, verifying)).rejects.toThrow(code('vc_term_undefined'));
  });

  it.each<[string, string, (credential: JsonObject) => JsonObject]>([
    ['vc_proof_unsupported', 'no proof', ({ proof: _proof, ...rest }) => rest],
    ['vc_proof_unsupported', 'two proofs', (c) => ({ ...c, proof: [c['proof'], c['proof']] as never })],
    ['vc_proof_unsupported', 'another suite', (c) => changedProof(c, { cryptosuite: 'ecdsa-jcs-2019' })],
    ['vc_proof_invalid', 'another purpose', (c) => changedProof(c, { proofPurpose: 'authentication' })],
    ['vc_key_unresolvable', 'did:web', (c) => changedProof(c, { verificationMethod: 'did:web:issuer.example#1' })],
    ['vc_key_unresolvable', 'an address', (c) => changedProof(c, { verificationMethod: 'https://issuer.example/1' })],
    ['vc_credential_status_malformed', 'half a status', withStatus({ type: 'BitstringStatusListEntry' })],
    ['vc_status_unsupported', 'another status', withStatus({ type: 'StatusList2021Entry' })],
    ['vc_issuer_mismatch', 'another issuer', (c) => ({ ...c, issuer: holder.did })],
    [
      'vc_version_unsupported',
      'version 1.1',
      (c) => ({ ...c, '@context': ['https://www.w3.org/2018/credentials/v1'] }),
    ],
    ['vc_malformed', 'no type', ({ type: _type, ...rest }) => rest],
    ['vc_malformed', 'no issuer', ({ issuer: _issuer, ...rest }) => rest],
    ['vc_malformed', 'no subject', ({ credentialSubject: _subject, ...rest }) => rest],
    ['vc_malformed', 'a time without a zone', (c) => ({ ...c, validUntil: '2026-03-01T13:00:00' })],
    ['vc_expired', 'an expired proof', (c) => changedProof(c, { expires: '2026-03-01T11:00:00Z' })],
  ])('are refused as %s with %s', async (expected, _what, change) => {
    await expect(verifyCredential(change(await foreign()), verifying)).rejects.toThrow(code(expected));
  });
});

describe('presentations', () => {
  it.each(['challenge', 'domain'])('have a %s of at most 512 characters, not UTF-16 units', async (name) => {
    const { proof: _proof, ...presentation } = await presented();
    const bound = (length: number) => ({ challenge: 'c', [name]: '😀'.repeat(length) });
    const options = { ...signing, signer: holder };
    const signed = await signPresentation(presentation, bound(512), options);
    await expect(verifyPresentation(signed, bound(512), verifying)).resolves.toBeDefined();
    await expect(signPresentation(presentation, bound(513), options)).rejects.toThrow(code('vc_malformed'));
  });

  it('signed here verify with the libraries used on their own, for their challenge and domain', async () => {
    const presentation = await presented();
    const common = { ...stranger(), presentation };
    expect(await vc.verify({ ...common, ...binding })).toMatchObject({ verified: true });
    expect(await vc.verify({ ...common, ...binding, challenge: 'another' })).toMatchObject({ verified: false });
    expect(await vc.verify({ ...common, ...binding, domain: 'another' })).toMatchObject({ verified: false });
  });

  it('signed with the libraries alone verify here', async () => {
    const key = await strangersKey();
    const presentation = buildPresentation({
      id: createDidKey(randomBytes).did,
      holderDid: key.controller,
      credentials: [await issued({ holderDid: key.controller })],
    });
    const signed = await presentAsStranger(key, presentation, binding);
    await expect(verifyPresentation(signed, binding, verifying)).resolves.toMatchObject({
      holderDid: key.controller,
      credentials: [{ issuerDid: issuer.did }],
    });
  });

  it.each([
    ['challenge', { ...binding, challenge: 'another' }],
    ['domain', { ...binding, domain: 'https://another.example' }],
    ['domain', { challenge: binding.challenge }],
  ])('for another %s do not verify here', async (_what, expected) => {
    const presentation = await presented();
    await expect(verifyPresentation(presentation, binding, verifying)).resolves.toBeDefined();
    await expect(verifyPresentation(presentation, expected, verifying)).rejects.toThrow(code('vc_challenge_mismatch'));
  });

  it('may name their one domain as a set, and are refused with several', async () => {
    const { proof: _proof, ...presentation } = await presented();
    const verified = async (...domains: string[]) => {
      // Only one may be asked for here; others sign for several.
      const set = { ...binding, domain: domains as unknown as string };
      const signed = await signPresentation(presentation, set, { ...signing, signer: holder });
      expect(signed).toHaveProperty('proof.domain', domains);
      return verifyPresentation(signed, binding, verifying);
    };
    await expect(verified(binding.domain)).resolves.toMatchObject({ holderDid: holder.did });
    await expect(verified('https://another.example')).rejects.toThrow(code('vc_challenge_mismatch'));
    await expect(verified(binding.domain, 'https://another.example')).rejects.toThrow(code('vc_malformed'));
  });

  it('signed by another than their holder do not verify', async () => {
    await expect(presented({ signer: issuer })).rejects.toThrow(code('vc_holder_mismatch'));
    const presentation = buildPresentation({
      id: 'urn:presentation',
      holderDid: holder.did,
      credentials: [await issued()],
    });
    const signed = await presentAsStranger(await strangersKey(), presentation, binding);
    await expect(verifyPresentation(signed, binding, verifying)).rejects.toThrow(code('vc_holder_mismatch'));
  });

  it('with a changed credential or a changed holder do not verify', async () => {
    const presentation = await presented();
    const [credential] = presentation['verifiableCredential'] as JsonObject[];
    const changed = { ...presentation, verifiableCredential: [{ ...credential, id: 'urn:another' }] };
    await expect(verifyPresentation(changed, binding, verifying)).rejects.toThrow(code('vc_proof_invalid'));
    const { verifiableCredential: _gone, ...without } = presentation;
    await expect(verifyPresentation(without, binding, verifying)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it.each([
    ['what is no object', ['eyJhbGciOiJFUzI1NiJ9.e30.c2ln'], 'must be an object, or an array of objects'],
    ['more than 100', Array.from({ length: 101 }, () => ({})), 'must contain at most 100 credentials'],
  ])('with %s as credentials say what is wrong', async (_what, verifiableCredential, why) => {
    const presentation = { ...(await presented()), verifiableCredential };
    await expect(verifyPresentation(presentation, binding, verifying)).rejects.toThrow(
      `vc_malformed: verifiableCredential ${why}`,
    );
  });
});

function changedProof(credential: JsonObject, change: JsonObject): JsonObject {
  return { ...credential, proof: { ...(credential['proof'] as JsonObject), ...change } };
}

function flipped(credential: JsonObject): string {
  const value = (credential['proof'] as JsonObject)['proofValue'] as string;
  return `${value.slice(0, 20)}${value[20] === 'a' ? 'b' : 'a'}${value.slice(21)}`;
}
