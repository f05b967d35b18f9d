import { walletError } from './wallet-error';

describe('walletError', () => {
  it.each([
    'invalid_request',
    'invalid_scope',
    'invalid_client',
    'access_denied',
    'server_error',
    'temporarily_unavailable',
    'vp_formats_not_supported',
    'invalid_request_uri_method',
    'invalid_transaction_data',
    'wallet_unavailable',
    'some_code_of_tomorrow',
  ])('VP:I6 passes %s through as it is', (code) => {
    expect(walletError(code, undefined)).toEqual({ code });
  });

  it.each(['', '\u0000\u0007', '"', '\u00e9'])(
    'VP:I5 has a name for a code without one allowed character: %j',
    (code) => {
      expect(walletError(code, 7)).toEqual({ code: 'unspecified_error' });
    },
  );
});
