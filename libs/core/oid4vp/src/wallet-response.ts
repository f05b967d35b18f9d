import { constantTimeEqual, decryptJwe, type DecryptedJwe } from '@vestibule/crypto';
import {
  decodeUtf8,
  givenMember,
  isJsonObject,
  ownMember,
  parseJsonWithUnreadNumbers,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { invalidRequest, responseFailure } from './failures';
import type { FlowType, FlowVariant } from './flow-variant';
import { formParameter } from './form';
import { walletError, type WalletError } from './wallet-error';

/** What the form of a response holds: an encrypted response, or an error in the clear. */
export type ResponseForm =
  { readonly kind: 'encrypted'; readonly jwe: string } | { readonly kind: 'error'; readonly error: WalletError };

/** What the wallet answered, and by which flow. */
export type OpenedResponse =
  | { readonly kind: 'vp_token'; readonly flowType: FlowType; readonly vpToken: JsonValue }
  | { readonly kind: 'error'; readonly error: WalletError };

const COMPACT_JWE = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){4}$/;
const RESPONSE_LIMITS = { maxDepth: 16, maxLength: 1_048_576, maxValues: 10_000 };

/**
 * Reads the form of a response (OpenID4VP 1.0 §8.2, §8.3.1). Throws `invalid_request`, which changes nothing, for
 * everything that is neither a compact JWE nor a plain error with the right `state`: a plain `vp_token` among them.
 */
export function parseResponseForm(form: readonly (readonly [string, string])[], expectedState: string): ResponseForm {
  const response = formParameter(form, 'response');
  const error = formParameter(form, 'error');
  const state = formParameter(form, 'state');
  if (response !== undefined && error !== undefined) throw invalidRequest('response_with_error');
  if (response !== undefined) {
    if (!COMPACT_JWE.test(response)) throw invalidRequest('response_not_a_jwe');
    return { kind: 'encrypted', jwe: response };
  }
  if (error === undefined) throw invalidRequest('response_missing');
  if (state === undefined || !constantTimeEqual(state, expectedState)) throw invalidRequest('state_mismatch');
  return { kind: 'error', error: walletError(error, formParameter(form, 'error_description')) };
}

function decrypt(jwe: string, variants: readonly FlowVariant[]): DecryptedJwe {
  try {
    return decryptJwe(jwe, variants);
  } catch (error) {
    throw responseFailure('response_not_decryptable', error);
  }
}

function parameters(plaintext: Uint8Array): JsonObject {
  const text = decodeUtf8(plaintext);
  const value = text === undefined ? undefined : parseJsonWithUnreadNumbers(text, RESPONSE_LIMITS);
  if (!isJsonObject(value)) throw responseFailure('response_not_json');
  return value;
}

/**
 * Opens an encrypted response with the keys of the request's flows (OpenID4VP 1.0 §8.3): the key that opens it says
 * which flow was used. Unknown parameters are ignored, whatever numbers they have. The content is an unsigned JWE: it proves nothing about its
 * sender until the presentations in it are verified. Of `error` and `vp_token`, the one that is missing may be null.
 * Throws a ProcessingFailure: `response_not_decryptable`, `response_not_json`, `response_state_mismatch` or
 * `response_malformed`.
 */
export function openWalletResponse(
  jwe: string,
  variants: readonly FlowVariant[],
  expectedState: string,
): OpenedResponse {
  const opened = decrypt(jwe, variants);
  const variant = variants.find((candidate) => candidate.kid === opened.kid) as FlowVariant;
  const response = parameters(opened.plaintext);
  const state = ownMember(response, 'state');
  if (typeof state !== 'string' || !constantTimeEqual(state, expectedState))
    throw responseFailure('response_state_mismatch');
  const error = givenMember(response, 'error');
  const vpToken = error === undefined ? ownMember(response, 'vp_token') : givenMember(response, 'vp_token');
  if ((error === undefined) === (vpToken === undefined)) throw responseFailure('response_malformed');
  if (vpToken !== undefined) return { kind: 'vp_token', flowType: variant.flowType, vpToken };
  if (typeof error !== 'string') throw responseFailure('response_malformed');
  return { kind: 'error', error: walletError(error, ownMember(response, 'error_description')) };
}
