import type { CallbackEvents } from './callback-events';
import { StepFault, type StackAddresses } from './flows';
import type { StepClock } from './step-clock';
import {
  createAgreementKey,
  createSigningKey,
  encodeJson,
  sha256,
  type AgreementKey,
  type EcJwk,
  type Recipient,
  type SigningKey,
} from './wallet-crypto';
import type { Http, Question } from './wallet-http';

/** What all wallets of a driver share. */
export interface Surroundings {
  readonly http: Http;
  readonly events: CallbackEvents;
  readonly addresses: StackAddresses;
  readonly issuer: IssuerEndpoints;
}

/** The part of the issuer's metadata that a wallet has read once. */
export interface IssuerEndpoints {
  readonly issuer: string;
  readonly token: string;
  readonly nonce: string;
  readonly credential: string;
  readonly configurationId: string;
  /** For encrypted credential requests; undefined if they are sent as JSON. */
  readonly recipient: Recipient | undefined;
}

/** One wallet: its keys with their JWT headers, and its presentation once it holds a credential. */
export interface Wallet {
  readonly dpop: SigningKey & { readonly header: string };
  readonly holder: SigningKey & { readonly proofHeader: string; readonly bindingHeader: string };
  readonly agreement: AgreementKey;
  presentation?: CutPresentation;
}

/** An SD-JWT with the disclosures that the driver's queries request, and its constant parts. */
export interface CutPresentation {
  readonly sdJwt: string;
  readonly sdHash: string;
}

/** A flow of one wallet. */
export interface Run {
  readonly surroundings: Surroundings;
  readonly wallet: Wallet;
  readonly clock: StepClock;
  /** Waits for every event before the next step. */
  readonly oneByOne: boolean;
}

/** The requested claim. */
export const PRESENTED_CLAIM = 'family_name';

type Members = Readonly<Record<string, unknown>>;

const header = (typ: string, jwk?: EcJwk) => encodeJson({ typ, alg: 'ES256', ...(jwk && { jwk }) });

export function createWallet(): Wallet {
  const [dpop, holder] = [createSigningKey(), createSigningKey()];
  return {
    dpop: { ...dpop, header: header('dpop+jwt', dpop.jwk) },
    holder: {
      ...holder,
      proofHeader: header('openid4vci-proof+jwt', holder.jwk),
      bindingHeader: header('kb+jwt'),
    },
    agreement: createAgreementKey(),
  };
}

/**
 * Removes all disclosures from an issued SD-JWT, except that of the presented claim.
 * @throws StepFault if the credential does not have it
 */
export function cutPresentation(credential: string): CutPresentation {
  const [jwt = '', ...disclosures] = credential.split('~').filter((part) => part !== '');
  const wanted = disclosures.find((disclosure) => {
    const [, name] = JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as readonly unknown[];
    return name === PRESENTED_CLAIM;
  });
  if (wanted === undefined) throw new StepFault('credential', `no_disclosure_of_${PRESENTED_CLAIM}`);
  const sdJwt = `${jwt}~${wanted}~`;
  return { sdJwt, sdHash: sha256(sdJwt) };
}

/** @throws StepFault if it is not JSON */
export function readJson(step: string, text: string): Members {
  try {
    return JSON.parse(text) as Members;
  } catch {
    throw new StepFault(step, 'no_json');
  }
}

/** Requests JSON and parses it. @throws StepFault for any other content */
export async function askJson(http: Http, step: string, question: Question): Promise<Members> {
  return readJson(step, await http.ask(step, question));
}

/** A member that is a string. @throws StepFault if it is missing */
export function textIn(members: Members, name: string, step: string): string {
  const value = members[name];
  if (typeof value === 'string') return value;
  throw new StepFault(step, `no_${name}`);
}

/** A POST of a backend to the management listener. */
export const managementPost = ({ addresses }: Surroundings, path: string, body: object): Question => ({
  method: 'POST',
  url: `${addresses.managementUrl}${path}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
