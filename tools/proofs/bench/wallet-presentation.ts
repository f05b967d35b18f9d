import { sampleQuery } from '@vestibule/dev-stack';
import { StepFault } from './flows';
import {
  askJson,
  managementPost,
  PRESENTED_CLAIM,
  textIn,
  type CutPresentation,
  type Run,
  type Surroundings,
  type Wallet,
} from './wallet';
import { encryptJwe, readJwt, signJwt, type EcJwk, type Recipient } from './wallet-crypto';

const CREDENTIAL_ID = 'card';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface OpenRequest {
  readonly clientId: string;
  readonly nonce: string;
  readonly state: string;
  readonly responseUri: string;
  readonly recipient: Recipient;
}

/** The backend's request: one claim of the sample type. */
function requestBody({ addresses }: Surroundings): object {
  return { dcql_query: sampleQuery(addresses.issuerUrl, { id: CREDENTIAL_ID, claims: [{ path: [PRESENTED_CLAIM] }] }) };
}

interface ClientMetadata {
  readonly jwks?: { readonly keys?: readonly (EcJwk & { readonly kid: string })[] };
  readonly encrypted_response_enc_values_supported?: readonly string[];
}

/** Parses a request object without verifying it: that is the demo wallet's task. */
function openRequest(jwt: string): OpenRequest {
  const claims = readJwt(jwt);
  const metadata = claims['client_metadata'] as ClientMetadata | undefined;
  const key = metadata?.jwks?.keys?.[0];
  if (!key) throw new StepFault('request object', 'no_encryption_key');
  const { x, y, kid } = key;
  const enc = metadata.encrypted_response_enc_values_supported?.includes('A256GCM') ? 'A256GCM' : 'A128GCM';
  const text = (name: string) => textIn(claims, name, 'request object');
  return {
    clientId: text('client_id'),
    nonce: text('nonce'),
    state: text('state'),
    responseUri: text('response_uri'),
    recipient: { jwk: { kty: 'EC', crv: 'P-256', x, y }, kid, enc },
  };
}

function answerTo(request: OpenRequest, wallet: Wallet, { sdJwt, sdHash }: CutPresentation): string {
  const { clientId, nonce, state, recipient } = request;
  const binding = { iat: Math.floor(Date.now() / 1000), aud: clientId, nonce, sd_hash: sdHash };
  const bound = `${sdJwt}${signJwt(wallet.holder.bindingHeader, binding, wallet.holder.privateKey)}`;
  const response = JSON.stringify({ vp_token: { [CREDENTIAL_ID]: [bound] }, state });
  return `response=${encryptJwe(response, recipient, wallet.agreement)}`;
}

/**
 * A presentation from the backend's request to the backend's callback (OpenID4VP 1.0 §5, §8.2, §8.3).
 * @throws StepFault
 */
export async function runPresentation({ surroundings, wallet, clock }: Run): Promise<void> {
  const { http, events } = surroundings;
  if (!wallet.presentation) throw new StepFault('presentation', 'no_credential');
  const { presentation } = wallet;
  const question = managementPost(surroundings, '/oidc4vp', requestBody(surroundings));
  const asked = await clock.time('request', () => askJson(http, 'request', question));
  const uri = new URL(textIn(asked, 'cross_device_request_uri', 'request'));
  const url = uri.searchParams.get('request_uri') ?? '';
  const object = await clock.time('request object', () => http.ask('request object', { method: 'GET', url }));
  const request = openRequest(object);
  const body = answerTo(request, wallet, presentation);
  const ended = events.waitFor(textIn(asked, 'state', 'request'), 'FULFILLED');
  // If the response is refused, nothing awaits the event any more.
  ended.catch(() => undefined);
  const answer = { method: 'POST', url: request.responseUri, headers: FORM, body } as const;
  await clock.time('response', () => http.ask('response', answer));
  await clock.time('callback', () => ended);
}
