import { createHash, randomUUID } from 'node:crypto';
import { Openid4vpClient } from '@openid4vc/openid4vp';
import { createCallbacks, encrypting } from './callbacks';
import { fetchRequestObject } from './fetch-request-object';
import { startJourney, type Journey } from './journey';
import { isJsonObject, parseJsonOrUndefined, patched, stringsAt, type JsonObject } from './json';
import { createWalletKey, signJwt } from './keys';
import type { PresentationFaults, PresentationOptions } from './presentation-options';
import { insist } from './refusal';
import { resolveRequest, type VerifiedRequest } from './resolve-request';
import { disclose, presentableKeys, sdHash } from './sd-jwt';
import { requestedKeys, selectCredentials, type Selection } from './select-credentials';
import type { WalletState } from './wallet-state';

/** Everything that the wallet would send, with all layers. */
export interface BuiltPresentation {
  readonly request: VerifiedRequest;
  readonly responseUri: string;
  /** What was selected; empty if the user refused. */
  readonly selections: readonly Selection[];
  /** The response before encryption: `vp_token` and `state`, or `error` and `state`. */
  readonly response: JsonObject;
  /** The encrypted response; undefined if it is sent in plain form. */
  readonly jwe?: string;
  /** The form to post to `responseUri`. */
  readonly form: Readonly<Record<string, string>>;
}

interface Build {
  readonly wallet: WalletState;
  readonly request: VerifiedRequest;
  readonly options: PresentationOptions;
  readonly faults: PresentationFaults;
}

interface TransactionData {
  /** The string of the request, which is what is hashed. */
  readonly encoded: string;
  readonly credentialIds: readonly string[];
  readonly algorithms: readonly string[] | undefined;
}

function isAgreedTo({ transactionDataTypes = [] }: PresentationOptions, type: unknown): boolean {
  return transactionDataTypes === 'any' || transactionDataTypes.includes(String(type));
}

/** OpenID4VP 1.0 §5.1: a wallet refuses unknown types; throws `transaction_data_unsupported`. */
function readTransactionData({ request, options }: Build): TransactionData[] {
  const { transaction_data } = request.payload;
  if (transaction_data === undefined) return [];
  const code = 'transaction_data_unsupported';
  insist(
    Array.isArray(transaction_data) && transaction_data.length > 0,
    code,
    'transaction_data is not a non-empty array',
  );
  return transaction_data.map((encoded: unknown) => {
    const json = typeof encoded === 'string' ? Buffer.from(encoded, 'base64url').toString('utf8') : '';
    const entry = parseJsonOrUndefined(json);
    insist(typeof encoded === 'string' && isJsonObject(entry), code, 'an entry is not base64url of a JSON object');
    const known = isAgreedTo(options, entry['type']);
    insist(known, code, 'the type of an entry is unknown');
    const credentialIds = stringsAt(entry, 'credential_ids');
    insist(credentialIds.length > 0, code, 'an entry refers to no credential');
    const named = 'transaction_data_hashes_alg' in entry;
    const algorithms = named ? stringsAt(entry, 'transaction_data_hashes_alg') : undefined;
    insist(algorithms?.includes('sha-256') ?? true, code, 'an entry does not allow sha-256');
    return { encoded, credentialIds, algorithms };
  });
}

interface Choice {
  readonly queryId: string;
  /** The credential queries that are answered. */
  readonly answered: readonly string[];
}

/** OpenID4VP 1.0 B.3.3.1: hashes of the entries that this credential authorises. */
function transactionDataClaims(build: Build, entries: readonly TransactionData[], choice: Choice): JsonObject {
  const { queryId, answered } = choice;
  const own = entries.filter(({ credentialIds }) => credentialIds.find((id) => answered.includes(id)) === queryId);
  if (own.length === 0) return {};
  const hashes = own.map(({ encoded }) => createHash('sha256').update(encoded, 'ascii').digest('base64url'));
  const named = own.some(({ algorithms }) => algorithms !== undefined);
  const algorithm = named ? { transaction_data_hashes_alg: 'sha-256' } : {};
  return { transaction_data_hashes: hashes, ...algorithm, ...authenticationClaims(build) };
}

/** TS12 §3.6: the authentication code, the factors, and how the response is sent. */
function authenticationClaims({ options, request }: Build): JsonObject {
  const { authenticationFactors: amr } = options;
  return amr === undefined ? {} : { jti: randomUUID(), amr, response_mode: request.payload['response_mode'] };
}

/** The SD-JWT+KB of one credential (RFC 9901 §4.3, OpenID4VP 1.0 B.3.6). */
async function presentOne(build: Build, selection: Selection, extraClaims: JsonObject): Promise<string> {
  const { wallet, request, options, faults } = build;
  const { credential, queryId, paths, holderBinding } = selection;
  const available = await presentableKeys(credential.compact);
  const requested = requestedKeys(available, paths);
  const chosen = options.disclose?.({ queryId, available, requested }) ?? requested;
  const shown = await disclose(credential.compact, chosen);
  const sdJwt = faults.sdJwt?.(shown, queryId) ?? shown;
  const finish = (presentation: string) => faults.presentation?.(presentation, queryId) ?? presentation;
  if (!holderBinding || faults.withoutKeyBinding) return finish(sdJwt);
  const ownKey = wallet.keys.findByThumbprint(credential.holderKey ?? '');
  const key = ownKey ?? (faults.keyBinding?.signWithOtherKey ? await createWalletKey() : undefined);
  insist(key !== undefined, 'credential_not_held', 'the credential is not bound to a key of this wallet');
  const payload = {
    iat: Math.floor(wallet.now().getTime() / 1000),
    aud: request.clientId,
    nonce: request.nonce,
    sd_hash: sdHash(sdJwt, credential.payload),
    ...extraClaims,
  };
  return finish(sdJwt + (await signJwt(key, { header: { alg: 'ES256', typ: 'kb+jwt' }, payload }, faults.keyBinding)));
}

async function buildVpToken(build: Build, selections: readonly Selection[]): Promise<Record<string, string[]>> {
  const transactionData = readTransactionData(build);
  const answered = selections.map(({ queryId }) => queryId);
  const presentations = new Map<string, string[]>();
  for (const selection of selections) {
    const claims = transactionDataClaims(build, transactionData, { queryId: selection.queryId, answered });
    const presentation = await presentOne(build, selection, claims);
    presentations.set(selection.queryId, [...(presentations.get(selection.queryId) ?? []), presentation]);
  }
  return Object.fromEntries(presentations);
}

/** Encrypts the response with the library (OpenID4VP 1.0 §8.3). */
async function encryptResponse(build: Build, journey: Journey, response: JsonObject): Promise<string> {
  const { wallet, request, options, faults } = build;
  const callbacks = createCallbacks({ journey, keys: wallet.keys, now: wallet.now });
  const encrypt = encrypting(faults.jwe);
  const client = new Openid4vpClient({
    callbacks: {
      ...callbacks,
      encryptJwe: (encryptor, json) => encrypt(encryptor, faults.plaintext?.(json) ?? json),
    },
  });
  const { state, ...members } = response;
  const { jarm } = await client.createOpenid4vpAuthorizationResponse({
    // The library copies `state` from here; a fault may change or remove it.
    authorizationRequestPayload: { ...request.request, state: state as string },
    // The library's type has no error responses (§8.5), but its code passes them on.
    authorizationResponsePayload: members as { vp_token: Record<string, string[]> },
    jarm: {
      encryption: { nonce: options.partyInfo ?? '', jwk: request.encryptionKey },
      serverMetadata: {
        authorization_signing_alg_values_supported: [],
        authorization_encryption_alg_values_supported: ['ECDH-ES'],
        authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
      },
    },
  });
  insist(jarm !== undefined, 'library_refused', 'the library has not encrypted the response');
  return jarm.responseJwt;
}

const asForm = (response: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

async function buildResponse(build: Build, selections: readonly Selection[]): Promise<JsonObject> {
  const { request, options, faults } = build;
  const { state } = request.payload;
  if (options.deny) {
    const description = options.errorDescription ? { error_description: options.errorDescription } : {};
    return patched({ error: options.error ?? 'access_denied', ...description, state }, faults.response);
  }
  const vpToken = await buildVpToken(build, selections);
  return patched({ vp_token: faults.vpToken?.(vpToken) ?? vpToken, state }, faults.response);
}

async function select({ wallet, request, options }: Build): Promise<Selection[]> {
  const supplied = await options.supply?.(request.dcqlQuery);
  const chosen = supplied ? { ...options, credentials: supplied } : options;
  return selectCredentials(request.dcqlQuery, wallet.store.list(), chosen);
}

/** Fetches and verifies a request and builds the response, without sending anything to the response endpoint. */
export async function buildPresentation(
  wallet: WalletState,
  requestUri: string,
  options: PresentationOptions,
): Promise<BuiltPresentation> {
  const journey = startJourney(wallet.network);
  const faults = options.faults ?? {};
  const fetched = await fetchRequestObject(journey, requestUri, options);
  const request = await journey.step('verify_request', () => resolveRequest(wallet, journey, fetched));
  const build: Build = { wallet, request, options, faults };
  return journey.step('build_response', async () => {
    const selections = options.deny ? [] : await select(build);
    const response = await buildResponse(build, selections);
    const plain = options.deny === 'plain' || faults.withoutEncryption === true;
    const jwe = plain ? undefined : await encryptResponse(build, journey, response);
    const form = jwe === undefined ? asForm(response) : { response: jwe };
    const { responseUri } = request;
    const changed = faults.form?.(form) ?? form;
    return { request, responseUri, selections, response, form: changed, ...(jwe === undefined ? {} : { jwe }) };
  });
}
