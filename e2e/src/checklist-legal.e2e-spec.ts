import { randomBytes } from 'node:crypto';
import {
  bindingClaims,
  bindingHeader,
  claims,
  digests,
  disclosing,
  header,
  nested,
  sending,
  structure,
} from './attempts';
import { joinBench, type Attempt, type Bench } from './checklist-bench';
import {
  decoy,
  digestOf,
  disclosureOf,
  encodeText,
  FAMILY_NAME,
  ISSUER,
  nowSeconds,
  placeholderOf,
  TYPE,
  withDisclosures,
  withHeader,
  type Members,
} from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

/** What is legal, how it is made, and the claims that the backend asks for, and gets, besides `family_name`. */
type LegalRow = readonly [what: string, attempt: Attempt, more: Members];

const accepts = async (_what: string, attempt: Attempt, more: Members) => {
  const asked = ['family_name', ...Object.keys(more)].map((name) => ({ path: [name] }));
  const ending = await bench.attempt({ ...attempt, query: { claims: asked, ...attempt.query } });
  expect([ending.status, ending.codes, ending.http.status, ending.http.text]).toEqual(['FULFILLED', [], 200, '{}']);
  const event = await bench.eventOf(ending.state);
  const [credential] = (event['credentials'] as Record<string, Members[]>)['card'] ?? [];
  expect(credential?.['claims']).toEqual({ family_name: FAMILY_NAME, ...more });
  return event;
};

const street = disclosureOf('street', 'Main Street');
const address = disclosureOf('address', { _sd: [digestOf(street), decoy()] });
const [us, fr] = [disclosureOf('US'), disclosureOf('FR')];
const spacedOut = encodeText('[ "c2FsdA",\n "na\\u006de" , "\\u0041\\/B" ]');
const plain = (more: Members = {}): Attempt => ({
  credential: ({ payload }) => ({
    payload: { ...payload, family_name: FAMILY_NAME, _sd: [decoy()], ...more },
    disclosures: [],
  }),
});
const cnf = (make: (jwk: Members) => Members): Attempt => ({
  credential: ({ payload }) => ({ payload: { ...payload, cnf: make(bench.holder.jwk) } }),
});
const unknownParameters = { iss: 'https://self.example', id_token: 'x', code: 'y', presentation_submission: {} };

describe('a legal SD-JWT', () => {
  it.each<LegalRow>([
    ['VP:K18 with decoys at each level', claims({ address: { _sd: [decoy()], x: 1 } }), { address: { x: 1 } }],
    ['VP:K17 with an object of which all is hidden', claims({ address: { _sd: [decoy()] } }), { address: {} }],
    ['VP:K17 with an array of which all is hidden', claims({ a: [{ '...': decoy() }] }), { a: [] }],
    ['VP:K17 with an empty list of digests', claims({ address: { _sd: [] } }), { address: {} }],
    ['VP:K14 with a disclosure within another', nested(address, street), { address: { street: 'Main Street' } }],
    [
      'VP:K14 with the inner disclosure before the outer one',
      { credential: digests(digestOf(address)), afterwards: sending(street, address) },
      { address: { street: 'Main Street' } },
    ],
    [
      'VP:K15 with array elements, disclosed, hidden and plain',
      structure({ list: [placeholderOf(us), 'plain', placeholderOf(fr), { '...': decoy() }] }, fr),
      { list: ['plain', 'FR'] },
    ],
    [
      'VP:K15 with an array within an array',
      structure({ list: [[placeholderOf(fr)], [{ '...': decoy() }]] }, fr),
      { list: [['FR'], []] },
    ],
    ...[null, false, 0, ''].map((value): LegalRow => [
      `VP:K23 that discloses ${JSON.stringify(value)}`,
      disclosing(disclosureOf('odd', value)),
      { odd: value },
    ]),
    ['VP:K8 with a disclosure full of white space and escapes', disclosing(spacedOut), { name: 'A/B' }],
    ['VP:K7 without _sd_alg', claims({ _sd_alg: undefined }), {}],
    ['VP:L16 without any disclosure', plain(), {}],
    ['VP:L16 without any digest', plain({ _sd: undefined, _sd_alg: undefined }), {}],
    [
      'VP:K21 with a claim named __proto__',
      disclosing(disclosureOf('__proto__', { a: 1 })),
      JSON.parse('{"__proto__":{"a":1}}') as Members,
    ],
    ['VP:K21 with a claim named constructor', disclosing(disclosureOf('constructor', 'x')), { constructor: 'x' }],
    [
      'VP:L17 with claims that nobody knows',
      claims({ some: { deep: [1, {}, null] } }),
      { some: { deep: [1, {}, null] } },
    ],
    ['VP:J16 with more claims than were asked for', disclosing(disclosureOf('extra', true)), {}],
  ])('%s is FULFILLED, with what it discloses', accepts);

  it.each([
    ['sha-384', 'sha384'],
    ['sha-512', 'sha512'],
  ])('VP:K7 with digests of %s is FULFILLED', async (name, hash) => {
    let bound = '';
    const attempt: Attempt = {
      credential: ({ payload, disclosures }) => ({
        payload: { ...payload, _sd_alg: name, _sd: disclosures.map((text) => digestOf(text, hash)) },
      }),
      sdJwt: (text) => (bound = text),
      binding: (right) => bindingClaims({ sd_hash: digestOf(bound, hash) })(right),
    };
    await accepts('', attempt, {});
  });
});

describe('a legal SD-JWT VC', () => {
  it.each<LegalRow>([
    [
      'VP:L5 whose sub and iat are disclosed',
      { ...claims({ iat: undefined }), afterwards: withDisclosures(disclosureOf('sub', 'me'), disclosureOf('iat', 1)) },
      { sub: 'me' },
    ],
    [
      'VP:L14 with vct#integrity',
      claims({ 'vct#integrity': 'sha256-9cLlJNXN-TsMk-PmKjZ5t0WRL5ca_xGgX3c1VLmXfh=' }),
      {},
    ],
    ['VP:K19 whose nbf is ahead by less than the skew', claims(() => ({ nbf: nowSeconds() + 50 })), {}],
    ['VP:K19 whose iat is ahead by less than the skew', claims(() => ({ iat: nowSeconds() + 50 })), {}],
    ['VP:K19 whose exp has passed by less than the skew', claims(() => ({ exp: nowSeconds() - 20 })), {}],
    ['VP:K19 whose exp has a fraction', claims(() => ({ exp: nowSeconds() + 600.5 })), {}],
    ['VP:K20 without exp', claims({ exp: undefined }), {}],
    [
      'VP:K6 with headers that are not used',
      header({ kid: 'k', jku: 'https://a.example', 'x5t#S256': 'AAAA', y: [] }),
      {},
    ],
    [
      'VP:K6 with the key of a stranger in the header',
      { credential: (right) => withHeader({ jwk: bench.holder.jwk })(right) },
      {},
    ],
    [
      'VP:L11 with more members in cnf.jwk',
      cnf((jwk) => ({ jwk: { ...jwk, kid: 'k', use: 'sig', alg: 'ES256', z: 1 } })),
      {},
    ],
    ['VP:L11 with a kid beside cnf.jwk', cnf((jwk) => ({ jwk, kid: 'k' })), {}],
    ['VP:L11 minimal-cnf-jwk', cnf((jwk) => ({ jwk })), {}],
  ])('%s is FULFILLED', accepts);

  it('17.9 VP:L6 without iss is FULFILLED, and its issuer is the subject of a certificate without a SAN URI', async () => {
    const event = await accepts('', claims({ iss: undefined }), {});
    expect(event).toMatchObject({
      credentials: { card: [{ issuer: 'CN=Checklist Issuer' }] },
      credentialsRaw: { card: [{ issuer: 'CN=Checklist Issuer' }] },
    });
  });

  it('C:2.34 C:2.39 C:2.40 C:2.48 C:5.11 C:9.1 VP:M11 is reported with the thumbprint of its key, whatever else the JWK says', async () => {
    const more = cnf((jwk) => ({ jwk: { ...jwk, kid: 'k', alg: 'ES256' } }));
    const [one, other] = [await accepts('', {}, {}), await accepts('', more, {})];
    const { crv, kty, x, y } = bench.holder.jwk;
    const kbKeyId = digestOf(JSON.stringify({ crv, kty, x, y }));
    for (const event of [one, other]) {
      expect(event).toMatchObject({
        credentials: { card: [{ kbKeyId, kbSignatureIsValid: true, issuer: ISSUER, supportRevocation: false }] },
        credentialsRaw: { card: [{ kbKeyId }] },
      });
    }
  });

  it('C:2.44 C:2.46 C:2.47 VP:K17 is delivered raw as the processed payload, with the dates as RFC 3339', async () => {
    const [nbf, exp] = [nowSeconds() - 100, nowSeconds() + 900];
    const event = await accepts('', claims({ nbf, exp }), {});
    const [raw] = (event['credentialsRaw'] as Record<string, Record<string, string>[]>)['card'] ?? [];
    expect(raw).toMatchObject({
      validFrom: new Date(nbf * 1000).toISOString(),
      validUntil: new Date(exp * 1000).toISOString(),
    });
    const payload = JSON.parse(Buffer.from(raw?.['claims'] ?? '', 'base64').toString('utf8')) as Members;
    expect(Object.keys(payload).sort()).toEqual(['cnf', 'exp', 'family_name', 'iat', 'iss', 'nbf', 'vct']);
    expect(payload).toMatchObject({ iss: ISSUER, vct: TYPE, nbf, exp, family_name: FAMILY_NAME });
  });
});

describe('a legal key binding', () => {
  it.each<LegalRow>([
    ['VP:M9 with claims that nobody knows', { binding: bindingClaims({ jti: 'a', sub: 'b', x: {} }) }, {}],
    [
      'VP:M9 with exp and nbf',
      { binding: bindingClaims(() => ({ exp: nowSeconds() + 300, nbf: nowSeconds() - 300 })) },
      {},
    ],
    ['VP:M1 with headers that are not used', { binding: bindingHeader({ kid: 'k', x: 1 }) }, {}],
    ['VP:M6 a little ahead', { binding: bindingClaims(() => ({ iat: nowSeconds() + 50 })) }, {}],
    ['VP:M6 with a fraction of a second', { binding: bindingClaims(() => ({ iat: nowSeconds() + 0.5 })) }, {}],
    ['VP:M6 a little before the request', { binding: bindingClaims(() => ({ iat: nowSeconds() - 20 })) }, {}],
  ])('%s is FULFILLED', accepts);

  it.each<readonly [string, Attempt]>([
    ['is missing', { binding: 'none' }],
    ['is there', {}],
    ['is missing, and so is the key', { ...claims({ cnf: undefined }), binding: 'none' }],
  ])(
    'C:2.10 C:2.41 C:2.43 VP:J18 VP:J19 VP:T8 where none is demanded and it %s: the event says nothing about a key',
    async (_what, attempt) => {
      const query = { require_cryptographic_holder_binding: false };
      const event = await accepts('', { ...attempt, query }, {});
      expect(JSON.stringify(event)).not.toMatch(/kbKeyId|kbSignatureIsValid/);
    },
  );
});

describe('a legal response', () => {
  const encrypted = (more: Members): Attempt => ({ encryption: (right) => ({ header: { ...right.header, ...more } }) });

  it.each<LegalRow>([
    ['VP:H4 with A128GCM', encrypted({ enc: 'A128GCM' }), {}],
    ['VP:H6 VP:T21 with apu and apv', { encryption: () => ({ parties: [randomBytes(9), randomBytes(40)] }) }, {}],
    ['VP:H7 with cty json', encrypted({ cty: 'json' }), {}],
    ['VP:H7 with typ JWT', encrypted({ typ: 'JWT' }), {}],
    [
      'VP:H0 VP:I7 with parameters that nobody knows',
      { response: (right) => ({ ...right, ...unknownParameters }) },
      {},
    ],
    ['VP:G11 with form parameters that nobody knows', { form: (response) => ({ response, foo: '1', state: 'x' }) }, {}],
    ['VP:H1 VP:T1 without state outside of the encryption', { form: (response) => ({ response }) }, {}],
  ])('%s is FULFILLED', accepts);
});

it('made one callback for each', () => bench.expectOneCallbackEach());
