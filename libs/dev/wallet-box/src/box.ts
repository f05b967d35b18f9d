import { createWallet, type StoredCredential, type Wallet, type WalletStep } from '@vestibule/demo-wallet';
import { ISSUANCE_CASES, type IssuanceCase } from './issuance-cases';
import { PRESENTATION_CASES, type PresentationCase } from './presentation-cases';
import { fetchAs } from './profiles';
import { endOfError, reportOf, type CredentialSummary, type End, type WalletReport } from './report';
import { hasAll, type Surroundings } from './surroundings';

/** The wallet in a box: each method runs one case and reports what the wallet saw. */
export interface WalletBox {
  /** What it holds, and its keys. */
  readonly wallet: Wallet;
  /** Answers a request (OpenID4VP 1.0). Throws {@link UnknownCaseError}. */
  present(name: string, requestUri: string): Promise<WalletReport>;
  /** Redeems an offer (OpenID4VCI 1.0, pre-authorized code). Throws {@link UnknownCaseError}. */
  redeem(name: string, offerUri: string, txCode?: string): Promise<WalletReport>;
}

/** There is no such case, or it needs what is not there. */
export class UnknownCaseError extends Error {}

const summaryOf = ({ id, vct, configurationId }: StoredCredential): CredentialSummary => ({
  id,
  vct,
  ...(configurationId === undefined ? {} : { configurationId }),
});

function find<Case extends { readonly name: string }>(cases: readonly Case[], name: string): Case {
  const found = cases.find((one) => one.name === name);
  if (found) return found;
  throw new UnknownCaseError(`unknown case: ${name}; known: ${cases.map((one) => one.name).join(', ')}`);
}

async function endOf(run: () => Promise<End>): Promise<End> {
  try {
    return await run();
  } catch (error) {
    return endOfError(error);
  }
}

const errorOf = (body: unknown): string | undefined => {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { readonly error?: unknown };
  return typeof error === 'string' ? error : undefined;
};

/** The user confirms whatever transaction, with two factors (TS12 §3.6). */
const CONFIRMED = {
  transactionDataTypes: 'any',
  authenticationFactors: [{ knowledge: 'pin_6_or_more_digits' }, { possession: 'key_in_local_native_wscd' }],
} as const;

async function presentAs(one: PresentationCase, requestUri: string, around: Surroundings): Promise<End> {
  const { wallet } = around;
  const confirmed = around.confirms ? CONFIRMED : {};
  const options = { ...one.options(around), ...confirmed };
  const build = () => wallet.buildPresentation(requestUri, around.profile?.present?.(options) ?? options);
  const built = await build();
  // Before the first is sent: afterwards, the request can no longer be fetched.
  const second = one.timing === 'twice' ? await build() : undefined;
  if (one.timing === 'slow') await around.wait(around.slowMilliseconds);
  const first = await wallet.send(built.responseUri, built.form);
  const { status, body, redirectUri } = second ? await wallet.send(second.responseUri, second.form) : first;
  const error = errorOf(body);
  return {
    outcome: status === 200 ? 'accepted' : 'refused',
    status,
    ...(error === undefined ? {} : { error }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    credentials: built.selections.map(({ credential }) => summaryOf(credential)),
  };
}

/** What a correct verifier does: a wallet that is wrong by its profile is refused even when its user does what is right. */
function expectedOf({ name, expected }: PresentationCase, { profile }: Surroundings): End['outcome'] {
  if (expected !== 'accepted') return expected;
  return profile?.expected?.[name === 'decline' ? 'decline' : 'present'] ?? expected;
}

async function redeemAs(
  one: IssuanceCase,
  around: Surroundings,
  { offerUri, txCode }: { readonly offerUri: string; readonly txCode: string | undefined },
): Promise<End> {
  if (one.timing === 'never') return { outcome: 'stopped', detail: 'the user declined: nothing was sent' };
  if (one.timing === 'slow') await around.wait(around.slowMilliseconds);
  const redeem = () => around.wallet.redeem(offerUri, { ...around.profile?.redeem, ...one.options(txCode) });
  const first = await redeem();
  const { credentials, deferred } = one.timing === 'twice' ? await redeem() : first;
  const detail = deferred.length === 0 ? {} : { detail: 'the issuer deferred the credential' };
  return { outcome: 'accepted', ...detail, credentials: credentials.map(summaryOf) };
}

/** A wallet that behaves as each case says; one run at a time. */
export function createWalletBox(options: Omit<Surroundings, 'wallet'>): WalletBox {
  const steps: WalletStep[] = [];
  const { now, profile } = options;
  const network = profile === undefined ? {} : { fetch: fetchAs(profile) };
  const wallet = createWallet({ now, ...network, onStep: (step) => steps.push(step) });
  const around: Surroundings = { ...options, wallet };
  let busy: Promise<unknown> = Promise.resolve();

  const run = (one: { readonly name: string; readonly expected: End['outcome'] }, act: () => Promise<End>) => {
    const report = busy.then(async () => {
      steps.length = 0;
      const end = await endOf(act);
      return reportOf({ case: one.name, expected: one.expected, steps: [...steps] }, end);
    });
    busy = report.catch(() => undefined);
    return report;
  };
  return {
    wallet,
    present: async (name, requestUri) => {
      const one = find(PRESENTATION_CASES, name);
      if (!hasAll(around, one.needs)) throw new UnknownCaseError(`${name} needs ${one.needs.join(' and ')}`);
      return run({ ...one, expected: expectedOf(one, around) }, () => presentAs(one, requestUri, around));
    },
    redeem: async (name, offerUri, txCode) => {
      const one = find(ISSUANCE_CASES, name);
      return run(one, () => redeemAs(one, around, { offerUri, txCode }));
    },
  };
}
