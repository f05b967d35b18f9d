/** What the console says about itself. */
export interface About {
  readonly version: string;
  readonly managementUrl: string;
  readonly mode: 'local' | 'remote';
  readonly baseUrl?: string;
  readonly issuerUrl?: string;
  /** Where flows of this console report to, if the stack reports elsewhere. */
  readonly callbackUrl?: string;
  readonly types: readonly CredentialType[];
  readonly cases: { readonly present: readonly WalletCase[]; readonly redeem: readonly WalletCase[] };
}

export interface WalletCase {
  readonly name: string;
  readonly about: string;
  readonly expected: string;
}

/** One claim of Type Metadata. */
export interface ClaimMetadata {
  readonly path: readonly (string | number | null)[];
  readonly mandatory?: boolean;
  readonly sd?: string;
  readonly display?: readonly { readonly locale: string; readonly label: string }[];
}

export interface CredentialType {
  readonly id: string;
  readonly metadata: {
    readonly name?: string;
    readonly description?: string;
    readonly display?: readonly { readonly locale: string; readonly name: string }[];
    readonly claims?: readonly ClaimMetadata[];
  };
}

export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** One step of a wallet. */
export interface Step {
  readonly name: string;
  readonly milliseconds: number;
  readonly request?: string;
  readonly status?: number;
}

export interface WalletReport {
  readonly case: string;
  readonly outcome: 'accepted' | 'refused' | 'stopped';
  readonly expected: string;
  readonly asExpected: boolean;
  readonly status?: number;
  readonly error?: string;
  readonly detail?: string;
  readonly redirectUri?: string;
  readonly steps: readonly Step[];
}

/** One rule of a decision record. */
export interface Check {
  readonly check: string;
  readonly section: string;
  readonly credential?: string;
  readonly outcome: 'passed' | 'failed';
  readonly milliseconds: number;
  readonly code?: string;
  readonly remedy?: string;
  readonly note?: string;
}

export interface LoggedCallback {
  readonly number: number;
  readonly receivedAt: string;
  readonly subject?: string;
  readonly status?: string;
  readonly body: unknown;
  readonly webhookId?: string;
  readonly signature: string;
}

/** A request or an offer as the management API shows it. */
export interface FlowView {
  readonly state?: string;
  readonly offer_id?: string;
  readonly status: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly finished_at?: string;
  readonly checks?: readonly Check[];
  readonly delivery?: { readonly state: string };
}

/** A call was refused; `faults` are those of the management API. */
export class CallFault extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly code: string | undefined,
    readonly faults: readonly Fault[],
  ) {
    super(detail);
  }
}

interface Problem {
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly Fault[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A call of the console's own server. Throws a {@link CallFault}. */
export async function call<T>(method: Method, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const init = method === 'GET' ? { method } : { method, headers, body: JSON.stringify(body ?? {}) };
  const response = await fetch(`/api${path}`, init);
  const answer = (await response.json()) as T & Problem;
  if (response.ok) return answer;
  throw new CallFault(response.status, answer.detail ?? String(response.status), answer.code, answer.errors ?? []);
}

/** A call of the management API, through the console's server. */
export const manage = <T>(method: Method, path: string, body?: object): Promise<T> =>
  call<T>(method, `/management${path}`, body);
