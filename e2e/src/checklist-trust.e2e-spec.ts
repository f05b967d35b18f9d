import { createCertificateAuthority, keyIdentifier, type Authority } from '@vestibule/dev-pki';
import { claims, header, refusing } from './attempts';
import { createBench, type Attempt, type Ending, type OwnBench } from './checklist-bench';
import { issueBelow, issuedBy } from './foreign-identity';
import { ISSUER, TYPE, withHeader, withPayload } from './handmade-credential';

const OTHER_TYPE = 'urn:example:other';

let bench: OwnBench;
let stranger: Authority;
beforeAll(async () => {
  stranger = await createCertificateAuthority({ name: 'Stranger Root', now: new Date() });
  bench = await createBench();
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);
const legacy = withHeader({ typ: 'vc+sd-jwt' });
const byStranger = async () => issuedBy(await issueBelow([stranger]));
const ofOtherType: Attempt = {
  afterwards: withPayload({ vct: OTHER_TYPE }),
  query: { meta: { vct_values: [OTHER_TYPE] } },
};

const credentialOf = async (ending: Ending) => {
  expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
  const { credentials } = await bench.eventOf(ending.state);
  return (credentials as Record<string, object[]>)['card']?.[0];
};

async function trust(members: object, vcts?: readonly string[], others: readonly Authority[] = []): Promise<void> {
  const anchors = [bench.pki.root, ...others].map(({ certificate }) => ({ certificate, ...(vcts ? { vcts } : {}) }));
  bench.pki.trust(anchors, members);
  await bench.stage.stack.process('verifier').restart();
}

describe('trusted_authorities of type aki', () => {
  const asking = (...values: readonly Buffer[]): Attempt => ({
    query: { trusted_authorities: values.map((value) => ({ type: 'aki', values: [value.toString('base64url')] })) },
  });
  const root = () => keyIdentifier(bench.pki.root.privateKey);
  const intermediate = () => keyIdentifier(bench.pki.intermediate.privateKey);
  const leaf = () => keyIdentifier(bench.pki.issuer.key);
  const nobody = Buffer.alloc(20, 7);

  it.each<readonly [string, () => Attempt]>([
    ['names the authority of the leaf', () => asking(intermediate())],
    ['names the authority of the intermediate', () => asking(root())],
    ['names it in one of two entries', () => asking(nobody, root())],
  ])('VP:J20 that %s is satisfied', async (_what, make) => {
    expect(await credentialOf(await bench.attempt(make()))).toMatchObject({ isTrusted: true });
  });

  it.each<readonly [string, () => Attempt]>([
    ['names nobody of the chain', () => asking(nobody)],
    ['names the leaf itself', () => asking(leaf())],
    ['names a part of the identifier', () => asking(intermediate().subarray(0, 19))],
  ])('VP:J20 that %s is not satisfied', async (what, make) => refuses(what, make(), 'authority_not_trusted'));
});

describe('the policy auto with anchors for another type only', () => {
  beforeAll(() => trust({ policy: 'auto' }, [OTHER_TYPE]), 60_000);

  it('C:2.37 VP:D7 VP:N13 reports a credential of a type without anchors as not trusted', async () => {
    expect(await credentialOf(await bench.attempt())).toMatchObject({ supportTrustAnchor: true, isTrusted: false });
    expect(await credentialOf(await bench.attempt(await byStranger()))).toMatchObject({ isTrusted: false });
  });

  it('VP:J20 VP:N5 does not believe a stranger who writes the identifier of a requested authority', async () => {
    const authorityKeyIdentifier = keyIdentifier(bench.pki.root.privateKey);
    const values = [authorityKeyIdentifier.toString('base64url')];
    const impostor = issuedBy(await issueBelow([stranger], { authorityKeyIdentifier }));
    await refuses(
      '',
      { ...impostor, query: { trusted_authorities: [{ type: 'aki', values }] } },
      'authority_not_trusted',
    );
  });

  it('VP:N12 trusts the anchor for its type and nobody else', async () => {
    expect(await credentialOf(await bench.attempt(ofOtherType))).toMatchObject({ isTrusted: true });
    await refuses('', { ...ofOtherType, ...(await byStranger()) }, 'untrusted_issuer');
  });

  it('VP:N6 still refuses a chain that does not hold', async () => {
    const expired = await issueBelow([stranger], { notAfter: new Date(Date.now() - 60_000) });
    await refuses('', issuedBy(expired), 'certificate_expired');
  });
});

describe('two authorities that are trusted for the same type', () => {
  beforeAll(() => trust({ policy: 'enforce' }, [TYPE], [stranger]), 60_000);

  it('VP:J20 cannot pass for one another in trusted_authorities', async () => {
    const authorityKeyIdentifier = keyIdentifier(bench.pki.root.privateKey);
    const values = [authorityKeyIdentifier.toString('base64url')];
    const asking = { query: { trusted_authorities: [{ type: 'aki', values }] } };
    const liar = issuedBy(await issueBelow([stranger], { authorityKeyIdentifier }));
    expect(await credentialOf(await bench.attempt(liar))).toMatchObject({ isTrusted: true });
    await refuses('', { ...liar, ...asking }, 'authority_not_trusted');
    expect(await credentialOf(await bench.attempt(asking))).toMatchObject({ isTrusted: true });
  });
});

describe('the policy enforce with the binding san', () => {
  beforeAll(() => trust({ policy: 'enforce', issuerBinding: { policy: 'san' } }), 60_000);

  it('VP:A9 VP:D7 refuses an issuer without an anchor', async () => {
    await refuses('', await byStranger(), 'untrusted_issuer');
  });

  it.each([
    ['the host of a dNSName', ISSUER],
    ['the host of a dNSName, with a path', `${ISSUER}/tenant/1`],
    ['nobody', undefined],
  ])('VP:D8 takes iss that names %s', async (_what, iss) => {
    expect(await credentialOf(await bench.attempt(claims({ iss })))).toMatchObject({ isTrusted: true });
  });

  it.each([
    'https://other.example',
    'https://issuer.example.other.example',
    'https://sub.issuer.example',
    'issuer.example',
  ])('VP:D8 VP:T22 refuses iss %s, which the certificate does not name', (iss) =>
    refuses('', claims({ iss }), 'issuer_not_bound'),
  );
});

describe('the policy report with the binding allowlist', () => {
  beforeAll(() => trust({ policy: 'report', issuerBinding: { policy: 'allowlist', issuers: [ISSUER] } }), 60_000);

  it('VP:D7 reports an issuer without an anchor as not trusted', async () => {
    expect(await credentialOf(await bench.attempt(await byStranger()))).toMatchObject({ isTrusted: false });
    expect(await credentialOf(await bench.attempt())).toMatchObject({ isTrusted: true });
  });

  it('VP:D8 refuses an iss that is not on the list', async () => {
    await refuses('', claims({ iss: `${ISSUER}/` }), 'issuer_not_bound');
  });
});

describe('types whose issuers are older than the type header dc+sd-jwt', () => {
  beforeAll(() => trust({ policy: 'enforce', legacyTypes: [TYPE] }), 60_000);

  it.each(['vc+sd-jwt', 'dc+sd-jwt'])('VP:D14 takes typ %s of a listed type', async (typ) => {
    expect(await credentialOf(await bench.attempt(header({ typ })))).toMatchObject({ isTrusted: true });
  });

  it.each<readonly [string, () => Attempt | Promise<Attempt>, string]>([
    ['another typ', () => header({ typ: 'jwt' }), 'type_header_wrong'],
    ['a type that is not listed', () => ({ ...ofOtherType, credential: legacy }), 'type_header_wrong'],
    ['an issuer without an anchor', async () => ({ ...(await byStranger()), afterwards: legacy }), 'untrusted_issuer'],
  ])('VP:D14 still refuses %s', async (what, make, code) => refuses(what, await make(), code));
});

it('VP:J5 types stay types under each policy: the requested one only', async () => {
  await refuses('', { query: { meta: { vct_values: [TYPE.toUpperCase()] } } }, 'vct_not_requested');
});

it('made one callback for each', () => bench.expectOneCallbackEach());
