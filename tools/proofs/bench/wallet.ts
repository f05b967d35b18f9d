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

/** What every wallet of a driver uses. */
export interface Surroundings {
  readonly http: Http;
  readonly events: CallbackEvents;
  readonly addresses: StackAddresses;
  readonly issuer: IssuerEndpoints;
}

/** What a wallet has read once from the metadata of the issuer. */
export interface IssuerEndpoints {
  readonly issuer: string;
  readonly token: string;
  readonly nonce: string;
  readonly credential: string;
  readonly configurationId: string;
  /** Of encrypted credential requests; undefined where they are sent as JSON. */
  readonly recipient: Recipient | undefined;
}

/** One wallet: its keys with the headers that they sign, and its presentation once it holds a credential. */
export interface Wallet {
  readonly dpop: SigningKey & { readonly header: string };
  readonly holder: SigningKey & { readonly proofHeader: string; readonly bindingHeader: string };
  readonly agreement: AgreementKey;
  presentation?: CutPresentation;
}

/** An SD-JWT with the disclosures that the queries of the driver ask for, and what never changes about it. */
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

/** The claim that is asked for. */
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
 * Keeps of an issued SD-JWT only the disclosure of the presented claim.
 * @throws StepFault when the credential does not have it
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

/** @throws StepFault for what is not JSON */
export function readJson(step: string, text: string): Members {
  try {
    return JSON.parse(text) as Members;
  } catch {
    throw new StepFault(step, 'no_json');
  }
}

/** Asks for JSON and reads it. @throws StepFault for any other content */
export async function askJson(http: Http, step: string, question: Question): Promise<Members> {
  return readJson(step, await http.ask(step, question));
}

/** A member that is a text. @throws StepFault when it is not there */
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
