import { deliveredClaims, unpackClaims } from './index';
import { basePayload, disclose, failsWith, hash, parse, type Ingredients } from './testing/sd-jwt-builder.fixture-spec';

const unpack = (ingredients: Ingredients = {}) => unpackClaims(parse(ingredients));
const refused = (ingredients: Ingredients, code: string) => expect(() => unpack(ingredients)).toThrow(failsWith(code));

describe('VP:L2 the credential type', () => {
  it('is required (sd:neg-vct-missing)', () => {
    refused({ payload: { vct: undefined } }, 'vct_missing');
    refused({ payload: { vct: '' } }, 'vct_missing');
  });

  it.each([[['urn:a']], [null], [1], [{}]])('is refused as %j (sd:neg-vct-array)', (vct) => {
    refused({ payload: { vct } }, 'claim_malformed');
  });

  it('VP:L14 has an integrity value that is a string', () => {
    refused({ payload: { 'vct#integrity': ['sha256-x'] } }, 'claim_malformed');
    expect(unpack({ payload: { 'vct#integrity': 'sha256-x' } }).vct).toBe('urn:example:pid:1');
  });
});

describe('VP:L3 claims that are never disclosable', () => {
  it.each(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts'])(
    '%s in a disclosure is refused (sd:neg-sd-registered-%s)',
    (name) => {
      const disclosure = disclose(name, basePayload[name as 'iss'] ?? 'x');
      const payload = { [name]: undefined, _sd: [disclosure.digest] };
      refused({ payload, disclosures: [disclosure] }, 'registered_claim_disclosed');
      refused({ payload: { _sd: [disclosure.digest] }, disclosures: [disclosure] }, 'registered_claim_disclosed');
    },
  );

  it('may be names of claims further down', () => {
    const disclosure = disclose('status', 'married');
    const { claims } = unpack({ payload: { person: { _sd: [disclosure.digest] } }, disclosures: [disclosure] });
    expect(claims['person']).toEqual({ status: 'married' });
  });

  it('VP:L4 nor is what is in cnf (sd:neg-sd-cnf-subclaim)', () => {
    const jwk = disclose('jwk', basePayload.cnf.jwk);
    refused({ payload: { cnf: { _sd: [jwk.digest] } }, disclosures: [jwk] }, 'registered_claim_disclosed');
    refused({ payload: { cnf: { ...basePayload.cnf, _sd: [hash('hidden')] } } }, 'registered_claim_disclosed');
  });

  it('VP:L4 nor is what is in status (sd:neg-sd-status-subclaim)', () => {
    const list = disclose('status_list', { idx: 0, uri: 'https://issuer.example/1' });
    refused({ payload: { status: { _sd: [list.digest] } }, disclosures: [list] }, 'registered_claim_disclosed');
    const status = { status_list: { idx: 1, uri: 'x', list: [{ '...': hash('x') }] } };
    refused({ payload: { status } }, 'registered_claim_disclosed');
  });

  it('VP:L5 sub and iat may be disclosable (sd:pos-sd-sub-iat)', () => {
    const [sub, iat] = [disclose('sub', 'user-1'), disclose('iat', basePayload.iat)];
    const payload = { iat: undefined, _sd: [sub.digest, iat.digest] };
    expect(unpack({ payload, disclosures: [sub, iat] }).claims).toMatchObject({ sub: 'user-1', iat: basePayload.iat });
    expect(unpack({ payload }).claims).not.toHaveProperty('sub');
  });

  it.each(['sub', 'jti'])('%s is a string, plain and disclosed', (name) => {
    for (const value of [1, null, true, [], {}]) {
      refused({ payload: { [name]: value } }, 'claim_malformed');
      const disclosure = disclose(name, value);
      refused({ payload: { _sd: [disclosure.digest] }, disclosures: [disclosure] }, 'claim_malformed');
    }
    expect(unpack({ payload: { [name]: '' } }).claims).toHaveProperty(name, '');
  });
});

describe('the other registered claims', () => {
  it('VP:L6 iss is optional (sd:pos-no-iss)', () => {
    expect(unpack({ payload: { iss: undefined } }).iss).toBeUndefined();
    expect(unpack().iss).toBe('https://issuer.example');
  });

  it('VP:L6 iss is a string', () => {
    refused({ payload: { iss: ['https://issuer.example'] } }, 'claim_malformed');
  });

  it.each([[{}], [{ foo: {} }], [{ status_list: 'x' }], [{ status_list: null }], ['x'], [null], [[]]])(
    'VP:L12 status %j is refused',
    (status) => {
      refused({ payload: { status } }, 'status_malformed');
    },
  );

  it('VP:L12 a status list reference comes as it is', () => {
    const reference = { idx: 7, uri: 'https://issuer.example/status/1' };
    expect(unpack({ payload: { status: { status_list: reference } } }).statusList).toEqual(reference);
    expect(unpack().statusList).toBeUndefined();
  });

  it('VP:L16 a credential without anything disclosable is valid (sd:pos-none-disclosed)', () => {
    const { claims, issued } = unpack();
    expect(claims).toEqual(basePayload);
    expect(issued).toEqual(basePayload);
  });

  it('VP:L17 unknown claims are passed on', () => {
    const unknown = { 'https://example.com/claim': { deep: [1, { x: null }] }, aud: 'https://a.example' };
    expect(unpack({ payload: unknown }).claims).toMatchObject(unknown);
  });
});

describe('what a backend gets', () => {
  it('is what was disclosed and what was plain, without claims about the credential', () => {
    const name = disclose('given_name', 'Ada');
    const payload = {
      _sd: [name.digest],
      _sd_alg: 'sha-256',
      sub: 'user-1',
      'vct#integrity': 'sha256-AAAA',
      nbf: basePayload.iat,
      status: { status_list: { idx: 0, uri: 'https://issuer.example/1' } },
      person: { iss: 'kept', exp: 1 },
    };
    const { claims } = unpack({ payload, disclosures: [name] });
    expect(deliveredClaims(claims)).toEqual({ given_name: 'Ada', sub: 'user-1', person: { iss: 'kept', exp: 1 } });
  });
});
