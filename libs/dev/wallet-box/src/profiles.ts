import { randomBytes } from 'node:crypto';
import type { PresentationOptions, RedeemOptions } from '@vestibule/demo-wallet';
import type { Outcome } from './report';

/** What a known wallet does differently from this one, as its published sources say. No wallet was run for it. */
export interface WalletProfile {
  readonly name: string;
  /** The wallet, and the version whose source was read. */
  readonly wallet: string;
  /** Where it is seen: repository, commit or issue, and file. */
  readonly source: string;
  /** One sentence: what it sends. */
  readonly about: string;
  /** What a correct verifier makes of a presentation, and of a decline, where that is not what the case says. */
  readonly expected?: { readonly present?: Outcome; readonly decline?: Outcome };
  readonly present?: (options: PresentationOptions) => PresentationOptions;
  readonly redeem?: RedeemOptions;
  /** Changes the headers of a request of this method. */
  readonly headers?: (headers: Headers, method: string) => void;
}

/** How this wallet asks for a request object. */
const REQUEST_OBJECT = 'application/oauth-authz-req+jwt';
const isRequestObject = (headers: Headers) => headers.get('accept') === REQUEST_OBJECT;

/** The wallets of which something is known; `vestibule wallet profiles` lists them. */
export const WALLET_PROFILES: readonly WalletProfile[] = [
  {
    name: 'eudi-kotlin',
    wallet: 'EU reference wallet for Android, by its library eudi-lib-jvm-openid4vp-kt 0.15.0',
    source: 'eu-digital-identity-wallet/eudi-lib-jvm-openid4vp-kt 56ea10e, internal/response/ResponseEncryption.kt',
    about: 'binds the encryption to a value of its own (apu) beside the nonce (apv)',
    present: (options) => ({ ...options, partyInfo: randomBytes(16).toString('base64url') }),
  },
  {
    name: 'paradym',
    wallet: 'Paradym Wallet 1.20.3, with @openid4vc/openid4vp 0.4.6',
    source: 'animo/paradym-wallet c403893, packages/sdk/src/openid4vc/credentialBindingResolver.ts',
    about: 'asks for as many credentials as the issuer allows, at most 10, and accepts three types of request objects',
    redeem: { batch: { atMost: 10 } },
    headers: (headers) => {
      if (isRequestObject(headers)) headers.set('accept', `${REQUEST_OBJECT}, application/jwt;q=0.9, text/plain`);
    },
  },
  {
    name: 'swiyu',
    wallet: 'swiyu Wallet for Android 1.16.3',
    source: 'swiyu-admin-ch/eidch-android-wallet f7fb6ea, openid4vc/…/data/PresentationRequestRepositoryImpl.kt',
    about: 'declines with a plain error without state, and sends SWIYU-API-Version with what it posts',
    expected: { decline: 'refused' },
    present: (options) =>
      options.deny
        ? { ...options, deny: 'plain', faults: { ...options.faults, response: { state: undefined } } }
        : options,
    headers: (headers, method) => {
      if (method === 'POST') headers.set('SWIYU-API-Version', '2');
      if (isRequestObject(headers)) headers.set('content-type', 'application/jwt');
    },
  },
  {
    name: 'wwwallet-0.3',
    wallet: 'wwWallet 0.3.1',
    source: 'wwWallet/wallet-frontend issue 817',
    about: 'sends each presentation as a string where OpenID4VP 1.0 has an array of strings',
    expected: { present: 'refused' },
    present: (options) => ({
      ...options,
      faults: {
        vpToken: (token) => Object.fromEntries(Object.entries(token).map(([id, [presentation]]) => [id, presentation])),
        ...options.faults,
      },
    }),
  },
];

/** Sends as the profile says, over the network of this platform. */
export const fetchAs =
  ({ headers }: WalletProfile): typeof fetch =>
  (input, init = {}) => {
    const changed = new Headers(init.headers);
    headers?.(changed, init.method ?? 'GET');
    return fetch(input, { ...init, headers: changed });
  };
