import fc from 'fast-check';
import { OAuthError } from '@vestibule/oauth';
import { fastestMilliseconds, describeWithVectors, readJsonVector } from '@vestibule/testkit';
import {
  buildAuthorizationDetails,
  grantAuthorizationDetails,
  parseAuthorizationDetails,
  parseTokenRequest,
  PRE_AUTHORIZED_CODE_GRANT,
  requireTxCodeAsOffered,
  WRONG_TX_CODE,
} from './index';

const issuerUrl = 'https://credential-issuer.example.com';
type Form = [string, string][];
const form = (...more: Form): Form => [
  ['grant_type', PRE_AUTHORIZED_CODE_GRANT],
  ['pre-authorized_code', 'code'],
  ...more,
];
const parse = (entries: Form) => parseTokenRequest(entries, issuerUrl);
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('parseTokenRequest', () => {
  it('VCI:T4 takes a request and ignores what it does not know', () => {
    expect(parse(form(['foo', 'bar'], ['tx_code', '0123'], ['client_id', 'wallet']))).toEqual({
      preAuthorizedCode: 'code',
      txCode: '0123',
      clientId: 'wallet',
      namesScope: false,
      usesUnknownAuthentication: false,
      authorizationDetails: undefined,
    });
  });

  it('VCI:T13 tells whether the wallet names a scope; an empty one counts as absent', () => {
    expect(parse(form(['scope', 'pid other'])).namesScope).toBe(true);
    expect(parse(form(['scope', ''])).namesScope).toBe(false);
  });

  it.each<[string, Form]>([
    [
      'twice',
      [
        ['resource', issuerUrl],
        ['resource', 'https://other.example'],
      ],
    ],
    [
      'with brackets',
      [
        ['wallet[version]', '1'],
        ['x[]', '1'],
        ['[tx_code]', '1'],
      ],
    ],
  ])('VCI:T4 ignores what it does not know if it comes %s', (_how, more) => {
    expect(parse(form(...more))).toEqual(parse(form()));
  });

  it.each(['client_secret', 'client_assertion', 'client_assertion_type'])(
    'VCI:T17 tells that the client authenticates by %s; an empty one counts as absent',
    (name) => {
      expect(parse(form([name, 'x'])).usesUnknownAuthentication).toBe(true);
      expect(parse(form([name, ''])).usesUnknownAuthentication).toBe(false);
    },
  );

  it.each<[string, Form, string]>([
    ['VCI:T2 a missing grant_type', [['pre-authorized_code', 'x']], 'invalid_request'],
    [
      'VCI:T2 an empty grant_type',
      [
        ['grant_type', ''],
        ['pre-authorized_code', 'x'],
      ],
      'invalid_request',
    ],
    ['VCI:T2 a repeated grant_type', form(['grant_type', PRE_AUTHORIZED_CODE_GRANT]), 'invalid_request'],
    [
      'VCI:T2 another grant_type',
      [
        ['grant_type', 'authorization_code'],
        ['code', 'x'],
      ],
      'unsupported_grant_type',
    ],
    ['VCI:T19 a refresh token', [['grant_type', 'refresh_token']], 'unsupported_grant_type'],
    ['VCI:T5 a missing code', [['grant_type', PRE_AUTHORIZED_CODE_GRANT]], 'invalid_request'],
    ['VCI:T3 a repeated code', form(['pre-authorized_code', 'other']), 'invalid_request'],
    ['VCI:T3 a structured parameter', form(['tx_code[a]', '1']), 'invalid_request'],
    ['VCI:T3 structured details', form(['authorization_details[0][type]', 'openid_credential']), 'invalid_request'],
    ['VCI:T3 two scopes', form(['scope', 'pid'], ['scope', 'pid']), 'invalid_request'],
    ['VCI:T12 malformed details', form(['authorization_details', '{']), 'invalid_authorization_details'],
  ])('refuses %s', (_what, entries, expected) => {
    expect(() => parse(entries)).toThrow(code(expected));
  });

  it('VCI:T3 an empty transaction code is none', () => {
    expect(parse(form(['tx_code', ''])).txCode).toBeUndefined();
  });

  it('VCI:T3 answers any form with a request or a typed error', () => {
    const value = fc.oneof(fc.string(), fc.json());
    const name = fc.constantFrom('grant_type', 'pre-authorized_code', 'tx_code', 'authorization_details');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (entries) => {
        try {
          parse([...form().slice(0, 1), ...entries]);
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError);
        }
      }),
    );
  });
});

describe('requireTxCodeAsOffered', () => {
  const with_ = parse(form(['tx_code', '1234']));
  const without = parse(form());

  it('VCI:T6 wants a transaction code exactly when one was asked for', () => {
    expect(() => requireTxCodeAsOffered(with_, true)).not.toThrow();
    expect(() => requireTxCodeAsOffered(without, false)).not.toThrow();
    expect(() => requireTxCodeAsOffered(without, true)).toThrow(code('invalid_request'));
    expect(() => requireTxCodeAsOffered(with_, false)).toThrow(code('invalid_request'));
  });

  it('VCI:T6 a wrong one is invalid_grant', () => {
    expect(WRONG_TX_CODE).toBe('invalid_grant');
  });
});

describe('authorization details', () => {
  const entry = { type: 'openid_credential', credential_configuration_id: 'pid' };
  const details = (value: unknown) => parseAuthorizationDetails(JSON.stringify(value), issuerUrl);
  const refused = code('invalid_authorization_details');

  it('VCI:T12 takes the named configurations, each once, and ignores unknown members', () => {
    expect(details([entry, { ...entry, foo: 1, locations: [issuerUrl] }])).toEqual(['pid']);
    expect(details([entry, { ...entry, credential_configuration_id: 'other' }])).toEqual(['pid', 'other']);
    expect(details([{ ...entry, locations: null }])).toEqual(['pid']);
    expect(details(Array(20).fill(entry))).toEqual(['pid']);
  });

  it.each<[string, unknown]>([
    ['no array', entry],
    ['an empty array', []],
    ['an entry that is text', ['pid']],
    ['another type', [{ ...entry, type: 'payment' }]],
    ['no configuration id', [{ type: 'openid_credential' }]],
    ['a format of an old draft', [{ type: 'openid_credential', format: 'vc+sd-jwt', vct: 'x' }]],
    ['a configuration id that is no text', [{ ...entry, credential_configuration_id: 1 }]],
    ['the location of another issuer', [{ ...entry, locations: ['https://other.example'] }]],
    ['a location that is no array', [{ ...entry, locations: issuerUrl }]],
    ['21 entries', Array(21).fill(entry)],
  ])('VCI:T12 refuses %s', (_what, value) => {
    expect(() => details(value)).toThrow(refused);
  });

  it('VCI:T12 refuses a configuration that was not offered', () => {
    expect(() => grantAuthorizationDetails(['pid', 'other'], ['pid'])).toThrow(refused);
  });

  it('VCI:T12 answers with an identifier for each', () => {
    const granted = grantAuthorizationDetails(['pid'], ['pid']);
    expect(buildAuthorizationDetails(granted)).toEqual([{ ...entry, credential_identifiers: ['pid'] }]);
  });

  it('VCI:T12 answers 100 KB at once', () => {
    const work = () => expect(() => parseAuthorizationDetails('['.repeat(100_000), issuerUrl)).toThrow(refused);
    expect(fastestMilliseconds(work)).toBeLessThan(50);
  });
});

describeWithVectors('authorization details of the standard', () => {
  const vector = (name: string) => JSON.stringify(readJsonVector(`issuer/${name}.json`));
  it.each([
    ['authorization_details', ['UniversityDegreeCredential']],
    ['authorization_details_multiple_credentials', ['UniversityDegreeCredential', 'org.iso.18013.5.1.mDL']],
    ['authorization_details_sd_jwt_vc', ['PID_SD_JWT_VC']],
    ['authorization_details_with_as', ['UniversityDegreeCredential']],
  ])('VCI:T12 takes %s', (name, expected) => {
    expect(parseAuthorizationDetails(vector(`oid4vci-1.0/examples/${name}`), issuerUrl)).toEqual(expected);
  });

  it('VCI:T12 refuses the shape of an old draft', () => {
    const stale = vector('haip-1.0-STALE-negative/authorization_details_sd_jwt_vc');
    expect(() => parseAuthorizationDetails(stale, issuerUrl)).toThrow(code('invalid_authorization_details'));
  });
});
