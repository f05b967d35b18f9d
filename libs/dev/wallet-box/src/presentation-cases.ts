import {
  selectCredentials,
  WalletRefusal,
  type JsonObject,
  type PresentationFaults,
  type PresentationOptions,
} from '@vestibule/demo-wallet';
import { foreignIdentity, imitatedIdentity, leafAsAuthority, selfSignedIdentity } from './identities';
import { mintFor, type IssuerIdentity } from './mint';
import type { Outcome } from './report';
import type { Need, Surroundings } from './surroundings';

/** One way in which a wallet answers a request. */
export interface PresentationCase {
  readonly name: string;
  /** One sentence: what the wallet does. */
  readonly about: string;
  /** What a correct verifier makes of it. */
  readonly expected: Outcome;
  readonly needs: readonly Need[];
  /** Answers twice, or only after a while. */
  readonly timing?: 'twice' | 'slow';
  readonly options: (surroundings: Surroundings) => PresentationOptions;
}

const DAY_SECONDS = 86_400;

type Supply = NonNullable<PresentationOptions['supply']>;

/** Credentials of the wallet if they match, else new ones of the trusted issuer, where there is one. */
const heldOrMinted =
  ({ wallet, issuer, now }: Surroundings): Supply =>
  async (dcqlQuery) => {
    try {
      selectCredentials(dcqlQuery, wallet.credentials(), {});
      return undefined;
    } catch (error) {
      const isMissing = error instanceof WalletRefusal && error.code === 'no_matching_credential';
      if (!isMissing || issuer === undefined) throw error;
      return mintFor(dcqlQuery, { wallet, identity: issuer, now: now() });
    }
  };

/** New credentials of this identity, with these members of the payload. */
function minted(
  { wallet, now }: Surroundings,
  identity: (at: Date) => Promise<IssuerIdentity> | IssuerIdentity,
  payload: () => Promise<JsonObject> | JsonObject = () => ({}),
): Supply {
  return async (dcqlQuery) =>
    mintFor(dcqlQuery, { wallet, identity: await identity(now()), now: now(), payload: await payload() });
}

const trusted = ({ issuer }: Surroundings): IssuerIdentity => issuer as IssuerIdentity;

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);

type Row = Omit<PresentationCase, 'needs' | 'expected'> & Partial<PresentationCase>;

const define = (row: Row): PresentationCase => ({ expected: 'refused', needs: [], ...row });

/** A right credential, and one fault in what the wallet sends. */
const faulty = (name: string, about: string, faults: (surroundings: Surroundings) => PresentationFaults) =>
  define({ name, about, options: (around) => ({ supply: heldOrMinted(around), faults: faults(around) }) });

/** A credential with one fault, presented as it should be. */
const wrongCredential = (
  row: Omit<Row, 'options'>,
  identity: (around: Surroundings, at: Date) => Promise<IssuerIdentity> | IssuerIdentity,
  payload?: (around: Surroundings) => Promise<JsonObject> | JsonObject,
) =>
  define({
    ...row,
    options: (around) => ({
      supply: minted(
        around,
        (at) => identity(around, at),
        () => payload?.(around) ?? {},
      ),
    }),
  });

const parts = (sdJwt: string) => sdJwt.split('~');

/** The last element of the first disclosure, its value, becomes another one. */
function withTamperedDisclosure(sdJwt: string): string {
  const [jwt = '', first = '', ...rest] = parts(sdJwt);
  const disclosure = JSON.parse(Buffer.from(first, 'base64url').toString('utf8')) as unknown[];
  const changed = [...disclosure.slice(0, -1), 'Tampered'];
  return [jwt, Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('~');
}

function withInventedClaim(sdJwt: string): string {
  const invented = Buffer.from(JSON.stringify(['c2FsdA', 'role', 'administrator'])).toString('base64url');
  return `${sdJwt}${invented}~`;
}

function withTamperedSignature(sdJwt: string): string {
  const [jwt = '', ...rest] = parts(sdJwt);
  const at = jwt.length - 20;
  return [`${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`, ...rest].join('~');
}

const ofStatus = (status: 'revoked' | 'suspended') =>
  wrongCredential(
    {
      name: `${status}-credential`,
      about: `presents a credential whose status list says ${status}`,
      needs: ['issuer', 'publishStatus'],
    },
    trusted,
    async ({ publishStatus }) => ({ status: { status_list: await publishStatus?.(status) } }),
  );

/** What a wallet can do with a request; the first is what it should do. */
export const PRESENTATION_CASES: readonly PresentationCase[] = [
  define({
    name: 'accept',
    about: 'presents what was asked for',
    expected: 'accepted',
    options: (around) => ({ supply: heldOrMinted(around) }),
  }),
  define({
    name: 'decline',
    about: 'says that the user declined',
    expected: 'accepted',
    options: () => ({ deny: true }),
  }),
  wrongCredential(
    { name: 'expired-credential', about: 'presents a credential that expired yesterday', needs: ['issuer'] },
    trusted,
    ({ now }) => ({ iat: seconds(now()) - 3 * DAY_SECONDS, exp: seconds(now()) - DAY_SECONDS }),
  ),
  ofStatus('revoked'),
  ofStatus('suspended'),
  wrongCredential(
    { name: 'foreign-issuer', about: 'presents a credential of an issuer below an unknown root' },
    (_, at) => foreignIdentity(at),
  ),
  wrongCredential(
    {
      name: 'imitated-issuer',
      about: 'presents a credential of a stranger who uses all names of the trusted issuer',
      needs: ['issuer'],
    },
    (around, at) => imitatedIdentity(at, trusted(around)),
  ),
  wrongCredential(
    { name: 'self-signed-issuer', about: 'presents a credential under a certificate that certifies itself' },
    ({ issuer }, at) => selfSignedIdentity(at, issuer),
  ),
  wrongCredential(
    {
      name: 'issuer-as-authority',
      about: 'presents a credential below the certificate of the trusted issuer, which is no authority',
      needs: ['issuer'],
    },
    (around, at) => leafAsAuthority(at, trusted(around)),
  ),
  faulty('tampered-disclosure', 'changes the value of a disclosed claim', () => ({ sdJwt: withTamperedDisclosure })),
  faulty('invented-claim', 'adds a claim that the issuer did not sign', () => ({ sdJwt: withInventedClaim })),
  faulty('tampered-signature', 'changes the signature of the issuer', () => ({ sdJwt: withTamperedSignature })),
  faulty('wrong-nonce', 'proves its key for another request', () => ({
    keyBinding: { payload: { nonce: 'a-nonce-of-another-request' } },
  })),
  faulty('wrong-audience', 'proves its key for another verifier', () => ({
    keyBinding: { payload: { aud: 'x509_san_dns:elsewhere.example' } },
  })),
  faulty('old-proof', 'proves its key with a proof of yesterday', ({ now }) => ({
    keyBinding: { payload: { iat: seconds(now()) - DAY_SECONDS } },
  })),
  faulty('stolen-credential', 'presents a credential without having its key', () => ({
    keyBinding: { signWithOtherKey: true },
  })),
  faulty('no-key-binding', 'presents a credential without any proof of its key', () => ({ withoutKeyBinding: true })),
  define({
    name: 'missing-claim',
    about: 'keeps back the claims that were asked for',
    options: (around) => ({ supply: heldOrMinted(around), disclose: () => [] }),
  }),
  faulty('other-state', 'answers with the state of another request', () => ({
    response: { state: 'a-state-of-another-request' },
  })),
  faulty('unencrypted', 'sends the response without encryption', () => ({ withoutEncryption: true })),
  define({
    name: 'twice',
    about: 'answers a second time, with another response',
    timing: 'twice',
    options: (around) => ({ supply: heldOrMinted(around) }),
  }),
  define({
    name: 'slow',
    about: 'answers after a while',
    expected: 'accepted',
    timing: 'slow',
    options: (around) => ({ supply: heldOrMinted(around) }),
  }),
];
