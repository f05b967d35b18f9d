import { randomBytes } from 'node:crypto';
import {
  createClient,
  ProblemError,
  verifyCallback,
  type VerifiedCallback,
  type VestibuleClient,
} from '@vestibule/client';
import { createWallet, ServerRefusal, type Wallet, type WalletStep } from '@vestibule/demo-wallet';
import {
  SAMPLE_CLAIMS,
  SAMPLE_TYPE,
  sampleQuery,
  startCallbackReceiver,
  StackFailure,
  startStack,
  waitForStatus,
  type CallbackReceiver,
  type Stack,
} from '@vestibule/dev-stack';

const REDIRECT_URI = 'https://shop.example/return?cart=7';
const CALLBACK_MILLISECONDS = 15_000;

const print = (text = '') => void process.stdout.write(`${text}\n`);
const indent = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^/gm, '      ');
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2).padStart(6)} s`;
const shortened = (text: string) => (text.length > 110 ? `${text.slice(0, 107)}...` : text);

/** A promise of the demo was not kept. */
class DemoFailure extends Error {
  constructor(
    readonly step: string,
    reason: string,
  ) {
    super(reason);
  }
}

/** Prints steps with their time, and knows the current one. */
class Narrator {
  current = 'start';
  readonly #started = performance.now();

  elapsed(): number {
    return performance.now() - this.#started;
  }

  headline(text: string): void {
    print(`\n${text}`);
  }

  async step<T>(name: string, run: () => Promise<T>, say: (result: T) => string = () => ''): Promise<T> {
    this.current = name;
    const started = performance.now();
    const result = await run();
    const said = say(result);
    print(
      `  ${seconds(this.elapsed())}  ${name} (${Math.round(performance.now() - started)} ms)${said === '' ? '' : `\n      ${said}`}`,
    );
    return result;
  }

  readonly walletStep = (step: WalletStep): void => {
    const request = step.request === undefined ? '' : `  ${shortened(step.request)} -> ${step.status ?? '?'}`;
    print(`             wallet: ${step.name} (${Math.round(step.milliseconds)} ms)${request}`);
  };

  require(holds: boolean, reason: string): void {
    if (!holds) throw new DemoFailure(this.current, reason);
  }
}

interface Stage {
  readonly narrator: Narrator;
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly wallet: Wallet;
  /** The backend's client of the management API. */
  readonly client: VestibuleClient;
  /** Signs the callbacks. */
  readonly secret: string;
}

function awaitCallback({ narrator, backend, secret }: Stage, status: string, id: string): Promise<VerifiedCallback> {
  return narrator.step(
    `backend: callback ${status}`,
    async () => {
      const { text, headers } = await waitForStatus(backend, id, status, CALLBACK_MILLISECONDS);
      return verifyCallback(text, headers, secret);
    },
    ({ event }) => indent(event).trimStart(),
  );
}

async function issue(stage: Stage): Promise<void> {
  const { narrator, client, wallet } = stage;
  narrator.headline('Issuance (OpenID4VCI 1.0, pre-authorized code, transaction code, DPoP)');
  const offer = await narrator.step(
    'backend: POST /offers',
    () =>
      client.offers.create({
        credential_configuration_id: SAMPLE_TYPE,
        claims: SAMPLE_CLAIMS,
        tx_code: { length: 6 },
      }),
    (made) => shortened(made.credential_offer_uri),
  );
  const { offer_id: offerId, credential_offer_uri: uri, tx_code_value: txCode } = offer;
  await awaitCallback(stage, 'OFFER_CREATED', offerId);
  const credentials = await narrator.step(
    'wallet: redeems the offer',
    () => wallet.redeemOffer(uri, { txCode: String(txCode) }),
    ({ length }) => `${length} credential, its signature, type and key binding checked by the wallet`,
  );
  narrator.require(credentials.length === 1, 'the wallet got no credential');
  await awaitCallback(stage, 'ISSUED', offerId);
}

const FLAGS = [
  'signatureIsValid',
  'supportTrustAnchor',
  'isTrusted',
  'kbSignatureIsValid',
  'supportRevocation',
] as const;

/** Returns the response code, which only the same-device flow has. */
function checkFulfilled(
  { narrator, stack }: Stage,
  { type, event }: VerifiedCallback,
  sameDevice: boolean,
): string | undefined {
  if (type !== 'presentedCredentials' || event.status !== 'FULFILLED')
    throw new DemoFailure(narrator.current, 'the event is not FULFILLED');
  const [credential] = event.credentials['card'] ?? [];
  for (const flag of FLAGS) narrator.require(credential?.[flag] === true, `${flag} is not true`);
  narrator.require(credential?.isRevoked === false, 'isRevoked is not false');
  narrator.require(credential?.issuer === stack.issuerUrl, 'the issuer is another one');
  const claims = credential?.claims ?? {};
  narrator.require(claims['family_name'] === SAMPLE_CLAIMS.family_name, 'the requested claim is not there');
  narrator.require(!('birthdate' in claims), 'a claim was disclosed that was not requested');
  narrator.require(
    'responseCode' in event === sameDevice,
    'responseCode belongs to the same-device flow and to no other',
  );
  return event.responseCode;
}

async function present(stage: Stage, flow: 'cross_device' | 'same_device'): Promise<void> {
  const { narrator, stack, client, wallet } = stage;
  const sameDevice = flow === 'same_device';
  narrator.headline(`Presentation, ${flow.replace('_', '-')} (OpenID4VP 1.0 under HAIP, DCQL, dc+sd-jwt)`);
  const dcql_query = sampleQuery(stack.issuerUrl, { claims: [{ path: ['given_name'] }, { path: ['family_name'] }] });
  const request = await narrator.step(
    'backend: POST /oidc4vp',
    () => client.presentationRequests.create({ dcql_query, ...(sameDevice ? { redirect_uri: REDIRECT_URI } : {}) }),
    (made) => shortened(sameDevice ? made.same_device_request_uri : made.cross_device_request_uri),
  );
  const result = await narrator.step(
    'wallet: presents the credential',
    () => wallet.present(sameDevice ? request.same_device_request_uri : request.cross_device_request_uri),
    ({ status, redirectUri }) => `${status}${redirectUri === undefined ? '' : `, browser goes to ${redirectUri}`}`,
  );
  narrator.require(result.status === 200, `the verifier answered ${result.status}`);
  const event = await awaitCallback(stage, 'FULFILLED', request.state);
  const responseCode = checkFulfilled(stage, event, sameDevice);
  if (!sameDevice) return;
  const expected = `${REDIRECT_URI}&response_code=${String(responseCode)}`;
  narrator.require(result.redirectUri === expected, 'the browser did not get the responseCode of the callback');
}

async function startEverything(narrator: Narrator): Promise<Stage> {
  narrator.headline(
    'Stack (development PKI, real Postgres, a NATS broker on loopback, four services as four processes)',
  );
  const backend = await startCallbackReceiver();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const signed = { CALLBACK_SECRETS: secret };
  const stack = await narrator.step(
    'start',
    () => startStack({ callbackUrl: backend.url, environment: { verifier: signed, issuer: signed } }),
    ({ managementUrl, baseUrl, logFile }) => `management ${managementUrl}, wallets ${baseUrl}, logs ${logFile}`,
  );
  const client = createClient({ baseUrl: stack.managementUrl });
  return { narrator, stack, backend, wallet: createWallet({ onStep: narrator.walletStep }), client, secret };
}

const REMEDIES: Readonly<Record<string, string>> = {
  start: 'the message names the service; its last log lines say why it did not start',
};

function explain(narrator: Narrator, error: unknown): void {
  print(`\nThe demo failed at step "${narrator.current}".`);
  if (error instanceof StackFailure) print(`${error.detail} [${error.code}]`);
  else if (error instanceof ProblemError) print(`${error.message} (request ${error.requestId})`);
  else if (error instanceof ServerRefusal)
    print(`The service answered ${error.status} at ${error.step}: ${JSON.stringify(error.body())}`);
  else print(error instanceof Error ? error.message : String(error));
  print(
    `What to do: ${REMEDIES[narrator.current] ?? 'look for the request in the log of verifier or issuer, which is printed below'}.`,
  );
}

function printLogs({ processes }: Stack): void {
  for (const process of processes) print(`\n${process.label}:\n${process.lastLines(10).join('\n')}`);
}

/**
 * The main flow from end to end: a credential is offered, fetched by a wallet built on third-party libraries, presented
 * in both flows, verified and reported to a backend. Exit code 0 only if every event arrived with all flags as
 * expected.
 */
export async function main(): Promise<number> {
  const narrator = new Narrator();
  let stage: Stage | undefined;
  try {
    stage = await startEverything(narrator);
    await issue(stage);
    await present(stage, 'cross_device');
    await present(stage, 'same_device');
    print(
      `\nDone in ${(narrator.elapsed() / 1000).toFixed(1)} s: one credential issued, presented twice, verified and reported.`,
    );
    return 0;
  } catch (error) {
    explain(narrator, error);
    if (stage) printLogs(stage.stack);
    return 1;
  } finally {
    await stage?.stack.stop();
    await stage?.backend.stop();
  }
}
