import { randomBytes } from 'node:crypto';
import { bindingClaims } from './attempts';
import { cardQuery, joinBench, type Attempt, type Bench } from './checklist-bench';
import {
  createHolder,
  decoy,
  digestOf,
  disclosureOf,
  ISSUER,
  nowSeconds,
  placeholderOf,
  type Change,
  type CredentialDraft,
  type Members,
} from './handmade-credential';
import { exchange, requestUriIn } from './handmade-wallet';

const YEAR = 31_536_000;
/** The suite's issuer has a path; its host is the one that the certificate of the bench names. */
const SUITE = `${ISSUER}/test/a/vestibule`;
const PATHS = [['given_name'], ['family_name'], ['birthdate'], ['nationalities', null], ['place_of_birth', 'locality']];

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

/** The credential of the suite's mock wallet: a PID with hidden members, a hidden element, a hidden submember, three decoys. */
const pid: Change<CredentialDraft> = () => {
  const members = [
    disclosureOf('given_name', 'Jean'),
    disclosureOf('family_name', 'Dupont'),
    disclosureOf('birthdate', '1980-05-23'),
  ];
  const [nationality, locality] = [disclosureOf('FR'), disclosureOf('locality', 'Paris')];
  return {
    payload: {
      iss: SUITE,
      iat: nowSeconds(),
      exp: nowSeconds() + 14 * 86_400,
      vct: 'urn:eudi:pid:1',
      cnf: { jwk: { ...bench.holder.jwk, kid: 'wallet-key', use: 'sig', alg: 'ES256' } },
      _sd_alg: 'sha-256',
      _sd: [...members.map((text) => digestOf(text)), decoy(), decoy(), decoy()],
      nationalities: [placeholderOf(nationality)],
      place_of_birth: { _sd: [digestOf(locality)] },
    },
    disclosures: [...members, nationality, locality],
  };
};

/** What the mock wallet does in each module: same-device, random `apu` and `apv`, `cty`, the first key and encoding. */
const moduleOf = (changes: Attempt = {}): Attempt => ({
  sameDevice: true,
  ask: {
    redirect_uri: 'https://rp.example/done',
    dcql_query: {
      credentials: [
        cardQuery({ id: 'pid', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: PATHS.map((path) => ({ path })) }),
      ],
    },
  },
  encryption: ({ header }) => ({ header: { ...header, cty: 'json' }, parties: [randomBytes(16), randomBytes(16)] }),
  vpToken: ({ show }) => ({ pid: [show({ credential: pid, ...changes })] }),
});

describe('the modules of the OpenID Foundation suite for verifiers under HAIP', () => {
  it.each<readonly [string, Attempt]>([
    ['VP:H6 VP:H7 VP:D8 oid4vp-1final-verifier-happy-flow', {}],
    ['VP:L11 oid4vp-1final-verifier-minimal-cnf-jwk', { afterwards: withMinimalKey }],
  ])('%s ends with 200 and a redirect_uri', async (_what, changes) => {
    const { http, status, codes, state } = await bench.attempt(moduleOf(changes));
    expect([http.status, status, codes]).toEqual([200, 'FULFILLED', []]);
    const { responseCode, credentials } = await bench.eventOf(state);
    expect(JSON.parse(http.text)).toEqual({
      redirect_uri: `https://rp.example/done?response_code=${String(responseCode)}`,
    });
    expect(credentials).toMatchObject({
      pid: [
        {
          issuer: SUITE,
          isTrusted: true,
          kbSignatureIsValid: true,
          claims: {
            given_name: 'Jean',
            family_name: 'Dupont',
            birthdate: '1980-05-23',
            nationalities: ['FR'],
            place_of_birth: { locality: 'Paris' },
          },
        },
      ],
    });
  });

  it('VP:B6 oid4vp-1final-verifier-request-uri-fetched-twice ends with 200 and a redirect_uri', async () => {
    const { ask } = moduleOf();
    const answer = await bench.stage.management('POST', '/oidc4vp', ask ?? {});
    const uri = String(answer.body['same_device_request_uri']);
    expect((await exchange(requestUriIn(uri))).status).toBe(200);
    const { http, status } = await bench.answer(await bench.open(uri), moduleOf());
    expect([http.status, status, Object.keys(JSON.parse(http.text) as Members)]).toEqual([
      200,
      'FULFILLED',
      ['redirect_uri'],
    ]);
  });

  it.each<readonly [string, Attempt, string]>([
    ['VP:M3 invalid-kb-jwt-signature', { binding: () => ({ key: createHolder().key }) }, 'key_binding_signature'],
    [
      'VP:K4 invalid-credential-signature',
      { afterwards: () => ({ key: createHolder().key }) },
      'issuer_signature_invalid',
    ],
    ['VP:M7 invalid-sd-hash', { binding: bindingClaims({ sd_hash: digestOf('other') }) }, 'key_binding_hash'],
    ['VP:M5 invalid-kb-jwt-nonce', { binding: bindingClaims({ nonce: 'other' }) }, 'key_binding_nonce'],
    ['VP:M4 invalid-kb-jwt-aud', { binding: bindingClaims({ aud: 'https://other.example' }) }, 'key_binding_audience'],
    ['VP:M6 kb-jwt-iat-in-past', { binding: bindingClaims(() => ({ iat: nowSeconds() - YEAR })) }, 'key_binding_time'],
    [
      'VP:M6 kb-jwt-iat-in-future',
      { binding: bindingClaims(() => ({ iat: nowSeconds() + YEAR })) },
      'key_binding_time',
    ],
  ])('%s ends with 400 and without redirect_uri', async (_what, changes, code) => {
    const { http, status, codes } = await bench.attempt(moduleOf(changes));
    expect([http.status, status, codes]).toEqual([400, 'VERIFICATION_FAILED', [code]]);
    expect(Object.keys(JSON.parse(http.text) as Members).sort()).toEqual(['error', 'error_description']);
  });

  it('made one callback for each', () => bench.expectOneCallbackEach());
});

function withMinimalKey({ payload }: CredentialDraft) {
  const { kty, crv, x, y } = bench.holder.jwk;
  return { payload: { ...payload, cnf: { jwk: { kty, crv, x, y } } } };
}
