import { createRequire } from 'node:module';
import type * as CommandActions from './command-actions';
import type * as IssuanceCases from './issuance-cases';
import type * as PresentationCases from './presentation-cases';
import { WALLET_PROFILES } from './profiles';

const load = createRequire(__filename);
/** Loaded when it is needed: the libraries of the protocols take half a second to load. */
const loadActions = () => load('./command-actions') as typeof CommandActions;

const FILE = {
  credential: {
    value: 'FILE',
    about: 'the credentials of the wallet and their keys; redeem makes the file or adds to it',
  },
};
const EXPECT = {
  expect: { value: 'accepted|refused|stopped', about: 'how it must end for exit code 0; default: as is right' },
};
const PROFILE = { value: 'NAME', about: 'imitates a known wallet, as far as its sources say; profiles lists them' };
const MISBEHAVE = { value: 'CASE', about: 'what the wallet does instead of what is right; cases lists them' };

/** The columns of `vestibule wallet cases`: protocol, case, how it must end, and what the wallet does. */
function caseRows(): readonly string[] {
  const { PRESENTATION_CASES } = load('./presentation-cases') as typeof PresentationCases;
  const { ISSUANCE_CASES } = load('./issuance-cases') as typeof IssuanceCases;
  return [
    ...PRESENTATION_CASES.map(({ name, expected, about }) => ['present', name, expected, about].join('\t')),
    ...ISSUANCE_CASES.map(({ name, expected, about }) => ['redeem', name, expected, about].join('\t')),
  ];
}

/** `vestibule wallet`: the command of the operator's program that only a checkout has. */
export const walletCommand = {
  name: 'wallet',
  summary: 'is a wallet for tests, right or wrong in one respect; only in a checkout',
  actions: [
    {
      name: 'redeem',
      about: 'redeems an offer, of an address or of the JSON on standard input',
      arguments: [{ name: 'offer-uri', required: false }],
      options: {
        'tx-code': { value: 'CODE', about: 'the transaction code; default: tx_code_value of the JSON that was piped' },
        misbehave: MISBEHAVE,
        profile: PROFILE,
        ...FILE,
        ...EXPECT,
      },
      run: (input: CommandActions.WalletInput) => loadActions().redeem(input),
    },
    {
      name: 'present',
      about: 'answers a request, of an address or of the JSON on standard input',
      arguments: [{ name: 'request-uri', required: false }],
      options: {
        misbehave: MISBEHAVE,
        profile: PROFILE,
        ...FILE,
        ...EXPECT,
        confirm: { about: 'the user confirms the transaction data of the request, with two factors (TS12)' },
        'issuer-chain': {
          value: 'FILE',
          about: 'PEM file with the certificates of an issuer that the verifier trusts',
        },
        'issuer-key': {
          value: 'FILE',
          about: 'PEM file with its key: the wallet then makes the credentials that it lacks',
        },
      },
      run: (input: CommandActions.WalletInput) => loadActions().present(input),
    },
    {
      name: 'cases',
      about: 'lists what the wallet can do, and how it must end',
      arguments: [],
      options: {},
      run: ({ host }: CommandActions.WalletInput) => {
        for (const row of caseRows()) host.print(row);
        return Promise.resolve(0);
      },
    },
    {
      name: 'profiles',
      about: 'lists the known wallets that it can imitate, and where it is seen what they send',
      arguments: [],
      options: {},
      run: ({ host }: CommandActions.WalletInput) => {
        for (const { name, wallet, about, source } of WALLET_PROFILES) {
          host.print([name, wallet, about, source].join('\t'));
        }
        return Promise.resolve(0);
      },
    },
  ],
  about: [
    'For the tests of integrators, against any OpenID4VP or OpenID4VCI endpoint. It prints one JSON object: how it ended\n' +
      '(accepted, refused by the other side, or stopped by the wallet itself), what was expected, and every step.',
    'Exit code 0: it ended as it must, so a wrong wallet must be refused. A credential file holds private keys of the test\n' +
      'wallet. To test a revoked credential, revoke it at its issuer and present it. Its credentials prove nothing.',
  ],
  examples: [
    [
      'vestibule wallet redeem --credential card.json',
      'redeems the offer that is piped to it: curl … | vestibule wallet …',
    ],
    [
      "vestibule wallet redeem 'openid-credential-offer://?credential_offer_uri=…' --tx-code 123456 --credential card.json",
      'the same, by its address',
    ],
    ['vestibule wallet present --credential card.json', 'answers the request that is piped to it'],
    ['vestibule wallet present --credential card.json --misbehave wrong-nonce', 'exit code 0 if the verifier refuses'],
  ] as readonly (readonly [string, string])[],
};
