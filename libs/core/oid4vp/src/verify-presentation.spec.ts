import { exportPublicJwk, jwkThumbprint } from '@vestibule/crypto';
import { VerificationFailure } from '@vestibule/foundation';
import { verifyPresentation, verifyVpToken } from './index';
import {
  base64,
  bind,
  CLAIMS,
  createStage,
  disclosing,
  expectationOf,
  expectFailure,
  failureOf,
  issue,
  ISSUER,
  NOW_SECONDS,
  present,
  sha256,
  STRAIGHT_PATH,
  VCT,
  type CredentialOptions,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

describe('a presentation in order', () => {
  it('passes, and its decision record has every check with its credential', async () => {
    const expected = expectationOf(stage);
    const verified = verifyVpToken({ pid: [await present(stage)] }, [], expected);
    expect(verified).toMatchObject({ presentations: [{ credentialId: 'pid' }], surplusCredentialIds: [] });
    expect(expected.checks.entries.map(({ check, outcome, credential }) => [check, outcome, credential])).toEqual([
      ['vp_token', 'passed', undefined],
      ...STRAIGHT_PATH.map((check) => [check, 'passed', 'pid']),
      ['dcql', 'passed', undefined],
    ]);
    expect(expected.checks.entries.every(({ section, code }) => section !== '' && code === undefined)).toBe(true);
  });

  it('VP:M11 VP:N13 VP:O21 gives claims, issuer, trust, holder and where the status is', async () => {
    const status = { idx: 7, uri: 'https://issuer.example/lists/1' };
    const verified = verifyPresentation('pid', await present(stage, { status }), [], expectationOf(stage));
    expect(verified).toMatchObject({
      credentialId: 'pid',
      vct: VCT,
      issuer: ISSUER,
      trust: { supported: true, trusted: true },
      status,
      holder: { keyThumbprint: jwkThumbprint(exportPublicJwk(stage.holderKey)) },
      confirmed: [],
    });
    expect(verified.deliveredClaims).toEqual({ sub: 'urn:example:subject', ...CLAIMS });
    expect(verified.holder).not.toHaveProperty('transactionDataHashes');
  });

  it('VP:O21 has no status where the credential has none', async () => {
    expect(verifyPresentation('pid', await present(stage), [], expectationOf(stage))).not.toHaveProperty('status');
  });

  it('VP:L16 may keep claims back', async () => {
    const text = bind(stage, disclosing(await issue(stage), ['given_name']));
    const { deliveredClaims } = verifyPresentation('pid', text, [], expectationOf(stage));
    expect(deliveredClaims).toEqual({ sub: 'urn:example:subject', given_name: 'Erika' });
  });

  it('VP:L6 is named by its certificate where it has no iss', async () => {
    const text = await present(stage, { payload: { iss: undefined } });
    expect(verifyPresentation('pid', text, [], expectationOf(stage)).issuer).toBe('https://issuer.example');
  });

  it('VP:N5 may be signed by a leaf directly below the anchor', async () => {
    const { privateKey, certificate } = await stage.pki.root.issue({ name: 'Issuer' });
    const text = await present(stage, { issuerKey: privateKey, x5c: [certificate] });
    expect(verifyPresentation('pid', text, [], expectationOf(stage)).trust).toEqual({ supported: true, trusted: true });
  });
});

describe('one fault in the credential', () => {
  const tamperedSignature = async () => {
    const [jws = '', ...rest] = (await issue(stage)).split('~');
    const [header, payload, signature = ''] = jws.split('.');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    return bind(stage, [[header, payload, other].join('.'), ...rest].join('~'));
  };

  it('VP:K4 fails when the signature is another one', async () =>
    expectFailure(stage, await tamperedSignature(), ['issuer_signature', 'issuer_signature_invalid']));

  it('VP:N2 VP:K6 fails when another key than the leaf’s signed', async () =>
    expectFailure(stage, await present(stage, { issuerKey: stage.strangerKey }), [
      'issuer_signature',
      'issuer_signature_invalid',
    ]));

  it('VP:K6 ignores a key in the header', async () => {
    const header = { jwk: exportPublicJwk(stage.strangerKey) };
    expectFailure(stage, await present(stage, { issuerKey: stage.strangerKey, header }), [
      'issuer_signature',
      'issuer_signature_invalid',
    ]);
  });

  it.each([
    ['VP:L1 typ JWT', { header: { typ: 'JWT' } }, 'type_header_wrong', 'sd_jwt_structure'],
    ['VP:K5 a critical header', { header: { crit: ['x'], x: 1 } }, 'issuer_critical_header', 'sd_jwt_structure'],
    ['VP:L7 VP:L8 no x5c', { header: { x5c: undefined } }, 'x5c_missing', 'issuer_certificate_chain'],
    ['VP:N1 an x5c that is base64url', { header: { x5c: ['-_-_'] } }, 'x5c_malformed', 'issuer_certificate_chain'],
    ['VP:N1 an empty x5c', { header: { x5c: [] } }, 'x5c_malformed', 'sd_jwt_structure'],
    ['VP:K7 an unknown _sd_alg', { payload: { _sd_alg: 'md5' } }, 'sd_alg_unsupported', 'sd_jwt_structure'],
    ['VP:K13 a disclosure without digest', { payload: { _sd: [] } }, 'disclosure_unreferenced', 'disclosures'],
    ['VP:L2 no vct', { payload: { vct: undefined } }, 'vct_missing', 'disclosures'],
    ['VP:L12 a status without list', { payload: { status: {} } }, 'status_malformed', 'disclosures'],
    ['VP:K19 the past', { iat: NOW_SECONDS - 9999, exp: NOW_SECONDS - 61 }, 'expired', 'validity'],
    ['VP:K19 exp 0', { payload: { exp: 0 } }, 'expired', 'validity'],
    ['VP:K19 exp as text', { payload: { exp: `${NOW_SECONDS + 9}` } }, 'claim_malformed', 'validity'],
    ['VP:K19 nbf in the future', { payload: { nbf: NOW_SECONDS + 61 } }, 'not_yet_valid', 'validity'],
    ['VP:K19 iat in the future', { iat: NOW_SECONDS + 61 }, 'issued_in_future', 'validity'],
    ['an ended licence', { payload: { adm_exp: NOW_SECONDS - 60 } }, 'administratively_expired', 'validity'],
    ['another audience', { payload: { aud: 'x509_hash:another' } }, 'audience_mismatch', 'validity'],
    ['VP:L11 no cnf', { payload: { cnf: undefined } }, 'confirmation_key_missing', 'key_binding'],
    ['VP:L11 cnf with a kid only', { payload: { cnf: { kid: 'x' } } }, 'confirmation_key_missing', 'key_binding'],
  ] as [string, CredentialOptions, string, string][])('%s fails', async (_title, credential, code, check) =>
    expectFailure(stage, await present(stage, credential), [check, code]),
  );

  it.each([
    ['an idx that is text', { idx: '1', uri: 'https://issuer.example/1' }],
    ['an idx that is negative', { idx: -1, uri: 'https://issuer.example/1' }],
    ['an idx with a fraction', { idx: 0.5, uri: 'https://issuer.example/1' }],
    ['no idx', { uri: 'https://issuer.example/1' }],
    ['a uri that is no URI', { idx: 1, uri: 'list' }],
    ['no uri', { idx: 1 }],
  ])('VP:O2 a status reference with %s fails', async (_title, reference) => {
    const payload = { status: { status_list: reference } };
    expectFailure(stage, await present(stage, { payload }), ['status_reference', 'status_reference_malformed']);
  });

  it('VP:K1 no SD-JWT at all fails', () => expectFailure(stage, 'nonsense', ['sd_jwt_structure', 'sd_jwt_malformed']));

  it('VP:L3 cnf in a disclosure fails', async () => {
    const encoded = Buffer.from(JSON.stringify(['salt', 'cnf', {}])).toString('base64url');
    const [jws = ''] = (await issue(stage, { payload: { cnf: undefined, _sd: [sha256(encoded)] } })).split('~');
    expectFailure(stage, bind(stage, `${jws}~${encoded}~`), ['disclosures', 'registered_claim_disclosed']);
  });
});

it('VP:Q7 no failure repeats what the presentation holds', async () => {
  const canary = 'canary-value';
  const claims = { [canary]: canary };
  const texts = [
    await present(stage, { claims, payload: { exp: canary } }),
    await present(stage, { claims, payload: { status: { status_list: { idx: canary, uri: canary } } } }),
    await present(stage, { claims }, { claims: { nonce: canary, aud: canary } }),
    await present(stage, { claims, iss: canary, header: { typ: canary } }),
    await present(stage, { claims, header: { x5c: [base64(Buffer.from(canary))] } }),
  ];
  for (const text of texts) {
    const expected = expectationOf(stage);
    const error = failureOf(() => verifyPresentation('pid', text, [], expected)) as Error;
    expect(error).toBeInstanceOf(VerificationFailure);
    expect(JSON.stringify([error, error.message, expected.checks.entries])).not.toContain(canary);
  }
});
