import { keyIdentifier } from '@vestibule/dev-pki';
import { parseSdJwtVc } from '@vestibule/sd-jwt-vc';
import type { TrustPolicy } from '@vestibule/x509-trust';
import { issuerKeyOf, trustedIssuerOf, verifyPresentation, verifyVpToken, type IssuerTrust } from './index';
import {
  anchorOf,
  createStage,
  expectationOf,
  expectFailure,
  failsWith,
  failureOf,
  issue,
  ISSUER,
  NOW,
  pidQuery,
  present,
  queryOf,
  trustOf,
  VCT,
  type Stage,
  type TrustOptions,
} from './testing/presentation.fixture-spec';

let stage: Stage;
/** Everything in order, but from an authority that nobody configured. */
let unanchored: string;
beforeAll(async () => {
  stage = await createStage();
  const leaf = await stage.foreignRoot.issue({ name: 'Issuer', dnsNames: ['issuer.example'] });
  unanchored = await present(stage, { issuerKey: leaf.privateKey, x5c: [leaf.certificate] });
});

const rootFor = (vcts: readonly string[]) => [anchorOf(stage.pki.root.certificate, { vcts })];
function isTrusted(text: string, options: TrustOptions) {
  const { trust } = verifyPresentation('pid', text, [], expectationOf(stage, { trust: trustOf(stage, options) }));
  return trust.supported && trust.trusted;
}
const expectRefused = (text: string, code: string, trust: TrustOptions, check = 'issuer_trust') =>
  expectFailure(stage, text, [check, code], { trust: trustOf(stage, trust) });
const CHAIN = 'issuer_certificate_chain';

describe('the trust policy', () => {
  it.each(['auto', 'enforce'] as TrustPolicy[])(
    'VP:A9 VP:N5 %s refuses an unanchored chain where the type has an anchor',
    (policy) => expectRefused(unanchored, 'untrusted_issuer', { policy }, CHAIN),
  );

  it('VP:D7 auto reports an unanchored chain where the type has no anchor', () => {
    expect(isTrusted(unanchored, { anchors: [] })).toBe(false);
    expect(isTrusted(unanchored, { anchors: rootFor(['urn:example:other']) })).toBe(false);
  });

  it('VP:A9 enforce refuses everything where no anchor is configured', () =>
    expectRefused(unanchored, 'untrusted_issuer', { policy: 'enforce', anchors: [] }, CHAIN));

  it('VP:D7 report reports an unanchored chain and trusts an anchored one', async () => {
    expect(isTrusted(unanchored, { policy: 'report' })).toBe(false);
    expect(isTrusted(await present(stage), { policy: 'report' })).toBe(true);
  });

  it('VP:N12 VP:Q3 an anchor for one type vouches for no other', async () => {
    const ticket = await present(stage, { vct: 'urn:example:ticket:1' });
    const anchors = [...rootFor([VCT]), anchorOf(stage.foreignRoot.certificate, { vcts: ['urn:example:ticket:1'] })];
    expectRefused(ticket, 'untrusted_issuer', { anchors });
    expect(isTrusted(await present(stage), { anchors })).toBe(true);
  });

  it('VP:N12 VP:Q3 an intermediate that is an anchor for one type vouches for no other, with its own key either', async () => {
    const { root } = stage.pki;
    const keyUsages = ['keyCertSign', 'digitalSignature'] as const;
    const { certificate, privateKey, issue: certify } = await root.issueAuthority({ name: 'Tickets', keyUsages });
    const anchors = [anchorOf(root.certificate), anchorOf(certificate, { vcts: ['urn:example:ticket:1'] })];
    const leaf = await certify({ name: 'Ticket office' });
    const below = await present(stage, { issuerKey: leaf.privateKey, x5c: [leaf.certificate, certificate] });
    expectRefused(below, 'untrusted_issuer', { anchors });
    expectRefused(await present(stage, { issuerKey: privateKey, x5c: [certificate] }), 'untrusted_issuer', { anchors });
  });

  it('VP:N12 an anchor for status lists vouches for no credential', async () => {
    const anchors = [anchorOf(stage.pki.root.certificate, { purposes: ['status'] })];
    expectRefused(await present(stage), 'untrusted_issuer', { policy: 'enforce', anchors });
    expect(isTrusted(await present(stage), { anchors })).toBe(false);
  });

  it('EU:T3 while a list is unknown, an issuer outside it is left open, and every other failure stays what it is', async () => {
    const judged = (text: string, covered: IssuerTrust['covered']) => {
      const trust = { ...trustOf(stage, { anchors: [] }), covered };
      return failureOf(() => verifyPresentation('pid', text, [], expectationOf(stage, { trust })));
    };
    const known = { purposes: ['credential'] as const };
    const unknown = { ...known, missing: 'anchors' as const };
    expect(judged(unanchored, [known])).toEqual(failsWith('untrusted_issuer'));
    expect(judged(unanchored, [unknown])).toEqual(failsWith('trusted_list_unavailable'));
    const { privateKey } = stage.foreignRoot;
    const leaf = await stage.foreignRoot.issue({ name: stage.foreignRoot.name, privateKey });
    const broken = await present(stage, { issuerKey: privateKey, x5c: [leaf.certificate] });
    expect(judged(broken, [unknown])).toEqual(failsWith('leaf_self_signed'));
  });

  it('VP:N13 EU:T3 while a list is unknown, nobody is reported as untrusted either', async () => {
    const judged = (text: string, covered: IssuerTrust['covered'], anchors: TrustOptions['anchors'] = []) => {
      const trust = { ...trustOf(stage, { anchors, policy: 'report' }), covered };
      return verifyPresentation('pid', text, [], expectationOf(stage, { trust })).trust;
    };
    const known = { purposes: ['credential'] as const };
    const unknown = { ...known, missing: 'anchors' as const };
    const untrusted = { supported: true, trusted: false };
    expect(failureOf(() => judged(unanchored, [unknown]))).toEqual(failsWith('trusted_list_unavailable'));
    expect(judged(unanchored, [known])).toEqual(untrusted);
    expect(judged(unanchored, [{ ...unknown, vcts: ['urn:example:other'] }])).toEqual(untrusted);
    expect(judged(await present(stage), [unknown], rootFor([VCT]))).toEqual({ supported: true, trusted: true });
  });

  it('VP:N4 an anchor for the type must not be in x5c', async () => {
    const anchors = [anchorOf(stage.pki.intermediate.certificate, { vcts: [VCT] })];
    expectRefused(await present(stage), 'trust_anchor_in_x5c', { anchors }, CHAIN);
  });

  it('VP:N3 even report refuses a chain that does not hold together', async () => {
    const leaf = await stage.foreignRoot.issue({
      name: stage.foreignRoot.name,
      privateKey: stage.foreignRoot.privateKey,
    });
    const text = await present(stage, { issuerKey: leaf.privateKey, x5c: [leaf.certificate] });
    expectFailure(stage, text, ['issuer_certificate_chain', 'leaf_self_signed'], {
      trust: trustOf(stage, { policy: 'report', anchors: [] }),
    });
  });
});

describe('the binding of iss', () => {
  it('VP:D8 san takes an iss that the leaf names, and refuses any other', async () => {
    const binding = { policy: 'san' } as const;
    expect(isTrusted(await present(stage), { binding })).toBe(true);
    expectRefused(await present(stage, { iss: 'https://other.example' }), 'issuer_not_bound', { binding });
  });

  it('VP:D8 allowlist takes a listed iss, and refuses any other', async () => {
    const binding = { policy: 'allowlist', issuers: [ISSUER] } as const;
    expect(isTrusted(await present(stage), { binding })).toBe(true);
    expectRefused(await present(stage, { iss: 'https://other.example' }), 'issuer_not_bound', { binding });
  });

  it('VP:D8 the binding of an anchor stands before that of all', async () => {
    const anchors = [{ ...anchorOf(stage.pki.root.certificate), issuerBinding: { policy: 'san' } as const }];
    expect(isTrusted(await present(stage), { anchors })).toBe(true);
    expectRefused(await present(stage, { iss: 'https://other.example' }), 'issuer_not_bound', { anchors });
  });

  it('VP:D8 VP:L6 none takes any iss, and none at all', async () => {
    expect(isTrusted(await present(stage, { iss: 'https://other.example' }), {})).toBe(true);
    expect(isTrusted(await present(stage, { payload: { iss: undefined } }), {})).toBe(true);
  });
});

describe('an issuer', () => {
  it('VP:J20 brings the authority key identifiers of its whole chain', async () => {
    const sdJwt = parseSdJwtVc(await issue(stage));
    const credential = { vct: VCT, iss: ISSUER };
    const { authorityKeyIdentifiers, name, chain } = trustedIssuerOf(sdJwt, credential, trustOf(stage), NOW);
    expect(authorityKeyIdentifiers).toHaveLength(2);
    const untrusted = trustOf(stage, { policy: 'report', anchors: [] });
    expect(trustedIssuerOf(sdJwt, credential, untrusted, NOW)).toMatchObject({
      trusted: false,
      authorityKeyIdentifiers: [],
    });
    expect(name).toBe(ISSUER);
    expect(chain.anchor?.certificate.der).toEqual(stage.pki.root.certificate);
  });

  it('VP:J20 of one trusted authority does not pass for that of another, whatever its certificate says', async () => {
    const wanted = keyIdentifier(stage.pki.root.privateKey);
    const liar = await stage.foreignRoot.issue({ name: 'Issuer', authorityKeyIdentifier: wanted });
    const text = await present(stage, { issuerKey: liar.privateKey, x5c: [liar.certificate] });
    const anchors = [stage.pki.root, stage.foreignRoot].map(({ certificate }) => anchorOf(certificate));
    const authority = { type: 'aki', values: [wanted.toString('base64url')] };
    const query = queryOf({ credentials: [pidQuery({ trusted_authorities: [authority] })] });
    const verify = (pid: string) =>
      verifyVpToken({ pid: [pid] }, [], expectationOf(stage, { query, trust: trustOf(stage, { anchors }) }));
    expect(isTrusted(text, { anchors })).toBe(true);
    expect(() => verify(text)).toThrow(failsWith('authority_not_trusted'));
    expect(verify(await present(stage)).delivered).toHaveLength(1);
  });

  it('VP:N6 is judged at the time of each check, remembered or not', async () => {
    const [sdJwt, trust] = [parseSdJwtVc(await issue(stage)), trustOf(stage)];
    expect(issuerKeyOf(sdJwt, trust, NOW).type).toBe('public');
    const { notAfter } = trustedIssuerOf(sdJwt, { vct: VCT, iss: ISSUER }, trust, NOW).chain.leaf;
    const later = new Date(notAfter.getTime() + 86_400_000);
    expect(() => issuerKeyOf(sdJwt, trust, later)).toThrow(failsWith('certificate_expired'));
  });
});
