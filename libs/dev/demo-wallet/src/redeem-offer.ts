import { resourceRequest } from '@openid4vc/oauth2';
import { Openid4vciClient, type IssuerMetadataResult } from '@openid4vc/openid4vci';
import { createCallbacks, type Callbacks } from './callbacks';
import { boundKey, checkCredential, checkTypeMetadata } from './check-credential';
import { encryptedExchange } from './credential-encryption';
import type { StoredCredential } from './credential-store';
import { credentialInterceptor, dpopOf, jwtFaultOf } from './issuance-faults';
import type { IssuanceFaults, RedeemOptions } from './issuance-options';
import {
  getConfiguration,
  insistClientAuthentication,
  resolveMetadata,
  resolveOffer,
  type SupportedConfiguration,
} from './issuer-metadata';
import { startJourney, type Interceptor, type Journey } from './journey';
import { isJsonObject, type JsonObject } from './json';
import { createHolderKeys, proveKeys } from './key-proofs';
import type { WalletKey } from './keys';
import { insist, ServerRefusal } from './refusal';
import { requestToken, type Token } from './request-token';
import type { WalletState } from './wallet-state';

/** Credentials that the issuer has deferred (OpenID4VCI 1.0 §9). */
export interface DeferredIssuance {
  readonly configurationId: string;
  readonly intervalSeconds: number;
  /** Asks once; undefined while the issuer returns 202. */
  collect(): Promise<StoredCredential[] | undefined>;
}

/** The result of an offer. */
export interface Issuance {
  readonly credentials: StoredCredential[];
  readonly deferred: DeferredIssuance[];
}

interface Run {
  readonly wallet: WalletState;
  readonly journey: Journey;
  readonly options: RedeemOptions;
  readonly faults: IssuanceFaults;
  readonly metadata: IssuerMetadataResult;
  readonly client: Openid4vciClient;
  readonly callbacks: Callbacks;
}

/** One credential request and what its answers must match. */
interface Wanted {
  readonly configuration: SupportedConfiguration;
  readonly keys: readonly WalletKey[];
  readonly token: Token;
  readonly intercept: Interceptor;
}

function issuedCredentials(body: JsonObject): string[] {
  const { credentials } = body;
  insist(Array.isArray(credentials) && credentials.length > 0, 'response_malformed', 'the answer has no credentials');
  return credentials.map((entry: unknown) => {
    const credential = isJsonObject(entry) ? entry['credential'] : undefined;
    insist(typeof credential === 'string', 'response_malformed', 'a credential is not a string');
    return credential;
  });
}

async function keepCredentials(run: Run, wanted: Wanted, body: JsonObject): Promise<StoredCredential[]> {
  const { wallet, journey, options } = run;
  const compacts = issuedCredentials(body);
  insist(compacts.length === wanted.keys.length, 'credential_count_wrong', 'there must be one credential per key');
  const open = new Set(wanted.keys.map((key) => key.thumbprint));
  const rules = { vct: wanted.configuration.vct, now: wallet.now() };
  const anchors = wallet.issuerAnchors ? { trustAnchors: wallet.issuerAnchors } : {};
  const payloads = await journey.step('check_credential', async () => {
    const read = await Promise.all(compacts.map((compact) => checkCredential(compact, { ...rules, ...anchors })));
    for (const { payload } of read) {
      insist(open.delete(await boundKey(payload)), 'cnf_mismatch', 'cnf.jwk is not a key of this request');
    }
    return read.map(({ payload }) => payload);
  });
  const [first] = payloads;
  if (options.typeMetadata !== false && first) await checkTypeMetadata(journey, first);
  const stored: StoredCredential[] = [];
  for (const compact of compacts) stored.push(await wallet.store.add(compact, wanted.configuration.id));
  await notify(run, wanted, body['notification_id']);
  return stored;
}

async function notify(run: Run, { token }: Wanted, notificationId: unknown): Promise<void> {
  const { options, metadata, client, journey, wallet, faults } = run;
  if (options.notify === false || typeof notificationId !== 'string') return;
  if (!metadata.credentialIssuer.notification_endpoint) return;
  const event = options.notify ?? 'credential_accepted';
  const dpop = await dpopOf(wallet, faults.credentialDpop, token.nonce);
  await journey.step('notification', async () => {
    await client.sendNotification({
      issuerMetadata: metadata,
      accessToken: token.accessToken,
      notification: { notificationId, event },
      ...(dpop ? { dpop } : {}),
    });
  });
}

function deferredIssuance(run: Run, wanted: Wanted, promise: JsonObject): DeferredIssuance {
  const { transaction_id, interval } = promise;
  const promised = typeof transaction_id === 'string' && typeof interval === 'number' && interval > 0;
  insist(promised, 'response_malformed', '202 needs transaction_id and interval');
  const url = run.metadata.credentialIssuer.deferred_credential_endpoint;
  insist(url !== undefined, 'metadata_unsupported', 'the issuer has no deferred credential endpoint');
  // Not with the library's client, which in this version refuses a deferred answer with both credentials and
  // notification_id.
  const collect = async (): Promise<StoredCredential[] | undefined> => {
    const dpop = await dpopOf(run.wallet, run.faults.credentialDpop, wanted.token.nonce);
    const ask = () =>
      resourceRequest({
        url,
        callbacks: run.callbacks,
        accessToken: wanted.token.accessToken,
        requestOptions: {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ transaction_id }),
        },
        ...(dpop ? { dpop } : {}),
      });
    const body = await run.journey.step(
      'deferred_credential',
      async () => {
        const { ok, response } = await ask();
        if (!ok) throw new TypeError('the deferred credential endpoint refused');
        return { status: response.status, json: (await response.json()) as unknown };
      },
      wanted.intercept,
    );
    insist(isJsonObject(body.json), 'response_malformed', 'the deferred answer is not a JSON object');
    return body.status === 202 ? undefined : keepCredentials(run, wanted, body.json);
  };
  return { configurationId: wanted.configuration.id, intervalSeconds: interval, collect };
}

/** With `retrySeconds`, a wallet whose nonce was refused proves the same keys once more with a new one. */
async function withNewNonce<T>({ retrySeconds = 0 }: RedeemOptions, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isStale = error instanceof ServerRefusal && error.error === 'invalid_nonce';
    if (!isStale || retrySeconds === 0) throw error;
    return request();
  }
}

async function requestCredentials(
  run: Run,
  token: Token,
  configuration: SupportedConfiguration,
): Promise<StoredCredential[] | DeferredIssuance> {
  const { wallet, journey, options, faults, metadata, client } = run;
  const { id } = configuration;
  const keys = await createHolderKeys({ wallet, options, issuerMetadata: metadata });
  const encryption = options.encrypt ? await encryptedExchange(metadata.credentialIssuer) : undefined;
  const dpop = await dpopOf(wallet, faults.credentialDpop, token.nonce);
  const request = async () => {
    const proofs = await proveKeys({ ...run, issuerMetadata: metadata }, id, keys);
    const ask = () =>
      client.retrieveCredentials({
        issuerMetadata: options.faults ? withoutBatchLimit(metadata) : metadata,
        credentialConfigurationId: id,
        accessToken: token.accessToken,
        // The library restricts the names and the JSON types of proofs; a fault may violate both.
        proofs: proofs as { jwt?: string[] },
        ...(dpop ? { dpop } : {}),
      });
    return journey.step('credential', ask, credentialInterceptor(faults, encryption));
  };
  const { response, credentialResponse } = await withNewNonce(options, request);
  const wanted: Wanted = { configuration, keys, token, intercept: credentialInterceptor({}, encryption) };
  if (credentialResponse.transaction_id === undefined) {
    insist(response.status === 200, 'status_code_wrong', 'credentials require status 200');
    return keepCredentials(run, wanted, credentialResponse);
  }
  insist(response.status === 202, 'status_code_wrong', 'a deferral requires status 202');
  return deferredIssuance(run, wanted, credentialResponse);
}

// The library enforces the issuer's batch_size, which a fault may exceed.
function withoutBatchLimit(metadata: IssuerMetadataResult): IssuerMetadataResult {
  const credentialIssuer = { ...metadata.credentialIssuer, batch_credential_issuance: { batch_size: 1000 } };
  return { ...metadata, credentialIssuer };
}

/** The whole pre-authorized code flow of OpenID4VCI 1.0, as a strict wallet performs it. */
export async function redeem(wallet: WalletState, offerUri: string, options: RedeemOptions): Promise<Issuance> {
  const faults = options.faults ?? {};
  const journey = startJourney(wallet.network, options);
  const jwtFault = jwtFaultOf(faults.credentialDpop, faults.proof);
  const callbacks = createCallbacks({ journey, keys: wallet.keys, now: wallet.now, jwtFault });
  const client = new Openid4vciClient({ callbacks });
  const offer = await resolveOffer(client, journey, offerUri);
  const metadata = await resolveMetadata(client, journey, offer.offer.credential_issuer);
  insistClientAuthentication(metadata, options.clientAttestation !== undefined);
  const run: Run = { wallet, journey, options, faults, metadata, client, callbacks };
  const ids = options.configurationIds ?? offer.offer.credential_configuration_ids;
  const proofType = options.keyAttestation?.proofType ?? 'jwt';
  const configurations = ids.map((id) => getConfiguration(metadata, id, proofType));
  const token = await requestToken({ wallet, journey, options, metadata }, offer);
  const issuance: Issuance = { credentials: [], deferred: [] };
  for (const configuration of configurations) {
    const answer = await requestCredentials(run, token, configuration);
    if (Array.isArray(answer)) issuance.credentials.push(...answer);
    else issuance.deferred.push(answer);
  }
  return issuance;
}
