import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { verifyPresentation, verifyVpToken, type PresentationExpectation } from './index';
import {
  base64,
  bind,
  createStage,
  disclosing,
  expectationOf,
  failsWith,
  issue,
  pidQuery,
  present,
  queryOf,
  SUBJECT,
  VCT,
  type BindingOptions,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

const asking = (...credentials: JsonObject[]) => queryOf({ credentials });
const verify = (vpToken: JsonValue, more: Partial<PresentationExpectation> = {}) =>
  verifyVpToken(vpToken, [], expectationOf(stage, more)).presentations;

/** The answer fails, and the record ends with the check and the code. */
function expectFailure(
  vpToken: JsonValue,
  [check, code]: readonly [string, string],
  more: Partial<PresentationExpectation> = {},
): void {
  const expected = expectationOf(stage, more);
  expect(() => verifyVpToken(vpToken, [], expected)).toThrow(failsWith(code));
  expect(expected.checks.entries.at(-1)).toMatchObject({ check, outcome: 'failed', code });
  expect(expected.checks.entries.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The credential with n - s for s: whoever has a signature has this one too. */
function otherSignature(credential: string): string {
  const [jwt = '', ...rest] = credential.split('~');
  const [header, payload, signature = ''] = jwt.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const s = (ORDER - BigInt(`0x${bytes.toString('hex', 32)}`)).toString(16).padStart(64, '0');
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, 'hex')]).toString('base64url');
  return [`${header}.${payload}.${other}`, ...rest].join('~');
}

describe('the shape of a vp_token', () => {
  it.each([
    ['VP:I2 text', '{}', 'vp_token_malformed'],
    ['VP:I2 a list', [], 'vp_token_malformed'],
    ['VP:J1 an id that was not asked for', { other: ['x'] }, 'credential_not_requested'],
    ['VP:J1 an inherited name', { toString: ['x'] }, 'credential_not_requested'],
    ['VP:J2 a presentation without a list', { pid: 'x' }, 'presentations_malformed'],
    ['VP:J2 an empty list', { pid: [] }, 'presentations_malformed'],
    ['VP:J3 two where one was asked for', { pid: ['x', 'y'] }, 'too_many_presentations'],
    ['VP:J4 an object in the list', { pid: [{}] }, 'presentation_malformed'],
  ] as [string, JsonValue, string][])('%s fails before any presentation is looked at', (_title, vpToken, code) => {
    expectFailure(vpToken, ['vp_token', code]);
  });

  it('VP:G10 more presentations than a limit fail before any of them is looked at', () => {
    const query = asking(pidQuery({ multiple: true }));
    expectFailure({ pid: Array.from({ length: 65 }, () => 'x') }, ['vp_token', 'too_many_presentations'], { query });
  });
});

describe('several presentations', () => {
  const both = asking(pidQuery(), pidQuery({ id: 'ticket', meta: { vct_values: ['urn:example:ticket:1'] } }));
  const ticket = () => present(stage, { vct: 'urn:example:ticket:1' });

  it('VP:J13 pass for all credentials of the query, in the order received', async () => {
    const verified = verify({ ticket: [await ticket()], pid: [await present(stage)] }, { query: both });
    expect(verified.map(({ credentialId, vct }) => [credentialId, vct])).toEqual([
      ['ticket', 'urn:example:ticket:1'],
      ['pid', VCT],
    ]);
  });

  it('VP:J3 pass for one credential query with multiple', async () => {
    const second = await present(stage, { claims: { given_name: 'Max' } });
    const verified = verify({ pid: [await present(stage), second] }, { query: asking(pidQuery({ multiple: true })) });
    expect(verified.map(({ claims }) => claims['given_name'])).toEqual(['Erika', 'Max']);
  });

  it('VP:D11 VP:M10 fail as a whole when the last one is bad, and the record names it', async () => {
    const bad = await present(stage, { vct: 'urn:example:ticket:1' }, { claims: { nonce: 'old' } });
    const expected = expectationOf(stage, { query: both });
    const step = async () => verifyVpToken({ pid: [await present(stage)], ticket: [bad] }, [], expected);
    await expect(step()).rejects.toEqual(failsWith('key_binding_nonce'));
    expect(expected.checks.entries.at(-1)).toMatchObject({ credential: 'ticket', code: 'key_binding_nonce' });
  });

  it('VP:D11 fail as a whole when one of a multiple is bad', async () => {
    const query = asking(pidQuery({ multiple: true }));
    const vpToken = { pid: [await present(stage), await issue(stage)] };
    expectFailure(vpToken, ['key_binding', 'key_binding_missing'], { query });
  });

  describe('VP:J3 VP:J22 of one query with multiple', () => {
    const many = asking(
      Object.fromEntries(Object.entries(pidQuery({ multiple: true })).filter(([name]) => name !== 'claims')),
    );

    it('are refused when one is there twice as it is', async () => {
      const text = await present(stage);
      expectFailure({ pid: [text, text] }, ['dcql', 'presentation_repeated'], { query: many });
    });

    it.each<readonly [string, (credential: string) => string]>([
      ['with another key binding', (credential) => bind(stage, credential, { claims: { jti: 'other' } })],
      ['with other disclosures', (credential) => bind(stage, disclosing(credential, ['given_name']))],
      ['with no disclosure', (credential) => bind(stage, disclosing(credential, []))],
    ])('are refused when one credential is there twice, %s', async (_what, again) => {
      const credential = await issue(stage);
      const vpToken = { pid: [bind(stage, credential), again(credential)] };
      expectFailure(vpToken, ['dcql', 'presentation_repeated'], { query: many });
    });

    it('are refused when one is there twice, the second time with the other signature that verifies', async () => {
      const credential = await issue(stage);
      const vpToken = { pid: [bind(stage, credential), bind(stage, otherSignature(credential))] };
      expectFailure(vpToken, ['dcql', 'presentation_repeated'], { query: many });
    });

    it('pass when the same claims were issued twice', async () => {
      expect(verify({ pid: [await present(stage), await present(stage)] }, { query: many })).toHaveLength(2);
    });
  });

  it('VP:J22 may be the same text under two ids', async () => {
    const text = await present(stage);
    const query = asking(pidQuery(), pidQuery({ id: 'again' }));
    expect(verify({ pid: [text], again: [text] }, { query })).toHaveLength(2);
  });
});

describe('holder binding', () => {
  const unbound = asking(pidQuery({ require_cryptographic_holder_binding: false }));

  it('VP:J18 VP:J19 is neither needed nor reported where the query does not demand it (sd:nkb-with-kb)', async () => {
    for (const [text, checked] of [
      [await issue(stage), 0],
      [await present(stage), 1],
    ] as const) {
      const expected = expectationOf(stage, { query: unbound });
      const [verified] = verifyVpToken({ pid: [text] }, [], expected).presentations;
      expect(verified).not.toHaveProperty('holder');
      expect(verified?.confirmed).toEqual([]);
      expect(expected.checks.entries.filter(({ check }) => check === 'key_binding')).toHaveLength(checked);
    }
  });

  it.each<readonly [string, BindingOptions, string]>([
    ['is for another request', { claims: { nonce: 'old' } }, 'key_binding_nonce'],
    ['is for another verifier', { claims: { aud: 'x509_hash:other' } }, 'key_binding_audience'],
    ['is for another presentation', { claims: { sd_hash: 'AAAA' } }, 'key_binding_hash'],
    ['is older than the request', { claims: { iat: 1 } }, 'key_binding_time'],
    ['is none', { header: { typ: 'JWT' } }, 'key_binding_type'],
    [
      'confirms what nobody asked for',
      { claims: { transaction_data_hashes: ['AAAA'] } },
      'transaction_data_unexpected',
    ],
  ])(
    'VP:J18 VP:M10 that was not demanded and %s fails all the same (sd:nkb-with-bad-kb)',
    async (_what, binding, code) => {
      const text = await present(stage, {}, binding);
      expectFailure({ pid: [text] }, ['key_binding', code], { query: unbound });
    },
  );

  it('VP:J18 VP:M3 that was not demanded is not taken from a stranger, nor without a key to verify it', async () => {
    const strange = await present(stage, {}, { key: stage.strangerKey });
    expectFailure({ pid: [strange] }, ['key_binding', 'key_binding_signature'], { query: unbound });
    const keyless = await present(stage, { payload: { cnf: undefined } });
    expectFailure({ pid: [keyless] }, ['key_binding', 'confirmation_key_missing'], { query: unbound });
  });

  it('VP:J18 a credential without cnf passes where the query does not demand it', async () => {
    const text = await issue(stage, { payload: { cnf: undefined } });
    expect(verify({ pid: [text] }, { query: unbound })).toHaveLength(1);
  });

  it('VP:J17 is decided for each credential by its own query', async () => {
    const query = asking(pidQuery(), pidQuery({ id: 'loose', require_cryptographic_holder_binding: false }));
    const bare = await issue(stage);
    expect(verify({ pid: [await present(stage)], loose: [bare] }, { query })).toHaveLength(2);
    expectFailure({ pid: [bare], loose: [bare] }, ['key_binding', 'key_binding_missing'], { query });
  });

  it('VP:J18 frees from no other check', async () => {
    const text = await issue(stage, { issuerKey: stage.strangerKey });
    expectFailure({ pid: [text] }, ['issuer_signature', 'issuer_signature_invalid'], { query: unbound });
  });

  it('VP:J17 is demanded of an id that the query does not have', async () => {
    const expected = expectationOf(stage, { query: unbound });
    const bare = await issue(stage);
    expect(() => verifyPresentation('unknown', bare, [], expected)).toThrow(failsWith('key_binding_missing'));
  });
});

describe('the query', () => {
  const ask = (more: JsonObject) => asking(pidQuery(more));

  it('VP:J5 refuses another type (sd:neg-vct-not-requested)', async () =>
    expectFailure({ pid: [await present(stage, { vct: 'urn:example:other:1' })] }, ['dcql', 'vct_not_requested']));

  it('VP:J5 compares types by case (sd:neg-vct-case)', async () =>
    expectFailure({ pid: [await present(stage, { vct: VCT.toUpperCase() })] }, ['dcql', 'vct_not_requested']));

  it('VP:J7 refuses a credential that keeps a requested claim back (m:m-claim-missing)', async () => {
    const text = bind(stage, disclosing(await issue(stage), ['age']));
    expectFailure({ pid: [text] }, ['dcql', 'claim_missing']);
  });

  it('VP:J11 refuses a value that was not asked for, and 44 is not "44"', async () => {
    const vpToken = { pid: [await present(stage)] };
    const query = ask({ claims: [{ path: ['age'], values: ['44'] }] });
    expectFailure(vpToken, ['dcql', 'claim_value_not_accepted'], { query });
    expect(verify(vpToken, { query: ask({ claims: [{ path: ['age'], values: [44] }] }) })).toHaveLength(1);
  });

  it('VP:J10 refuses halves of two claim sets', async () => {
    const claims = ['given_name', 'age', 'address', 'sub'].map((name) => ({ id: name, path: [name] }));
    const query = ask({
      claims: [...claims, { id: 'no', path: ['no'] }],
      claim_sets: [
        ['given_name', 'no'],
        ['no', 'age'],
      ],
    });
    expectFailure({ pid: [await present(stage)] }, ['dcql', 'claim_set_unsatisfied'], { query });
  });

  it('VP:D13 VP:T9 counts elements as they were issued', async () => {
    const query = ask({ claims: [{ path: ['nationalities', 1], values: ['FR'] }] });
    expect(verify({ pid: [await present(stage)] }, { query })).toHaveLength(1);
  });

  it('VP:J20 refuses another authority, and takes one of the chain (m:m-aki-mismatch)', async () => {
    const vpToken = { pid: [await present(stage)] };
    const [verified] = verify(vpToken);
    const [leafAuthority = ''] = verified?.authorityKeyIdentifiers ?? [];
    const trusting = (...values: string[]) => ask({ trusted_authorities: [{ type: 'aki', values }] });
    expect(verify(vpToken, { query: trusting('AAAA', leafAuthority) })).toHaveLength(1);
    expectFailure(vpToken, ['dcql', 'authority_not_trusted'], { query: trusting('AAAA') });
  });

  it('VP:J13 refuses an answer that lacks a credential (m:m-id-missing)', async () => {
    const query = asking(pidQuery(), pidQuery({ id: 'second' }));
    expectFailure({ pid: [await present(stage)] }, ['dcql', 'credential_missing'], { query });
    expectFailure({}, ['dcql', 'credential_missing']);
  });

  const sets = (credential_sets: JsonObject[]) =>
    queryOf({ credentials: [pidQuery(), pidQuery({ id: 'second' })], credential_sets: credential_sets as never });

  it('VP:J14 needs one whole option of each required set', async () => {
    const vpToken = { pid: [await present(stage)] };
    expect(verify(vpToken, { query: sets([{ options: [['second'], ['pid']] }]) })).toHaveLength(1);
    const query = sets([{ options: [['pid', 'second']] }]);
    expectFailure(vpToken, ['dcql', 'credential_set_unsatisfied'], { query });
  });

  it('VP:J15 is satisfied by nothing where all sets are optional', () => {
    expect(verify({}, { query: sets([{ options: [['pid'], ['second']], required: false }]) })).toEqual([]);
  });

  it('VP:J16 takes surplus claims and a surplus credential, when they are as good as the others', async () => {
    const query = sets([{ options: [['pid']] }]);
    const text = await present(stage);
    const expected = expectationOf(stage, { query });
    const answer = verifyVpToken({ pid: [text], second: [text] }, [], expected);
    expect(answer.presentations.map(({ credentialId }) => credentialId)).toEqual(['pid', 'second']);
    expect(answer.surplusCredentialIds).toEqual(['second']);
    expect(answer.delivered.map(({ credentialId }) => credentialId)).toEqual(['pid']);
    expect(answer.delivered[0]?.deliveredClaims).toEqual({ sub: SUBJECT, given_name: 'Erika' });
    expectFailure({ pid: [text], second: [await issue(stage)] }, ['key_binding', 'key_binding_missing'], { query });
    const other = await present(stage, { vct: 'urn:example:other:1' });
    expectFailure({ pid: [text], second: [other] }, ['dcql', 'vct_not_requested'], { query });
  });
});

it('VP:K6 the key of another credential’s certificate verifies nothing', async () => {
  const leaf = await stage.pki.intermediate.issue({ name: 'Another issuer' });
  const text = await present(stage, {
    header: { x5c: [leaf.certificate, stage.pki.intermediate.certificate].map(base64) },
  });
  expectFailure({ pid: [text] }, ['issuer_signature', 'issuer_signature_invalid']);
});
