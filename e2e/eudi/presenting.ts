import { createHash } from 'node:crypto';
import { requestPresentation } from '../src/flows';
import { encryptResponse, openRequest, postForm, type HttpAnswer, type OpenedRequest } from '../src/handmade-wallet';
import type { Stage } from '../src/stage';
import { sign, type WalletKey } from './strict-wallet';

const CLAIM = 'family_name';

export interface Presented {
  readonly request: OpenedRequest;
  readonly answer: HttpAnswer;
  readonly state: string;
}

/** The type that is asked for, and how the wallet fetches and opens the request. */
interface Asking {
  readonly vct: string;
  readonly fetchRequest?: (uri: string) => Promise<OpenedRequest>;
}

/** Presents one claim of a credential, with its key, for a query of this type. */
export async function present(
  stage: Stage,
  credential: string,
  key: WalletKey,
  { vct, fetchRequest = openRequest }: Asking,
): Promise<Presented> {
  const query = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: [CLAIM] }] };
  const { crossDevice, state } = await requestPresentation(stage, { dcql_query: { credentials: [query] } });
  const request = await fetchRequest(crossDevice);
  const [jwt = '', ...rest] = credential.split('~');
  const disclosed = rest.filter((one) => Buffer.from(one, 'base64url').toString().includes(`"${CLAIM}"`));
  const sdJwt = [jwt, ...disclosed, ''].join('~');
  const claims = {
    aud: request.clientId,
    nonce: request.nonce,
    iat: Math.floor(Date.now() / 1000),
    sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
  };
  const binding = await sign(key, { typ: 'kb+jwt' }, claims);
  const response = await encryptResponse(
    request,
    JSON.stringify({ vp_token: { card: [`${sdJwt}${binding}`] }, state: request.state }),
  );
  return { request, answer: await postForm(request.responseUri, { response }), state };
}
