import {
  createCertificateAuthority,
  createSelfSignedLeaf,
  toPem,
  type Authority,
  type IssueOptions,
  type RawExtension,
} from '@vestibule/dev-pki';
import { claims, header, refusing, type FaultRow } from './attempts';
import { joinBench, type JoinedBench } from './checklist-bench';
import { identityOf, issueBelow, issuedBy } from './foreign-identity';
import { createHolder, x5cOf, type Identity } from './handmade-credential';
import type { SpecialAuthorities } from './shared-pki';

const DAY = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY);
const rootNamed = (name: string, options: Partial<IssueOptions> = {}) =>
  createCertificateAuthority({ name, now: new Date(), ...options });

let bench: JoinedBench;
let authorities: SpecialAuthorities;
let stranger: Authority;
beforeAll(async () => {
  bench = await joinBench();
  ({ authorities } = bench.pki);
  stranger = await rootNamed('Stranger Root');
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);

type ChainRow = readonly [what: string, make: () => Promise<Identity>, code: string];
const root = () => bench.pki.root;
const intermediate = () => bench.pki.intermediate;
/** A leaf below root and intermediate that is not as usual. */
const leaf = (options: Partial<IssueOptions>) => () => issueBelow([root(), intermediate()], options);
/** A usual leaf below an authority that is not as usual. */
const below = (options: Partial<IssueOptions>) => async () =>
  issueBelow([root(), await root().issueAuthority({ name: 'Odd CA', ...options })]);
const directlyBelow = (authority: () => Authority) => () => issueBelow([authority()]);
const unknownExtension: RawExtension = { oid: '1.3.6.1.4.1.99999.1', critical: true, value: Buffer.from([5, 0]) };
const nameConstraints: RawExtension = { oid: '2.5.29.30', critical: false, value: Buffer.from([0x30, 0]) };

describe('x5c', () => {
  const chain = () => x5cOf(bench.pki.issuer.chain);
  const x5c = (make: () => unknown) => ({
    credential: (right: { readonly header: object }) => ({ header: { ...right.header, x5c: make() } }),
  });

  it.each<FaultRow>([
    ['VP:N1 empty', header({ x5c: [] }), 'x5c_malformed'],
    ['VP:N1 as a text', x5c(() => chain()[0]), 'x5c_malformed'],
    ['VP:N1 null', header({ x5c: null }), 'x5c_malformed'],
    ['VP:N1 with a number', x5c(() => [...chain(), 1]), 'x5c_malformed'],
    ['VP:N1 with an empty text', x5c(() => [...chain(), '']), 'x5c_malformed'],
    [
      'VP:N1 VP:T4 in base64url',
      x5c(() => chain().map((text) => `${Buffer.from(text, 'base64').toString('base64url')}`)),
      'x5c_malformed',
    ],
    ['VP:N1 in PEM', x5c(() => bench.pki.issuer.chain.map((der) => toPem(der))), 'x5c_malformed'],
    ['VP:N1 with line breaks', x5c(() => chain().map((text) => `${text}\n`)), 'x5c_malformed'],
    ['VP:N1 with something else than a certificate', x5c(() => [...chain(), 'AAAA']), 'certificate_malformed'],
    ['VP:N1 with 5 certificates', x5c(() => Array.from({ length: 5 }, () => chain()[0])), 'x5c_malformed'],
    ['VP:N2 of another key', { credential: () => ({ key: createHolder().key }) }, 'issuer_signature_invalid'],
    ['VP:N2 from the intermediate to the leaf', x5c(() => chain().reverse()), 'chain_broken'],
    ['VP:N5 with a certificate twice', x5c(() => [chain()[0], ...chain()]), 'chain_broken'],
  ])('%s is refused', refuses);
});

describe('a certificate chain', () => {
  it.each<ChainRow>([
    [
      'VP:N3 of a self-signed leaf',
      async () => identityOf(await createSelfSignedLeaf({ name: 'Issuer', now: new Date() })),
      'leaf_self_signed',
    ],
    [
      'VP:N3 of a leaf that signed itself in the name of its authority',
      async () => leaf({ privateKey: bench.holder.key, signingKey: bench.holder.key })(),
      'leaf_self_signed',
    ],
    [
      'VP:N4 with the trusted root',
      async () => withCertificates(await leaf({})(), root().certificate),
      'trust_anchor_in_x5c',
    ],
    [
      'VP:N4 with a root that is not trusted',
      async () => withCertificates(await issueBelow([stranger]), stranger.certificate),
      'trust_anchor_in_x5c',
    ],
    [
      'VP:N4 with an anchor that is no root',
      async () => withCertificates(await issueBelow([authorities.subordinate]), authorities.subordinate.certificate),
      'trust_anchor_in_x5c',
    ],
    ['VP:N10 VP:N5 below another root', directlyBelow(() => stranger), 'untrusted_issuer'],
    [
      'VP:N10 VP:N5 below another root of the same name',
      async () => issueBelow([await rootNamed(root().name)]),
      'untrusted_issuer',
    ],
    [
      'VP:N5 whose leaf somebody else signed in the name of the intermediate',
      leaf({ signingKey: createHolder().key }),
      'chain_signature_invalid',
    ],
    ['VP:N5 whose leaf names another issuer than the intermediate', leaf({ issuerName: 'Other CA' }), 'chain_broken'],
    [
      'VP:N2 whose leaf carries the key that signed as PEM in an extension',
      () => lending((pem) => ({ extensions: [{ oid: '1.3.6.1.4.1.99999.7', critical: false, value: pem }] })),
      'issuer_signature_invalid',
    ],
    [
      'VP:N2 whose leaf carries the key that signed as PEM in its subject',
      () => lending((pem) => ({ name: pem.toString() })),
      'issuer_signature_invalid',
    ],
    ['VP:N5 whose intermediate carries the key that signed as PEM', lendingIntermediate, 'chain_signature_invalid'],
    [
      'VP:N5 without its intermediate',
      async () => identityOf(await intermediate().issue({ name: 'Issuer' })),
      'untrusted_issuer',
    ],
    ['C:3.17 VP:N10 VP:N6 whose leaf has expired', leaf({ notAfter: daysFromNow(-0.01) }), 'certificate_expired'],
    ['VP:N10 VP:N6 whose leaf is not valid yet', leaf({ notBefore: daysFromNow(1) }), 'certificate_not_yet_valid'],
    ['VP:N6 whose intermediate has expired', below({ notAfter: daysFromNow(-0.01) }), 'certificate_expired'],
    ['VP:N6 whose intermediate is not valid yet', below({ notBefore: daysFromNow(1) }), 'certificate_not_yet_valid'],
    ['VP:N6 whose anchor has expired', directlyBelow(() => authorities.expired), 'trust_anchor_expired'],
    ['VP:N10 VP:N7 below a certificate that is no authority', below({ ca: false }), 'issuer_not_ca'],
    ['VP:N7 below a certificate without basic constraints', below({ ca: null }), 'issuer_not_ca'],
    ['VP:N7 below an authority that may not certify', below({ keyUsages: ['cRLSign'] }), 'issuer_not_ca'],
    [
      'VP:N10 VP:N7 longer than its intermediate allows',
      async () => {
        const upper = await root().issueAuthority({ name: 'Upper CA', pathLength: 0 });
        return issueBelow([root(), upper, await upper.issueAuthority({ name: 'Lower CA' })]);
      },
      'path_length_exceeded',
    ],
    [
      'VP:N7 longer than its anchor allows',
      async () => issueBelow([authorities.short, await authorities.short.issueAuthority({ name: 'CA' })]),
      'path_length_exceeded',
    ],
    ['VP:N10 VP:N8 whose leaf is for key agreement', leaf({ keyUsages: ['keyAgreement'] }), 'leaf_key_usage'],
    ['VP:N8 whose leaf may only certify', leaf({ keyUsages: ['keyCertSign'] }), 'leaf_key_usage'],
    [
      'VP:N8 whose leaf has an unknown critical extension',
      leaf({ extensions: [unknownExtension] }),
      'certificate_critical_extension',
    ],
    [
      'VP:N8 whose intermediate has an unknown critical extension',
      below({ extensions: [unknownExtension] }),
      'certificate_critical_extension',
    ],
    [
      'VP:N8 whose intermediate has name constraints',
      below({ extensions: [nameConstraints] }),
      'certificate_critical_extension',
    ],
    ['VP:N9 signed with SHA-1', leaf({ hash: 'SHA-1' }), 'certificate_algorithm_not_allowed'],
    ['VP:N9 through a key of RSA with 1024 bit', below({ keyType: 'RSA-1024' }), 'certificate_algorithm_not_allowed'],
    ['VP:N9 of a key on secp256k1', leaf({ keyType: 'secp256k1' }), 'certificate_algorithm_not_allowed'],
    ['VP:N9 of a key on Ed25519', leaf({ keyType: 'Ed25519' }), 'certificate_algorithm_not_allowed'],
    ['VP:K3 VP:N9 of a key on P-384', leaf({ keyType: 'P-384' }), 'leaf_key_not_allowed'],
    ['VP:K3 VP:N9 of a key of RSA', leaf({ keyType: 'RSA-2048' }), 'leaf_key_not_allowed'],
    ['VP:N12 VP:Q3 below an anchor for status lists', directlyBelow(() => authorities.forStatus), 'untrusted_issuer'],
    ['VP:N12 below an anchor for attestations', directlyBelow(() => authorities.forAttestation), 'untrusted_issuer'],
    [
      'VP:N12 VP:Q3 below an anchor for another type',
      directlyBelow(() => authorities.forOtherType),
      'untrusted_issuer',
    ],
  ])('%s is refused', async (what, make, code) => refuses(what, issuedBy(await make()), code));

  it.each<readonly [string, () => Promise<Identity>]>([
    ['VP:N5 that the root itself has certified', () => issueBelow([root()])],
    ['VP:N4 that an anchor which is no root has certified', () => issueBelow([authorities.subordinate])],
    ['VP:N7 as long as its anchor allows', () => issueBelow([authorities.short])],
    ['VP:N8 whose leaf has no key usage', leaf({ keyUsages: null })],
    [
      'VP:N8 with an unknown extension that is not critical',
      leaf({ extensions: [{ ...unknownExtension, critical: false }] }),
    ],
    ['VP:N9 through a key on P-384', below({ keyType: 'P-384', hash: 'SHA-384' })],
    ['VP:N9 through a key of RSA with 2048 bit', below({ keyType: 'RSA-2048' })],
    [
      'VP:N5 through two intermediates',
      async () => {
        const upper = await root().issueAuthority({ name: 'Upper CA', pathLength: 1 });
        return issueBelow([root(), upper, await upper.issueAuthority({ name: 'Lower CA', pathLength: 0 })]);
      },
    ],
  ])('%s is FULFILLED and trusted', async (_what, make) => {
    const ending = await bench.attempt(issuedBy(await make()));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const { credentials } = await bench.eventOf(ending.state);
    expect(credentials).toMatchObject({ card: [{ supportTrustAnchor: true, isTrusted: true }] });
  });
});

describe('17.9 issuer in the callback', () => {
  const TENANT = 'https://issuer.example/tenant/1';
  it.each<readonly [string, string | undefined, Partial<IssueOptions>, string]>([
    ['iss', 'https://issuer.example/a', { uris: [TENANT] }, 'https://issuer.example/a'],
    ['the first SAN URI where there is no iss', undefined, { uris: [TENANT, 'urn:example:two'] }, TENANT],
    ['the subject where there is no SAN URI either', undefined, { name: 'Town, Hall' }, 'CN=Town\\, Hall'],
    ['the subject where there is no SAN at all', undefined, { name: 'Nobody', dnsNames: [] }, 'CN=Nobody'],
  ])('17.9 is %s', async (_what, iss, options, issuer) => {
    const attempt = { ...issuedBy(await leaf(options)()), afterwards: claims({ iss }).credential };
    const ending = await bench.attempt(attempt);
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const { credentials, credentialsRaw } = await bench.eventOf(ending.state);
    expect(credentials).toMatchObject({ card: [{ issuer, isTrusted: true }] });
    expect(credentialsRaw).toMatchObject({ card: [{ issuer }] });
  });
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());

/** The key of a certificate that nobody certified, and that certificate as text for another one to carry. */
async function createUncertified() {
  const { certificate, privateKey } = await createSelfSignedLeaf({ name: 'Uncertified', now: new Date() });
  return { key: privateKey, pem: Buffer.from(`\n${toPem(certificate)}`) };
}

/** A certified leaf with a credential that an uncertified key signed. */
async function lending(carry: (pem: Buffer) => Partial<IssueOptions>): Promise<Identity> {
  const { key, pem } = await createUncertified();
  return { ...(await leaf(carry(pem))()), key };
}

async function lendingIntermediate(): Promise<Identity> {
  const { key: signingKey, pem: value } = await createUncertified();
  const extensions = [{ oid: '1.3.6.1.4.1.99999.7', critical: false, value }];
  const honest = await root().issueAuthority({ name: 'Lending CA', extensions });
  return issueBelow([root(), honest], { signingKey });
}

function withCertificates({ chain, key }: Identity, ...more: readonly Uint8Array[]): Identity {
  return { key, chain: [...chain, ...more] };
}
