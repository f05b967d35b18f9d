import { parseIssuerMetadata, parseSdJwtVc, unpackClaims, verifyKeyBinding } from './index';
import {
  AUDIENCE,
  baseHeader,
  basePayload,
  build,
  discloseText,
  expectation,
  hash,
  holder,
  issuer,
  NONCE,
  NOW_SECONDS,
  signJws,
  toBase64url,
} from './testing/sd-jwt-builder.fixture-spec';

/** JSON whose strings `#…` are numbers, written digit by digit. */
const write = (value: unknown) => JSON.stringify(value).replace(/"#([^"]*)"/g, '$1');
const withPayload = (claims: object) => build({ payload: write({ ...basePayload, ...claims }) });

function failureOf(run: () => unknown): { code?: string; detail?: string } {
  try {
    run();
    return {};
  } catch (error) {
    const { code, detail } = error as { code: string; detail: string };
    return { code, detail };
  }
}
const refusal = (code: string, place: string) => ({ code, detail: expect.stringContaining(`at ${place} `) });

describe('numbers that would become others', () => {
  it.each([
    ['an integer beyond 2^53', { id: '#9007199254740993' }, 'id'],
    ['more than any double', { account: { balance: '#1e999' } }, 'account.balance'],
    ['less than any double', { list: [1, { share: '#-1e-400' }] }, 'list[1].share'],
    ['lost digits', { price: '#0.12345678901234567891' }, 'price'],
    ['a time', { exp: '#17000000000.12345678901' }, 'exp'],
    ['a claim whose name may be personal data', { NL91ABNA0417164300: '#1e999' }, '["…"]'],
  ])('are refused in the payload: %s', (_what, claims, place) => {
    expect(failureOf(() => parseSdJwtVc(withPayload(claims)))).toEqual(refusal('number_not_exact', place));
  });

  it.each([
    ['["salt","height",9007199254740993]', 'height'],
    ['["salt","address",{"floor":[1,1e999]}]', 'address.floor[1]'],
    ['["salt",[{"sum":12345678901234567890}]]', '[0].sum'],
    ['[1e999,"name",1]', 'the top'],
  ])('are refused in a disclosure, used or not: %s', (text, place) => {
    const disclosure = discloseText(text);
    for (const _sd of [[disclosure.digest], []]) {
      const sdJwt = build({ payload: { _sd }, disclosures: [disclosure] });
      expect(failureOf(() => parseSdJwtVc(sdJwt))).toEqual(refusal('number_not_exact', place));
    }
  });

  it('are refused in the header of the issuer', () => {
    const header = toBase64url(write({ ...baseHeader, nonce: '#1e999' }));
    const [, payload, signature] = build().slice(0, -1).split('.');
    const failure = failureOf(() => parseSdJwtVc(`${header}.${payload}.${signature}~`));
    expect(failure).toEqual(refusal('issuer_jwt_malformed', 'nonce'));
  });

  it.each([
    ['iat', { iat: '#1e999' }],
    ['extra', { extra: '#9007199254740993' }],
  ])('are refused in a key binding JWT that is signed: %s', (place, claims) => {
    const sdJwt = build();
    const bound = { iat: NOW_SECONDS, aud: AUDIENCE, nonce: NONCE, sd_hash: hash(sdJwt), ...claims };
    const text = sdJwt + signJws({ alg: 'ES256', typ: 'kb+jwt' }, write(bound), holder.privateKey);
    const parsed = parseSdJwtVc(text);
    const failure = failureOf(() => verifyKeyBinding(parsed, unpackClaims(parsed).claims, expectation));
    expect(failure).toEqual(refusal('key_binding_malformed', place));
  });

  it('may be the times of a key binding JWT, which are compared and not delivered', () => {
    const sdJwt = build();
    for (const digits of ['0999999', '000000001', '0000000000001']) {
      const bound = { iat: `#${NOW_SECONDS}.${digits}`, aud: AUDIENCE, nonce: NONCE, sd_hash: hash(sdJwt) };
      const text = sdJwt + signJws({ alg: 'ES256', typ: 'kb+jwt' }, write(bound), holder.privateKey);
      const parsed = parseSdJwtVc(text);
      const { claims } = verifyKeyBinding(parsed, unpackClaims(parsed).claims, expectation);
      expect(claims['iat']).toBe(Number(`${NOW_SECONDS}.${digits}`));
    }
  });

  it("are refused in an issuer's metadata", async () => {
    const document = Buffer.from(write({ issuer: 'https://issuer.example', jwks: { keys: [] }, version: '#1e999' }));
    const parsing = parseIssuerMetadata(document, 'https://issuer.example');
    await expect(parsing).rejects.toMatchObject(refusal('issuer_metadata_malformed', 'version'));
  });
});

describe('numbers that stay what they are', () => {
  it('are delivered as they were issued', () => {
    const disclosure = discloseText('["salt","share",0.10]');
    const numbers = ['#9007199254740992', '#-9007199254740991', '#1e21', '#5e-324', '#1.50', '#1E2'];
    const payload = write({ ...basePayload, numbers, _sd: [disclosure.digest] });
    const { claims } = unpackClaims(
      parseSdJwtVc(build({ payload, disclosures: [disclosure], key: issuer.privateKey })),
    );
    expect(JSON.stringify([claims['numbers'], claims['share']])).toBe(
      '[[9007199254740992,-9007199254740991,1e+21,5e-324,1.5,100],0.1]',
    );
  });
});
