import { isJsonObject, parseJsonOrUndefined } from './json';

/** Why the wallet stopped by itself: each code is a rule that the other side, or the user, has violated. */
export type RefusalCode =
  | 'aud_wrong'
  | 'certificate_chain_invalid'
  | 'certificate_expired'
  | 'certificate_untrusted'
  | 'client_id_mismatch'
  | 'client_id_prefix_unsupported'
  | 'client_metadata_invalid'
  | 'cnf_mismatch'
  | 'configuration_unsupported'
  | 'content_type_wrong'
  | 'credential_count_wrong'
  | 'credential_expired'
  | 'credential_issued_in_future'
  | 'credential_malformed'
  | 'credential_not_held'
  | 'credential_signature_invalid'
  | 'credential_typ_wrong'
  | 'dcql_invalid'
  | 'library_refused'
  | 'metadata_not_found'
  | 'metadata_unsupported'
  | 'no_matching_credential'
  | 'nonce_invalid'
  | 'not_cached_rule'
  | 'offer_malformed'
  | 'redirect_refused'
  | 'request_expired'
  | 'request_malformed'
  | 'request_parameter_forbidden'
  | 'request_uri_malformed'
  | 'response_malformed'
  | 'response_mode_unsupported'
  | 'response_not_encrypted'
  | 'state_missing'
  | 'status_code_wrong'
  | 'status_reference_malformed'
  | 'token_type_wrong'
  | 'transaction_data_unsupported'
  | 'tx_code_missing'
  | 'type_metadata_invalid'
  | 'unreachable'
  | 'url_not_https'
  | 'vct_mismatch'
  | 'wallet_file_malformed'
  | 'wallet_nonce_mismatch'
  | 'x5c_malformed';

/** The wallet refuses to continue. The message names the rule and never quotes received data. */
export class WalletRefusal extends Error {
  readonly code: RefusalCode;
  readonly #cause: unknown;

  constructor(code: RefusalCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`);
    this.name = 'WalletRefusal';
    this.code = code;
    this.#cause = cause;
  }

  /** The library's error behind this one, for a debugger: its text may quote a token or a claim. */
  hiddenCause(): unknown {
    return this.#cause;
  }
}

/** What a server answered. */
export interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A server answered with an error status; nothing of the answer is printed with the error. */
export class ServerRefusal extends Error {
  /** The step of the flow that was refused: `token`, `credential`, … */
  readonly step: string;
  readonly status: number;
  /** OAuth error code of the answer, if it has one. */
  readonly error: string | undefined;
  readonly #exchange: Exchange;

  constructor(step: string, exchange: Exchange) {
    const body = parseJsonOrUndefined(exchange.text);
    const error = isJsonObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined;
    super(`${step}: the server answered ${exchange.status}`);
    this.name = 'ServerRefusal';
    this.step = step;
    this.status = exchange.status;
    this.error = error;
    this.#exchange = exchange;
  }

  headers(): Headers {
    return this.#exchange.headers;
  }

  /** The answer's JSON, or its text. */
  body(): unknown {
    return parseJsonOrUndefined(this.#exchange.text) ?? this.#exchange.text;
  }
}

/** Throws a refusal with this code unless the condition holds. */
export function insist(condition: boolean, code: RefusalCode, detail: string): asserts condition {
  if (!condition) throw new WalletRefusal(code, detail);
}
