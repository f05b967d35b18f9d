import { bindingClaims, bindingHeader, refusing, type FaultRow } from './attempts';
import { cardQuery, joinBench, type Attempt, type Bench, type Shown } from './checklist-bench';
import {
  createHolder,
  derSignature,
  digestOf,
  disclosureOf,
  nowSeconds,
  withDisclosures,
  type CredentialDraft,
  type Members,
} from './handmade-credential';
import type { OpenedRequest } from './handmade-wallet';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);

const YEAR = 31_536_000;
const stranger = createHolder();
const street = disclosureOf('street', 'Main Street');
const bound = (patch: object): Attempt => ({ binding: bindingClaims(patch) });

/** Claims of the key binding that depend on the request. */
const boundTo = (make: (request: OpenedRequest) => Members): Attempt => ({
  vpToken: ({ request, show }) => ({ card: [show({ binding: bindingClaims(make(request)) })] }),
});

/** `sd_hash` over something else than what is sent. */
const hashed = (input: (sdJwt: string) => string, shown: Shown = {}): Attempt => {
  let sdJwt = '';
  return {
    ...shown,
    sdJwt: (text) => (sdJwt = text),
    binding: (right) => bindingClaims({ sd_hash: digestOf(input(sdJwt)) })(right),
  };
};

/** Other disclosures than those that were bound. */
const rearranged = (change: (disclosures: readonly string[]) => readonly string[]): Attempt => ({
  credential: withDisclosures(street),
  presentation: (text) => {
    const [jwt = '', ...rest] = text.split('~');
    return [jwt, ...change(rest.slice(0, -1)), rest.at(-1)].join('~');
  },
});

describe('the header and the signature of the key binding', () => {
  it.each<FaultRow>([
    ['VP:M1 without typ', { binding: bindingHeader({ typ: undefined }) }, 'key_binding_type'],
    ['VP:M1 with typ dc+sd-jwt', { binding: bindingHeader({ typ: 'dc+sd-jwt' }) }, 'key_binding_type'],
    ['VP:M2 with alg none', { binding: bindingHeader({ alg: 'none' }) }, 'key_binding_algorithm'],
    ['VP:M2 with alg HS256', { binding: bindingHeader({ alg: 'HS256' }) }, 'key_binding_algorithm'],
    ['VP:M2 with ES256 that says ES384', { binding: bindingHeader({ alg: 'ES384' }) }, 'key_binding_algorithm'],
    ['VP:M2 without alg', { binding: bindingHeader({ alg: undefined }) }, 'key_binding_algorithm'],
    ['VP:M2 with a critical header', { binding: bindingHeader({ crit: ['x'], x: 1 }) }, 'key_binding_critical_header'],
    ['VP:M2 with b64 false', { binding: bindingHeader({ crit: ['b64'], b64: false }) }, 'key_binding_critical_header'],
    ['VP:M3 in DER', { binding: () => ({ signature: derSignature }) }, 'key_binding_signature'],
    ['C:5.9 VP:M3 with another key', { binding: () => ({ key: stranger.key }) }, 'key_binding_signature'],
    [
      'VP:M3 with a key that the header brings along',
      { binding: ({ header }) => ({ key: stranger.key, header: { ...header, jwk: stranger.jwk } }) },
      'key_binding_signature',
    ],
    ['VP:M3 with the key of the issuer', { binding: () => ({ key: bench.pki.issuer.key }) }, 'key_binding_signature'],
    ['VP:K2 that has two parts', { presentation: (text) => text.replace(/\.[^.]*$/, '') }, 'key_binding_malformed'],
    ['VP:K2 that is followed by a tilde', { presentation: (text) => `${text}~` }, 'disclosure_malformed'],
    ['VP:M4 whose payload is an array', { binding: () => ({ payload: '[]' }) }, 'key_binding_malformed'],
    ['VP:M4 with aud twice', { binding: () => ({ payload: '{"aud":"a","aud":"b"}' }) }, 'key_binding_malformed'],
  ])('%s is refused', refuses);
});

describe('the audience of the key binding', () => {
  it.each<FaultRow>([
    ['VP:M4 missing', bound({ aud: undefined }), 'key_binding_audience'],
    ['VP:M4 VP:T3 without the prefix', boundTo(({ clientId }) => ({ aud: bare(clientId) })), 'key_binding_audience'],
    [
      'VP:M4 with another prefix',
      boundTo(({ clientId }) => ({ aud: `x509_san_dns:${bare(clientId)}` })),
      'key_binding_audience',
    ],
    ['VP:M4 VP:T3 the response_uri', boundTo(({ responseUri }) => ({ aud: responseUri })), 'key_binding_audience'],
    ['VP:M4 in an array', boundTo(({ clientId }) => ({ aud: [clientId] })), 'key_binding_audience'],
    ['VP:M4 among others', boundTo(({ clientId }) => ({ aud: [clientId, 'other'] })), 'key_binding_audience'],
    ['VP:M4 in capitals', boundTo(({ clientId }) => ({ aud: clientId.toUpperCase() })), 'key_binding_audience'],
    ['VP:M4 VP:Q2 of another verifier', bound({ aud: `x509_hash:${'A'.repeat(43)}` }), 'key_binding_audience'],
  ])('%s is refused', refuses);
});

describe('the nonce of the key binding', () => {
  it.each<FaultRow>([
    ['C:1.12 VP:M5 missing', bound({ nonce: undefined }), 'key_binding_nonce'],
    ['VP:M5 as a number', bound({ nonce: 1 }), 'key_binding_nonce'],
    ['VP:M5 in an array', boundTo(({ nonce }) => ({ nonce: [nonce] })), 'key_binding_nonce'],
    ['VP:M5 in other case', boundTo(({ nonce }) => ({ nonce: swapCase(nonce) })), 'key_binding_nonce'],
    ['VP:M5 with a space', boundTo(({ nonce }) => ({ nonce: `${nonce} ` })), 'key_binding_nonce'],
    ['VP:M5 that is the state', boundTo(({ state }) => ({ nonce: state })), 'key_binding_nonce'],
  ])('%s is refused', refuses);

  it('C:1.12 VP:M5 VP:D4 of the other flow of the same request is refused', async () => {
    const answer = await bench.stage.management('POST', '/oidc4vp', { dcql_query: { credentials: [cardQuery()] } });
    const { nonce } = await bench.open(String(answer.body['same_device_request_uri']));
    const crossDevice = await bench.open(String(answer.body['cross_device_request_uri']));
    const ending = await bench.answer(crossDevice, bound({ nonce }));
    expect([ending.status, ending.codes]).toEqual(['VERIFICATION_FAILED', ['key_binding_nonce']]);
  });

  it.each<readonly [string, Attempt, string]>([
    ['is for another request', bound({ nonce: 'A'.repeat(43) }), 'key_binding_nonce'],
    ['is for another verifier', bound({ aud: `x509_hash:${'A'.repeat(43)}` }), 'key_binding_audience'],
    ['is from another holder', { binding: () => ({ key: stranger.key }) }, 'key_binding_signature'],
  ])('VP:J18 VP:M10 that nobody demanded and that %s fails the response', async (what, attempt, code) =>
    refuses(what, { ...attempt, query: { require_cryptographic_holder_binding: false } }, code),
  );

  it('VP:M10 that is old in one of two presentations fails the whole response', async () => {
    const credentials = [cardQuery(), cardQuery({ id: 'second' })];
    const ending = await bench.attempt({
      ask: { dcql_query: { credentials } },
      vpToken: ({ show }) => ({
        card: [show()],
        second: [show({ binding: bindingClaims({ nonce: 'A'.repeat(43) }) })],
      }),
    });
    expect([ending.status, ending.codes]).toEqual(['VERIFICATION_FAILED', ['key_binding_nonce']]);
    expect(await bench.eventOf(ending.state)).toEqual({
      status: 'VERIFICATION_FAILED',
      state: ending.state,
      errorDetails: expect.stringMatching(/^key_binding_nonce: credential "second": /),
    });
  });
});

describe('the time of the key binding', () => {
  it.each<FaultRow>([
    ['VP:M6 missing', bound({ iat: undefined }), 'key_binding_time'],
    ['VP:M6 as text', bound({ iat: String(nowSeconds()) }), 'key_binding_time'],
    ['VP:M6 null', bound({ iat: null }), 'key_binding_time'],
    ['VP:M6 before the request by more than the skew', bound(() => ({ iat: nowSeconds() - 120 })), 'key_binding_time'],
    ['VP:M6 in the future by more than the skew', bound(() => ({ iat: nowSeconds() + 180 })), 'key_binding_time'],
    ['VP:M6 kb-jwt-iat-in-past: a year ago', bound(() => ({ iat: nowSeconds() - YEAR })), 'key_binding_time'],
    ['VP:M6 kb-jwt-iat-in-future: in a year', bound(() => ({ iat: nowSeconds() + YEAR })), 'key_binding_time'],
    ['VP:M9 after its exp', bound(() => ({ exp: nowSeconds() - 120 })), 'key_binding_time'],
    ['VP:M9 with exp as text', bound({ exp: 'never' }), 'key_binding_time'],
    ['VP:M9 before its nbf', bound(() => ({ nbf: nowSeconds() + 300 })), 'key_binding_time'],
  ])('%s is refused', refuses);
});

describe('the hash of the key binding', () => {
  it.each<FaultRow>([
    ['VP:M7 missing', bound({ sd_hash: undefined }), 'key_binding_hash'],
    ['VP:M7 VP:T13 without the last tilde', hashed((text) => text.slice(0, -1)), 'key_binding_hash'],
    ['VP:M7 over the issuer JWT alone', hashed((text) => text.split('~')[0] ?? ''), 'key_binding_hash'],
    ['VP:M7 over another credential', hashed((text) => `${text}${street}~`), 'key_binding_hash'],
    ['VP:M7 by another algorithm than _sd_alg', hashed((text) => text, { credential: withSha512 }), 'key_binding_hash'],
    ['VP:M7 with padding', { binding: ({ payload }) => ({ payload: padded(payload as Members) }) }, 'key_binding_hash'],
    ['VP:M7 before a disclosure was taken away', rearranged(([first = '']) => [first]), 'key_binding_hash'],
    ['VP:M7 before disclosures were rearranged', rearranged((all) => [...all].reverse()), 'key_binding_hash'],
    [
      'VP:M8 in the member _sd_hash of old drafts',
      { binding: ({ payload }) => ({ payload: legacy(payload as Members) }) },
      'key_binding_hash',
    ],
  ])('%s is refused', refuses);

  it('VP:M7 of another credential of the same holder is refused', async () => {
    const ending = await bench.attempt({
      vpToken: ({ show }) => {
        const [own, other] = [show(), show()];
        return { card: [`${own.slice(0, own.lastIndexOf('~'))}~${other.slice(other.lastIndexOf('~') + 1)}`] };
      },
    });
    expect([ending.status, ending.codes]).toEqual(['VERIFICATION_FAILED', ['key_binding_hash']]);
  });
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());

function bare(clientId: string): string {
  return clientId.slice(clientId.indexOf(':') + 1);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/i, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

function padded(payload: Members): Members {
  return { ...payload, sd_hash: `${String(payload['sd_hash'])}=` };
}

function legacy({ sd_hash, ...rest }: Members): Members {
  return { ...rest, _sd_hash: sd_hash };
}

/** The same credential with digests of SHA-512. */
function withSha512({ payload, disclosures }: CredentialDraft) {
  return { payload: { ...payload, _sd_alg: 'sha-512', _sd: disclosures.map((text) => digestOf(text, 'sha512')) } };
}
