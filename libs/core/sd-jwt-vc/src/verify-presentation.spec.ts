import { parseSdJwtVc } from './index';
import { verifySdJwtVc, type HolderBinding, type VerificationPolicy } from './testing/verify-sd-jwt-vc.fixture-spec';
import {
  bind,
  build,
  disclose,
  expectation,
  failsWith,
  issuer,
  NOW,
  NOW_SECONDS,
  stranger,
} from './testing/sd-jwt-builder.fixture-spec';

const name = disclose('given_name', 'Ada');
const sdJwt = build({ payload: { _sd: [name.digest] }, disclosures: [name] });
const required: HolderBinding = { mode: 'required', expected: expectation };
const notRequired: HolderBinding = { mode: 'notRequired' };
const policy = { issuerKey: issuer.publicKey, now: NOW, skewSeconds: 60, requireExpiry: false };

const verify = (text: string, changes: Partial<VerificationPolicy>) =>
  verifySdJwtVc(parseSdJwtVc(text), { ...policy, holderBinding: required, ...changes });

describe('a presented credential', () => {
  it('holds when everything in it does', () => {
    const verified = verify(bind(sdJwt), {});
    expect(verified).toMatchObject({ vct: 'urn:example:pid:1', claims: { given_name: 'Ada' } });
    expect(verified.keyBinding?.thumbprint).toHaveLength(43);
    expect(verified.validUntil).toEqual(new Date(NOW.getTime() + 86_400_000));
  });

  it('is judged by its signature first', () => {
    const expired = build({ payload: { exp: 1, vct: undefined }, key: stranger.privateKey });
    expect(() => verify(expired, {})).toThrow(failsWith('issuer_signature_invalid'));
  });

  it.each<[object, Partial<VerificationPolicy>, string]>([
    [{ vct: undefined }, {}, 'vct_missing'],
    [{ exp: NOW_SECONDS - 61 }, {}, 'expired'],
    [{ exp: undefined }, { requireExpiry: true }, 'expiry_missing'],
  ])('is refused with %j under %j', (payload, changes, code) => {
    expect(() => verify(bind(build({ payload })), changes)).toThrow(failsWith(code));
  });
});

describe('VP:J17 holder binding is decided by the query', () => {
  it('a bare credential is refused where binding is required (sd:neg-kb-missing)', () => {
    expect(() => verify(sdJwt, {})).toThrow(failsWith('key_binding_missing'));
    const unbound = build({ payload: { cnf: undefined } });
    expect(() => verify(unbound, {})).toThrow(failsWith('key_binding_missing'));
  });

  it('a proof for a credential without a key is refused (sd:neg-cnf-missing)', () => {
    expect(() => verify(bind(build({ payload: { cnf: undefined } })), {})).toThrow(
      failsWith('confirmation_key_missing'),
    );
  });

  it('a proof for another request is refused', () => {
    expect(() => verify(bind(sdJwt, { claims: { nonce: 'old' } }), {})).toThrow(failsWith('key_binding_nonce'));
  });
});

describe('VP:J18 where holder binding is not required', () => {
  const unbound = (text: string) => verify(text, { holderBinding: notRequired }).keyBinding;

  it('a credential without a proof is accepted (sd:nkb-without-kb)', () => {
    expect(unbound(sdJwt)).toBeUndefined();
  });

  it('a credential without a key is accepted (sd:nkb-without-cnf)', () => {
    expect(unbound(build({ payload: { cnf: undefined } }))).toBeUndefined();
    expect(unbound(build({ payload: { cnf: { kid: '1' } } }))).toBeUndefined();
  });

  it('the credential itself is still verified (sd:nkb-neg-issuer-sig)', () => {
    const forged = build({ key: stranger.privateKey });
    expect(() => verify(forged, { holderBinding: notRequired })).toThrow(failsWith('issuer_signature_invalid'));
  });
});
