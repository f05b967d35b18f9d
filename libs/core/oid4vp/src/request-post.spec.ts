import { parseRequestPost } from './index';

const invalid = expect.objectContaining({ code: 'invalid_request' });
const metadata = (value: unknown) =>
  [['wallet_metadata', typeof value === 'string' ? value : JSON.stringify(value)]] as [string, string][];

describe('parseRequestPost', () => {
  it('VP:B8 takes wallet_nonce', () => {
    expect(parseRequestPost([['wallet_nonce', 'abc']])).toEqual({ walletNonce: 'abc' });
  });

  it('VP:B9 ignores unknown parameters and unknown metadata', () => {
    expect(parseRequestPost([['foo', '1'], ...metadata({ anything: { nested: true } })])).toEqual({});
  });

  it('VP:B9 ignores unknown metadata with numbers that a double does not have', () => {
    expect(parseRequestPost(metadata('{"iat":1795830542.12345678,"a":{"b":[1e999,9007199254740993]}}'))).toEqual({});
    expect(() => parseRequestPost(metadata('{"a":1e999,"a":1e999}'))).toThrow(invalid);
  });

  it('VP:B9 takes a member that is null for one that is absent', () => {
    const names = [
      'vp_formats_supported',
      'client_id_prefixes_supported',
      'request_object_signing_alg_values_supported',
    ];
    const lists = [
      'jwks',
      'authorization_encryption_alg_values_supported',
      'request_object_encryption_enc_values_supported',
    ];
    for (const name of [...names, ...lists]) expect(parseRequestPost(metadata({ [name]: null }))).toEqual({});
    expect(() => parseRequestPost(metadata({ client_id_prefixes_supported: [null] }))).toThrow(invalid);
  });

  it.each([
    ['VP:B9 metadata that is not JSON', metadata('notjson')],
    ['VP:B9 metadata that is an array', metadata([])],
    ['VP:B9 metadata beyond 64 KB', metadata({ x: 'y'.repeat(70_000) })],
    [
      'VP:B10 a wallet that signs with EdDSA only',
      metadata({ request_object_signing_alg_values_supported: ['EdDSA'] }),
    ],
    ['VP:B10 a wallet without dc+sd-jwt', metadata({ vp_formats_supported: { mso_mdoc: {} } })],
    ['VP:B10 a wallet without x509_hash', metadata({ client_id_prefixes_supported: ['redirect_uri'] })],
    [
      'a repeated nonce',
      [
        ['wallet_nonce', 'a'],
        ['wallet_nonce', 'b'],
      ] as [string, string][],
    ],
    ['a nonce of 2,000 characters', [['wallet_nonce', 'a'.repeat(2_000)]] as [string, string][]],
  ])('refuses %s', (_what, form) => {
    expect(() => parseRequestPost(form)).toThrow(invalid);
  });
});
