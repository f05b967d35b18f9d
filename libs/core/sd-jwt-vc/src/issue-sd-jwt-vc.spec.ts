import { randomBytes, sign } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { compactVerify } from 'jose';
import { isJsonObject, type JsonObject } from '@vestibule/foundation';
import { parsePublicJwk, signEs256 } from '@vestibule/crypto';
import { seededRandom } from '@vestibule/testkit';
import {
  batchSubject,
  issueSdJwtVc,
  parseSdJwtVc,
  thumbprintSubject,
  unpackClaims,
  verifyIssuerSignature,
  type DisclosurePlan,
  type IssuanceOrder,
} from './index';
import { failsWith, hash, holderJwk, issuer, NOW_SECONDS } from './testing/sd-jwt-builder.fixture-spec';

const confirmationKey = parsePublicJwk(holderJwk);
const registered = {
  iss: 'https://issuer.example',
  sub: thumbprintSubject(confirmationKey),
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 86_400,
  vct: 'https://issuer.example/types/pid',
  confirmationKey,
};
const claims: JsonObject = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  address: { street: 'Main St', country: 'GB' },
  nationalities: ['GB', 'FR'],
  portrait: 'data:image/png;base64,iVBORw0KGgo=',
};
const everything: DisclosurePlan = () => 'allowed';
const nothing: DisclosurePlan = () => 'never';
const order: IssuanceOrder = {
  sign: (input) => signEs256(issuer.privateKey, input),
  x5c: ['MIIB'],
  registered,
  claims,
  disclosurePlan: everything,
  random: randomBytes,
};
const issue = (changes: Partial<IssuanceOrder> = {}) => issueSdJwtVc({ ...order, ...changes });
const parsed = async (changes: Partial<IssuanceOrder> = {}) => parseSdJwtVc(await issue(changes));
const saltOf = (encoded: string) => (JSON.parse(Buffer.from(encoded, 'base64url').toString()) as string[])[0] as string;

describe('an issued SD-JWT VC', () => {
  it('VCI:V1 has type, algorithm and chain in the protected header and nothing else', async () => {
    expect((await parsed()).header).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: ['MIIB'] });
  });

  it('VCI:V4 VCI:V5 VCI:V6 VCI:V8 VCI:V9 shows the registered claims in the payload and in no disclosure', async () => {
    const { payload, disclosures } = await parsed();
    const { iss, sub, iat, exp, vct } = registered;
    expect(payload).toMatchObject({ iss, sub, iat, exp, vct, cnf: { jwk: confirmationKey } });
    const names = disclosures.map(({ name }) => name);
    for (const name of Object.keys(payload)) expect(names).not.toContain(name);
  });

  it('VCI:V7 binds to kty, crv, x and y only', async () => {
    const withMore = { ...confirmationKey, kid: 'correlates', alg: 'ES256', use: 'sig' };
    const { payload } = await parsed({ registered: { ...registered, confirmationKey: withMore } });
    expect(payload['cnf']).toEqual({ jwk: confirmationKey });
  });

  it('VCI:V11 names its subject by its own key', () => {
    const thumbprint = hash(`{"crv":"P-256","kty":"EC","x":"${holderJwk.x}","y":"${holderJwk.y}"}`);
    expect(registered.sub).toBe(`urn:ietf:params:oauth:jwk-thumbprint:sha-256:${thumbprint}`);
  });

  it('VCI:V5 VCI:V11 has a subject of a batch in a disclosure, also where nothing else is one', async () => {
    const sub = batchSubject(randomBytes);
    for (const disclosurePlan of [everything, nothing]) {
      const changes = { disclosurePlan, registered: { ...registered, sub, isSubjectDisclosable: true } };
      const { payload, disclosures } = await parsed(changes);
      expect(payload).not.toHaveProperty('sub');
      expect(disclosures.find(({ name }) => name === 'sub')?.value).toBe(sub);
      expect(payload['_sd']).toContain(hash(disclosures.find(({ name }) => name === 'sub')?.encoded ?? ''));
      expect(payload['_sd']).toEqual([...(payload['_sd'] as string[])].sort());
      expect(payload['_sd_alg']).toBe('sha-256');
      expect(unpackClaims(await parsed(changes)).claims).toMatchObject({ ...claims, sub });
    }
  });

  it('VCI:V11 draws a UUID of version 4 for a batch, never twice', () => {
    const uuid = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const drawn = Array.from({ length: 100 }, () => batchSubject(randomBytes));
    for (const one of drawn) expect(one).toMatch(uuid);
    expect(new Set(drawn).size).toBe(100);
    expect(batchSubject(() => new Uint8Array(16).fill(255))).toBe('urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff');
    expect(batchSubject(() => new Uint8Array(16))).toBe('urn:uuid:00000000-0000-4000-8000-000000000000');
  });

  it('VCI:V12 hashes every disclosure with SHA-256', async () => {
    const { payload, disclosures } = await parsed({ claims: { a: 1, b: 2 } });
    expect(payload['_sd_alg']).toBe('sha-256');
    expect(payload['_sd']).toEqual(disclosures.map(({ encoded }) => hash(encoded)).sort());
  });

  it('VCI:V13 VCI:L2 has a salt of 128 bits for each disclosure that no other credential has', async () => {
    const random = seededRandom('salts');
    const [first, second] = [await parsed({ random }), await parsed({ random })];
    const salts = [...first.disclosures, ...second.disclosures].map(({ encoded }) => saltOf(encoded));
    expect(new Set(salts).size).toBe(salts.length);
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16);
  });

  it('VCI:V14 sorts its digests, so that they tell no order', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `claim${index}`);
    const { payload } = await parsed({ claims: Object.fromEntries(names.map((name) => [name, name])) });
    const digests = payload['_sd'] as string[];
    expect(digests).toEqual([...digests].sort());
    expect(new Set(digests).size).toBe(20);
  });

  it('VCI:V15 has neither _sd nor disclosures when nothing is disclosable', async () => {
    const text = await issue({ disclosurePlan: nothing });
    expect(text.match(/~/g)).toHaveLength(1);
    expect(text.endsWith('~')).toBe(true);
    const { payload } = parseSdJwtVc(text);
    expect(payload).toMatchObject(claims);
    expect(JSON.stringify(payload)).not.toContain('_sd');
  });

  it('VCI:V20 passes on binary claims in data URIs', async () => {
    expect(unpackClaims(await parsed()).claims['portrait']).toBe(claims['portrait']);
  });

  it('VCI:V21 refers to its status', async () => {
    const status = { idx: 4711, uri: 'https://issuer.example/status-lists/1' };
    expect(unpackClaims(await parsed({ registered: { ...registered, status } })).statusList).toEqual(status);
    expect((await parsed()).payload).not.toHaveProperty('status');
  });

  it('VCI:V22 VCI:V24 has no jti, nbf or aka_vcts, and vct#integrity only on demand', async () => {
    const { payload } = await parsed();
    for (const name of ['jti', 'nbf', 'aka_vcts', 'vct#integrity']) expect(payload).not.toHaveProperty([name]);
    const vctIntegrity = 'sha256-WRL5ca/xGgX3c1VLmXfh+9cLlJNXN+TsMk+PmKjZ5t0=';
    expect((await parsed({ registered: { ...registered, vctIntegrity } })).payload['vct#integrity']).toBe(vctIntegrity);
  });

  it('VCI:V23 is signed with raw R and S', async () => {
    const text = await issue();
    const [jws = ''] = text.split('~');
    await expect(compactVerify(jws, issuer.publicKey)).resolves.toBeDefined();
    const der = issue({ sign: (input) => sign('sha256', input, issuer.privateKey) });
    await expect(der).rejects.toThrow(failsWith('signature_malformed'));
  });

  it('takes a signer that answers later, and tells its failure', async () => {
    const later = await parsed({ sign: async (input) => signEs256(issuer.privateKey, input) });
    expect(() => verifyIssuerSignature(later, issuer.publicKey)).not.toThrow();
    await expect(issue({ sign: () => Promise.reject(new Error('no token')) })).rejects.toThrow('no token');
  });

  it('VCI:L7 has the same number of disclosures for the same claims', async () => {
    const counts = await Promise.all([parsed(), parsed()].map(async (one) => (await one).disclosures.length));
    expect(counts[0]).toBe(counts[1]);
  });
});

describe('the disclosure plan', () => {
  it('reaches members and elements at every level', async () => {
    const asked: string[] = [];
    const plan: DisclosurePlan = (path) => {
      asked.push(path.join('/'));
      return path.join('/') === 'address/street' || path.at(-1) === 1 ? 'always' : 'never';
    };
    const { payload, disclosures } = await parsed({ disclosurePlan: plan });
    expect(asked).toEqual(expect.arrayContaining(['address', 'address/street', 'nationalities/0', 'nationalities/1']));
    expect(disclosures.map(({ name, value }) => [name, value])).toEqual([
      ['street', 'Main St'],
      [undefined, 'FR'],
    ]);
    expect(payload['nationalities']).toEqual(['GB', { '...': hash(disclosures[1]?.encoded ?? '') }]);
    expect(payload['address']).toEqual({ country: 'GB', _sd: [hash(disclosures[0]?.encoded ?? '')] });
  });
});

describe('what cannot be issued', () => {
  it.each<[string, JsonObject]>([
    ['VCI:V16', { person: { _sd: [] } }],
    ['VCI:V17', { cnf: {} }],
    ['VCI:V17', { sub: 'me' }],
  ])('%s reserved names are refused: %j', async (_id, wrong) => {
    const refusal = issue({ claims: wrong });
    await expect(refusal).rejects.toThrow(failsWith('claims_not_issuable'));
    await expect(refusal).rejects.toMatchObject({ kind: 'invalid', faults: [{ message: 'is a reserved name' }] });
  });

  it.each<[string, Partial<IssuanceOrder>]>([
    ['VCI:V10 fractions of a second', { registered: { ...registered, iat: 1.5 } }],
    ['VCI:V9 an end before the beginning', { registered: { ...registered, exp: NOW_SECONDS } }],
    ['VCI:V21 a fractional status index', { registered: { ...registered, status: { idx: 0.5, uri: 'x' } } }],
    ['VCI:V21 a negative status index', { registered: { ...registered, status: { idx: -1, uri: 'x' } } }],
    ['VCI:V1 no chain', { x5c: [] }],
    ['VCI:V2 a chain in base64url', { x5c: ['a-b_'] }],
  ])('%s', async (_rule, changes) => {
    await expect(issue(changes)).rejects.toThrow(RangeError);
  });
});

describe('@sd-jwt/core as an independent judge', () => {
  const judge = new SDJwtInstance({
    hasher: (input: string | ArrayBuffer) =>
      new Uint8Array(Buffer.from(hash(typeof input === 'string' ? input : Buffer.from(input).toString()), 'base64url')),
    verifier: async (input: string, signature: string) => {
      const [, payload = ''] = input.split('.');
      await compactVerify(`${input}.${signature}`, issuer.publicKey);
      return payload.length > 0;
    },
  });

  it.each([
    ['everything', everything],
    ['nothing', nothing],
  ])('reads the same claims when %s is disclosable', async (_case, disclosurePlan) => {
    const text = await issue({ disclosurePlan });
    const { payload } = await judge.verify(text, { currentDate: NOW_SECONDS });
    const ours = unpackClaims(parseSdJwtVc(text)).claims;
    expect(isJsonObject(payload)).toBe(true);
    expect(payload).toEqual(ours);
    expect(payload).toMatchObject(claims);
  });
});
