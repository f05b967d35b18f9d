import { createPublicKey, type KeyObject } from 'node:crypto';
import { exportPublicJwk, parseCompactJws, signCompactJws } from '@vestibule/crypto';
import type { JsonValue } from '@vestibule/foundation';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { TrustPolicy } from '@vestibule/x509-trust';
import {
  authoriseStatusSigner,
  neededIssuerMetadata,
  verifyPresentation,
  verifyVpToken,
  type MetadataIssuer,
  type PresentationExpectation,
} from './index';
import {
  createStage,
  expectationOf,
  failsWith,
  failureOf,
  ISSUER,
  NOW,
  pidQuery,
  PID,
  present,
  queryOf,
  trustOf,
  VCT,
  type CredentialOptions,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

const keyOf = (key: KeyObject, kid = 'k1'): IssuerKey => ({ kid, jwk: exportPublicJwk(createPublicKey(key)) });
const uncertified = (more: CredentialOptions = {}): CredentialOptions => ({
  ...more,
  header: { x5c: undefined, kid: 'k1', ...more.header },
});

/** Expects credentials of the listed issuers to be signed with the published keys of the ordinary issuer. */
function expecting(
  issuers: readonly MetadataIssuer[] = [{ issuer: ISSUER }],
  more: Partial<PresentationExpectation> = {},
) {
  const publishedKeys = new Map([[ISSUER, [keyOf(stage.pki.issuer.privateKey)]]]);
  const trust = trustOf(stage, { metadataIssuers: issuers });
  return expectationOf(stage, { trust, publishedKeys, ...more });
}

function expectRefused(text: string, expected: PresentationExpectation, [check, code]: readonly [string, string]) {
  expect(failureOf(() => verifyPresentation('pid', text, [], expected))).toEqual(failsWith(code));
  expect(expected.checks.entries.at(-1)).toMatchObject({ check, code, outcome: 'failed' });
}

describe('a credential of an issuer that is known by its metadata', () => {
  it('VP:L9 is verified with the key that its kid names, and no anchor vouches for it', async () => {
    const expected = expecting();
    const verified = verifyPresentation('pid', await present(stage, uncertified()), [], expected);
    expect(verified).toMatchObject({ issuer: ISSUER, trust: { supported: false }, authorityKeyIdentifiers: [] });
    expect(verified.signedBy).toMatchObject({ method: 'metadata', name: ISSUER });
    expect(expected.checks.entries.map(({ check }) => check)).toContain('issuer_metadata');
  });

  it('VP:L9 is refused with the signature of another key', async () => {
    const text = await present(stage, uncertified({ issuerKey: stage.strangerKey }));
    expectRefused(text, expecting(), ['issuer_signature', 'issuer_signature_invalid']);
  });

  it('VP:L10 is refused where its kid names no published key, or no keys are at hand', async () => {
    const text = await present(stage, uncertified({ header: { kid: 'k2' } }));
    expectRefused(text, expecting(), ['issuer_metadata', 'issuer_key_not_found']);
    const expected = expecting(undefined, { publishedKeys: new Map() });
    expectRefused(await present(stage, uncertified()), expected, ['issuer_metadata', 'issuer_key_not_found']);
  });

  it('VP:L8 cannot choose a certificate instead, not even one under an anchor', async () => {
    expectRefused(await present(stage), expecting(), ['issuer_metadata', 'issuer_method_not_allowed']);
  });

  it('VP:L8 cannot be named by a certificate alone either', async () => {
    const text = await present(stage, { payload: { iss: undefined } });
    expectRefused(text, expecting(), ['issuer_trust', 'issuer_method_not_allowed']);
    expect(verifyPresentation('pid', text, [], expecting([])).issuer).toBe(ISSUER);
  });

  it('VP:L8 leaves the certificates of other issuers as they are', async () => {
    const expected = expecting([{ issuer: 'https://other.example' }]);
    const verified = verifyPresentation('pid', await present(stage), [], expected);
    expect(verified.signedBy).toMatchObject({ method: 'certificate', trusted: true, name: ISSUER });
  });

  it('VP:L8 cannot choose metadata where its issuer is not on the list, whatever keys are at hand', async () => {
    const refused = ['issuer_certificate_chain', 'x5c_missing'] as const;
    const text = await present(stage, uncertified());
    expectRefused(text, expecting([]), refused);
    expectRefused(text, expecting([{ issuer: `${ISSUER}/` }]), refused);
    expectRefused(await present(stage, uncertified({ payload: { iss: undefined } })), expecting(), refused);
  });

  it('VP:N12 is refused where the issuer is listed for other types', async () => {
    const text = await present(stage, uncertified());
    const refused = ['issuer_trust', 'issuer_type_not_allowed'] as const;
    expectRefused(text, expecting([{ issuer: ISSUER, vcts: ['urn:example:ticket:1'] }]), refused);
    const { trust } = verifyPresentation('pid', text, [], expecting([{ issuer: ISSUER, vcts: [VCT] }]));
    expect(trust).toEqual({ supported: false });
  });

  it('VP:J20 belongs to no authority that the query may name', async () => {
    const query = queryOf({ credentials: [pidQuery({ trusted_authorities: [{ type: 'aki', values: ['AAEC'] }] })] });
    const text = await present(stage, uncertified());
    const failure = failureOf(() => verifyVpToken({ pid: [text] }, [], expecting(undefined, { query })));
    expect(failure).toEqual(failsWith('authority_not_trusted'));
  });
});

describe('a type whose issuers are known by their metadata', () => {
  const trusting = (metadataIssuers: readonly MetadataIssuer[], policy: TrustPolicy = 'auto') =>
    expectationOf(stage, { trust: trustOf(stage, { anchors: [], policy, metadataIssuers }) });
  /** In order, but certified by an authority that nobody configured. */
  const strangers = async (iss: string | undefined) => {
    const { certificate, privateKey } = await stage.foreignRoot.issue({ name: 'Stranger' });
    return present(stage, { payload: { iss }, issuerKey: privateKey, x5c: [certificate] });
  };
  const isTrusted = (text: string, expected: PresentationExpectation) => {
    const { trust } = verifyPresentation('pid', text, [], expected);
    return trust.supported && trust.trusted;
  };

  it.each(['https://stranger.example', `${ISSUER}/`, undefined])(
    'VP:D7 VP:L8 VP:Q3 is not for an issuer with any certificate: %s',
    async (iss) => {
      const text = await strangers(iss);
      const refused = ['issuer_certificate_chain', 'untrusted_issuer'] as const;
      expectRefused(text, trusting([{ issuer: ISSUER, vcts: [VCT] }]), refused);
      expectRefused(text, trusting([{ issuer: ISSUER }]), refused);
    },
  );

  it('VP:D7 says nothing about other types, nor where the policy reports', async () => {
    const text = await strangers('https://stranger.example');
    expect(isTrusted(text, trusting([{ issuer: ISSUER, vcts: ['urn:example:ticket:1'] }]))).toBe(false);
    expect(isTrusted(text, trusting([{ issuer: ISSUER, vcts: [VCT] }], 'report'))).toBe(false);
    expect(isTrusted(text, trusting([]))).toBe(false);
  });
});

describe('the metadata that an answer needs', () => {
  const needed = (vpToken: JsonValue, issuers: readonly MetadataIssuer[] = [{ issuer: ISSUER }]) =>
    neededIssuerMetadata(vpToken, PID, trustOf(stage, { metadataIssuers: issuers }));

  it('VP:L9 is that of a listed issuer of a credential without x5c', async () => {
    expect(needed({ pid: [await present(stage, uncertified())] })).toEqual([{ issuer: ISSUER, kids: ['k1'] }]);
  });

  it('VP:L9 is named once, with each key that its credentials name', async () => {
    const [text, other, nameless] = [
      await present(stage, uncertified()),
      await present(stage, uncertified({ header: { kid: 'k2' } })),
      await present(stage, uncertified({ header: { kid: undefined } })),
    ];
    const query = queryOf({ credentials: [pidQuery({ multiple: true })] });
    const trust = trustOf(stage, { metadataIssuers: [{ issuer: ISSUER }] });
    const needed = neededIssuerMetadata({ pid: [nameless, text, other, text] }, query, trust);
    expect(needed).toEqual([{ issuer: ISSUER, kids: ['k1', 'k2'] }]);
  });

  it('VP:L8 VP:Q5 is none where the issuer is not on the list', async () => {
    const iss = 'https://169.254.169.254/latest';
    expect(needed({ pid: [await present(stage, uncertified({ iss }))] })).toEqual([]);
    expect(needed({ pid: [await present(stage, uncertified())] }, [])).toEqual([]);
  });

  it('VP:L8 is none for a credential with x5c', async () => {
    expect(needed({ pid: [await present(stage)] })).toEqual([]);
  });

  it('VP:Q5 is none for an answer that cannot be parsed', async () => {
    const text = await present(stage, uncertified());
    expect(needed({ pid: [`${text}.x`] })).toEqual([]);
    expect(needed({ other: [text] })).toEqual([]);
    expect(needed('text')).toEqual([]);
  });
});

describe('the status list of an issuer that is known by its metadata', () => {
  it('VP:O6 is signed with one of its published keys, whatever certificates are with it', async () => {
    const { signedBy, vct } = verifyPresentation('pid', await present(stage, uncertified()), [], expecting());
    const headerWith = (kid: string) =>
      parseCompactJws(signCompactJws({ kid, x5c: ['AAAA'] }, {}, stage.pki.issuer.privateKey)).header;
    const authorise = (kid: string) => authoriseStatusSigner(headerWith(kid), { signedBy, vct }, trustOf(stage), NOW);
    expect(() => authorise('k1')).not.toThrow();
    expect(() => authorise('k2')).toThrow(failsWith('issuer_key_not_found'));
  });
});
