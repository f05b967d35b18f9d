import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  trustedListPayload,
  type ListSigning,
} from '@vestibule/dev-pki';
import { encodeBase64url, type JsonObject } from '@vestibule/foundation';
import { parseCertificate } from '@vestibule/x509-trust';
import type { TrustedListRules } from './index';
import {
  after,
  createScheme,
  failsWith,
  listDraft,
  NOW,
  pidService,
  rulesOf,
  signedList,
  verifyTrustedList,
  type Scheme,
} from './trusted-list.fixture-spec';

let scheme: Scheme;
beforeAll(async () => {
  scheme = await createScheme();
});

const draft = () => listDraft([pidService(scheme)]);
const verify = (signing: Partial<ListSigning> = {}, rules: Partial<TrustedListRules> = {}) =>
  verifyTrustedList(signedList(scheme, draft(), signing), rulesOf(scheme, rules));
const pinned = (certificate: Buffer) => ({ signers: [parseCertificate(certificate)] });
/** An authority, and who may sign below it. */
const below = (certificate: Buffer, operator = DEVELOPMENT_OPERATOR) => ({ ...pinned(certificate), operator });

describe('the signature of a list of trusted entities', () => {
  it.each(['compact', 'flattened', 'general'] as const)('holds in %s serialization', (form) => {
    expect(verify({ form })).toMatchObject({
      sequence: 7,
      issuedAt: after(-10),
      usableUntil: after(20),
      ignored: 0,
    });
  });

  it('EU:T1 may be of any algorithm on the allow-list, with a key of its kind', async () => {
    for (const [keyType, algorithms] of [
      ['P-256', ['ES256']],
      ['P-384', ['ES384']],
      ['P-521', ['ES512']],
      ['RSA-2048', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ] as const) {
      const signer = await scheme.authority.issue({ name: 'Signer', keyType });
      for (const algorithm of algorithms)
        expect(verify({ signer, algorithm }, pinned(signer.certificate)).sequence).toBe(7);
    }
  });

  it.each(['none', 'HS256', 'ES256K', 'EdDSA', 'RSA-OAEP', 'toString', 7])(
    'is refused when the header says %s, before anything is computed',
    (alg) => {
      expect(() => verify({ header: { alg } })).toThrow(failsWith('trusted_list_algorithm_not_allowed'));
    },
  );

  it('is refused when the algorithm belongs to another key, or to a key that is too short', async () => {
    expect(() => verify({ header: { alg: 'ES384' } })).toThrow(failsWith('trusted_list_signature_invalid'));
    expect(() => verify({ header: { alg: 'RS256' } })).toThrow(failsWith('trusted_list_signature_invalid'));
    const signer = await scheme.authority.issue({ name: 'Short', keyType: 'RSA-1024' });
    expect(() => verify({ signer, algorithm: 'PS256' }, pinned(signer.certificate))).toThrow(
      failsWith('trusted_list_signature_invalid'),
    );
  });

  it('EU:T1 is refused when another key made it under the certificate of the scheme operator', () => {
    const signer = { certificate: scheme.signer.certificate, privateKey: scheme.provider.privateKey };
    expect(() => verify({ signer })).toThrow(failsWith('trusted_list_signature_invalid'));
  });

  it('is refused when one bit of the list was changed', () => {
    const [head, , signature] = signedList(scheme, draft()).toString().split('.');
    const other = encodeBase64url(Buffer.from(JSON.stringify(trustedListPayload({ ...draft(), sequence: 8 }))));
    expect(() => verifyTrustedList(Buffer.from(`${head}.${other}.${signature}`), rulesOf(scheme))).toThrow(
      failsWith('trusted_list_signature_invalid'),
    );
  });

  it('is refused when it is missing, empty or one of several', () => {
    const compact = signedList(scheme, draft()).toString();
    const [head = '', body = '', signature = ''] = compact.split('.');
    const { signatures, ...rest } = JSON.parse(signedList(scheme, draft(), { form: 'general' }).toString());
    const texts = [
      JSON.stringify(trustedListPayload(draft())),
      `${head}.${body}`,
      `${head}.${body}.`,
      `${compact}.${signature}`,
      `${compact}~`,
      JSON.stringify({ ...rest, signatures: [] }),
      JSON.stringify({ ...rest, signatures: [...signatures, ...signatures] }),
      JSON.stringify({ ...rest, signatures, signature, protected: head }),
      JSON.stringify({ ...rest, signatures, signature }),
      JSON.stringify({ ...rest, signatures, protected: head }),
      JSON.stringify({ ...rest, signatures: [signature] }),
      ...[{ payload: [body] }, { protected: [head] }, { signature: [signature] }].map((listed) =>
        JSON.stringify({ payload: body, protected: head, signature, ...listed }),
      ),
      `{"payload":"${body}","protected":"${head}","signature":"${signature}","payload":"${body}"}`,
      `${head}=.${body}.${signature}`,
      `${head}.${body}=.${signature}`,
      `${head}.${body}.${signature}=`,
      '',
      'null',
      '{}',
    ];
    const all = [...texts.map((one) => Buffer.from(one)), Buffer.concat([Buffer.from(compact), Buffer.of(0xff)])];
    const codes = all.map((one) => codeOf(() => verifyTrustedList(one, rulesOf(scheme))));
    expect(codes).toEqual(all.map(() => 'trusted_list_malformed'));
  });

  it('covers the protected header alone: what stands beside it is not read', () => {
    const flattened = JSON.parse(signedList(scheme, draft(), { form: 'flattened' }).toString()) as JsonObject;
    const x5c = [scheme.signer.certificate.toString('base64')];
    const moved = JSON.parse(
      signedList(scheme, draft(), { form: 'flattened', header: { x5c: undefined } }).toString(),
    ) as JsonObject;
    const read = (text: JsonObject) => verifyTrustedList(Buffer.from(JSON.stringify(text)), rulesOf(scheme));
    expect(read({ ...flattened, header: { alg: 'none', crit: ['x'] } }).sequence).toBe(7);
    expect(() => read({ ...moved, header: { x5c } })).toThrow(failsWith('trusted_list_signer_unknown'));
  });
});

function codeOf(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'nothing';
}

describe('the header of a list', () => {
  it.each([
    ['the signing time as it was in JAdES 1.1', { sigT: '2026-03-01T11:00:00Z', crit: ['sigT'], iat: undefined }],
    ['the signing time of JAdES 1.2', { crit: ['iat'] }],
    ['no signing time', { iat: undefined }],
    ['no hash of the certificate', { 'x5t#S256': undefined }],
  ])('may have %s', (_, header) => {
    expect(verify({ header }).sequence).toBe(7);
  });

  it.each([
    ['an extension that is not understood', { crit: ['exp'], exp: 1 }],
    ['one that is not understood beside one that is', { crit: ['iat', 'exp'], exp: 1 }],
    ['one that is not there', { crit: ['sigT'] }],
    ['a name of the standard itself', { crit: ['alg'] }],
    ['the same twice', { crit: ['iat', 'iat'] }],
    ['none', { crit: [] }],
    ['something else than names', { crit: 'iat' }],
    ['something else than a name', { crit: [['iat']] }],
    ['a payload that is not encoded', { b64: false, crit: ['b64'] }],
    ['a payload that is not encoded, without saying so', { b64: false }],
    ['data that are elsewhere', { sigD: { mId: 'http://uri.etsi.org/19182/ObjectIdByURI', pars: ['x'] } }],
  ])('must not mark as critical %s', (_, header) => {
    expect(() => verify({ header })).toThrow(failsWith('trusted_list_critical_header'));
  });

  it.each([
    ['the hash of another certificate', { 'x5t#S256': 'A'.repeat(43) }],
    ['a hash that is not a text', { 'x5t#S256': 1 }],
    ['a time in the future', { iat: NOW.getTime() / 1000 + 61 }],
    ['a time that is not a number', { iat: '1' }],
    ['a fraction of a time', { iat: 1.5 }],
    ['a time with an offset', { sigT: '2026-03-01T11:00:00+01:00' }],
    ['a day that does not exist', { sigT: '2026-02-30T11:00:00Z' }],
  ])('must not have %s', (_, header) => {
    expect(() => verify({ header })).toThrow(failsWith('trusted_list_header_invalid'));
  });
});

describe('the signer of a list', () => {
  it('EU:T1 is refused with a certificate of the same name that another authority issued', async () => {
    const impostors = await createCertificateAuthority({ name: 'Scheme Root', now: NOW });
    const signer = await impostors.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });
    const above = [impostors.certificate];
    expect(() => verify({ signer, above })).toThrow(failsWith('trusted_list_signer_unknown'));
    expect(() => verify({ signer, above }, below(scheme.authority.certificate))).toThrow(
      failsWith('trusted_list_signer_unknown'),
    );
  });

  it('is refused when the configured certificate is only appended to x5c', async () => {
    const signer = await (await createCertificateAuthority({ name: 'Else', now: NOW })).issue({ name: 'Else' });
    const above = [scheme.signer.certificate, scheme.authority.certificate];
    expect(() => verify({ signer, above })).toThrow(failsWith('trusted_list_signer_unknown'));
    expect(() => verify({ signer, above }, below(scheme.authority.certificate))).toThrow(
      failsWith('trusted_list_signer_unknown'),
    );
  });

  it('may be below a configured authority, which may be in x5c, in the name of the scheme operator', async () => {
    const rules = below(scheme.authority.certificate);
    expect(verify({}, rules).sequence).toBe(7);
    expect(verify({ above: [scheme.authority.certificate] }, rules).sequence).toBe(7);
    const other = await scheme.authority.issue({ name: DEVELOPMENT_OPERATOR, organization: 'Somebody Else' });
    const none = await scheme.authority.issue({ name: DEVELOPMENT_OPERATOR });
    for (const signer of [other, none])
      expect(() => verify({ signer }, rules)).toThrow(failsWith('trusted_list_signer_unknown'));
  });

  it('EU:T1 below an authority is not believed about its own name: anybody there could write a list', async () => {
    const signer = await scheme.authority.issue({ name: 'Seal', organization: 'Attacker Ltd' });
    const bytes = signedList(scheme, { ...draft(), operator: 'Attacker Ltd' }, { signer });
    const rules = pinned(scheme.authority.certificate);
    for (const operator of [undefined, DEVELOPMENT_OPERATOR, 'Attacker', 'Аttacker Ltd'])
      expect(() => verifyTrustedList(bytes, rulesOf(scheme, { ...rules, operator }))).toThrow(
        failsWith('trusted_list_signer_unknown'),
      );
    expect(() => verify({}, rules)).toThrow(failsWith('trusted_list_signer_unknown'));
    expect(() => verify({}, { ...rules, operator: '' })).toThrow(failsWith('trusted_list_signer_unknown'));
  });

  it('below an authority has an EC key; a certificate with an RSA key is configured itself', async () => {
    const signer = await scheme.authority.issue({
      name: 'RSA',
      organization: DEVELOPMENT_OPERATOR,
      keyType: 'RSA-2048',
    });
    expect(() => verify({ signer }, below(scheme.authority.certificate))).toThrow(
      failsWith('trusted_list_signer_unknown'),
    );
    expect(verify({ signer }, pinned(signer.certificate)).sequence).toBe(7);
  });

  it('is not who is on the list, or shares a name with the signer', async () => {
    const onList = await scheme.provider.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });
    for (const signer of [onList, scheme.provider])
      for (const rules of [{}, below(scheme.authority.certificate)])
        expect(() => verify({ signer, above: [scheme.signer.certificate] }, rules)).toThrow(
          failsWith('trusted_list_signer_unknown'),
        );
  });

  it.each<[string, Record<string, unknown>]>([
    ['jwk', { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }],
    ['jku and x5u', { jku: 'https://attacker.example/keys', x5u: 'https://attacker.example/chain' }],
    ['kid of another key', { kid: 'attacker' }],
    ['x5t of another certificate', { x5t: 'A'.repeat(27) }],
  ])('is not chosen by a header with %s', (_, header) => {
    expect(verify({ header }).sequence).toBe(7);
    expect(() => verify({ header: { ...header, x5c: undefined } })).toThrow(failsWith('trusted_list_signer_unknown'));
  });

  it('below an authority must not be restricted to another use; to lists it may', async () => {
    const usage = (oid: readonly number[]) => ({
      oid: '2.5.29.37',
      critical: false,
      value: Buffer.from([0x30, oid.length + 2, 0x06, oid.length, ...oid]),
    });
    const organization = DEVELOPMENT_OPERATOR;
    const tls = usage([0x2b, 6, 1, 5, 5, 7, 3, 1]);
    const lists = usage([4, 0, 0x91, 0x37, 3, 0]);
    const rules = below(scheme.authority.certificate);
    const server = await scheme.authority.issue({ name: 'TLS', organization, extensions: [tls] });
    const listing = await scheme.authority.issue({ name: 'Lists', organization, extensions: [lists] });
    expect(() => verify({ signer: server }, rules)).toThrow(failsWith('trusted_list_signer_unknown'));
    expect(verify({ signer: listing }, rules).sequence).toBe(7);
  });

  it.each([
    ['has expired', -400, -1],
    ['is not valid yet', 1, 400],
  ])('is refused when its certificate %s, even the configured one', async (_, from, to) => {
    const signer = await scheme.authority.issue({
      name: 'List Signer',
      organization: DEVELOPMENT_OPERATOR,
      notBefore: after(from),
      notAfter: after(to),
    });
    expect(() => verify({ signer }, pinned(signer.certificate))).toThrow(failsWith('trusted_list_signer_unknown'));
    expect(() => verify({ signer }, below(scheme.authority.certificate))).toThrow(
      failsWith('trusted_list_signer_unknown'),
    );
  });

  it.each([[undefined], [[]], ['x'], [['-----BEGIN CERTIFICATE-----']], [['AAAA']], [Array(5).fill('AAAA')]])(
    'is not known by x5c %j',
    (x5c) => {
      expect(() => verify({ header: { x5c } })).toThrow(failsWith('trusted_list_signer_unknown'));
    },
  );
});
