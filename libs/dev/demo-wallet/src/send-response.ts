import { jsonBody, startJourney } from './journey';
import { isJsonObject, parseJsonOrUndefined } from './json';
import type { PresentationResult } from './presentation-options';
import { insist } from './refusal';
import type { WalletState } from './wallet-state';

/**
 * Posts a response (OpenID4VP 1.0 §8.2). A refusal by the verifier is a result; an accepted response that is not
 * answered with 200 and a JSON object throws `status_code_wrong`, `content_type_wrong` or `response_malformed`.
 */
export async function sendResponse(
  wallet: WalletState,
  responseUri: string,
  form: Readonly<Record<string, string>>,
): Promise<PresentationResult> {
  const journey = startJourney(wallet.network);
  return journey.step('response', async () => {
    const response = await journey.fetch(responseUri, { method: 'POST', body: new URLSearchParams(form) });
    const { status } = response;
    if (!response.ok) {
      const text = await response.text();
      return { status, body: parseJsonOrUndefined(text) ?? text };
    }
    insist(status === 200, 'status_code_wrong', 'an accepted response requires status 200');
    const body = jsonBody(journey.last());
    insist(isJsonObject(body), 'response_malformed', 'the answer is not a JSON object');
    const { redirect_uri } = body;
    if (redirect_uri === undefined) return { status, body };
    const absolute = typeof redirect_uri === 'string' && URL.canParse(redirect_uri);
    insist(absolute, 'response_malformed', 'redirect_uri is not an absolute URI');
    return { status, body, redirectUri: redirect_uri };
  });
}
