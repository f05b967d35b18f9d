import { randomUUID } from 'node:crypto';
import {
  Oauth2AuthorizationServer,
  Oauth2ServerErrorResponseError,
  preAuthorizedCodeGrantIdentifier,
} from '@openid4vc/oauth2';
import { Openid4vciIssuer, type IssuerMetadataResult } from '@openid4vc/openid4vci';
import { compactDecrypt, CompactEncrypt, importJWK, type JWK } from 'jose';
import { isJsonObject, objectAt, patched, type JsonObject } from '../json';
import { CHALLENGE, CODE, issuerMetadata, serverMetadata, type IssuerOptions, type Keys } from './issuer-documents';
import type { Answer, Received } from './loopback';
import { issuePid } from './pid';
import { serverCallbacks } from './server-callbacks';

const oauthError = (error: string, status = 400) =>
  new Oauth2ServerErrorResponseError({ error: error as never }, { status });

/** The state of one issuer: one code, one token at a time. */
class IssuerState {
  codeUsed = false;
  readonly tokens = new Map<string, string>();
  readonly proofsSeen = new Set<string>();
  readonly nonces = new Set<string>();
  promised: string[] | undefined;
  deferredAsked = 0;
}

/** One method per endpoint. */
export class IssuerHandlers {
  readonly #state = new IssuerState();
  readonly #server: Oauth2AuthorizationServer;
  readonly #library: Openid4vciIssuer;

  constructor(
    readonly issuer: string,
    readonly options: IssuerOptions,
    readonly keys: Keys,
  ) {
    const callbacks = serverCallbacks(options.signer);
    this.#server = new Oauth2AuthorizationServer({ callbacks });
    this.#library = new Openid4vciIssuer({ callbacks });
  }

  #metadata(): IssuerMetadataResult {
    const credentialIssuer = this.#library.createCredentialIssuerMetadata(
      issuerMetadata(this.issuer, this.keys) as never,
    );
    const knownCredentialConfigurations = this.#library.getKnownCredentialConfigurationsSupported(credentialIssuer);
    return {
      credentialIssuer,
      authorizationServers: [],
      knownCredentialConfigurations,
      originalDraftVersion: 'V1' as never,
    };
  }

  offer(): Answer {
    const grant = {
      'pre-authorized_code': CODE,
      ...(this.options.txCode ? { tx_code: { length: this.options.txCode.length } } : {}),
    };
    const grants = { [preAuthorizedCodeGrantIdentifier]: grant };
    return { status: 200, body: { credential_issuer: this.issuer, credential_configuration_ids: ['pid'], grants } };
  }

  issuer_metadata = (): Answer => ({ status: 200, body: issuerMetadata(this.issuer, this.keys) });

  server_metadata = (): Answer => ({
    status: 200,
    body: serverMetadata(this.issuer, this.options.attestation === true),
  });

  challenge = (): Answer => ({ status: 200, body: { attestation_challenge: CHALLENGE } });

  type = (): Answer => ({ status: 200, body: { vct: `${this.issuer}/types/pid`, name: 'PID' } });

  nonce(): Answer {
    const nonce = randomUUID();
    this.#state.nonces.add(nonce);
    return { status: 200, body: this.#library.createNonceResponse({ cNonce: nonce }) };
  }

  async #dpop(received: Received, jwt: string, accessToken?: string): Promise<string> {
    const { dpopNonce } = this.options;
    if (this.#state.proofsSeen.has(jwt)) throw oauthError('invalid_dpop_proof');
    this.#state.proofsSeen.add(jwt);
    const thumbprint = accessToken === undefined ? undefined : this.#state.tokens.get(accessToken);
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
    if (dpopNonce !== undefined && claims['nonce'] !== dpopNonce) throw oauthError('use_dpop_nonce');
    const verified = await this.#server.verifyDpopJwt({
      dpopJwt: jwt,
      request: { method: 'POST', url: received.url.href, headers: received.headers },
      ...(accessToken === undefined ? {} : { accessToken }),
      ...(thumbprint === undefined ? {} : { expectedJwkThumbprint: thumbprint }),
    });
    return verified.jwkThumbprint;
  }

  async #attested(received: Received): Promise<void> {
    const attestation = received.headers.get('oauth-client-attestation');
    const proof = received.headers.get('oauth-client-attestation-pop');
    if (!attestation || !proof) throw oauthError('invalid_client');
    const { clientAttestationPop } = await this.#server.verifyClientAttestation({
      authorizationServer: this.issuer,
      clientAttestationJwt: attestation,
      clientAttestationPopJwt: proof,
    });
    if (clientAttestationPop.payload['challenge'] !== CHALLENGE) throw oauthError('use_attestation_challenge');
  }

  async token(received: Received): Promise<Answer> {
    const parsed = this.#server.parseAccessTokenRequest({
      request: { method: 'POST', url: received.url.href, headers: received.headers },
      accessTokenRequest: Object.fromEntries(new URLSearchParams(received.body)),
    });
    if (parsed.grant.grantType !== preAuthorizedCodeGrantIdentifier) throw oauthError('unsupported_grant_type');
    if (this.options.attestation) await this.#attested(received);
    if (!parsed.dpop) throw oauthError('invalid_dpop_proof');
    const thumbprint = await this.#dpop(received, parsed.dpop.jwt);
    await this.#server.verifyPreAuthorizedCodeAccessTokenRequest({
      grant: parsed.grant,
      accessTokenRequest: parsed.accessTokenRequest,
      request: { method: 'POST', url: received.url.href, headers: received.headers },
      expectedPreAuthorizedCode: CODE,
      authorizationServerMetadata: serverMetadata(this.issuer, false) as never,
      ...(this.options.txCode ? { expectedTxCode: this.options.txCode } : {}),
    });
    if (this.#state.codeUsed) throw oauthError('invalid_grant');
    this.#state.codeUsed = true;
    const access_token = randomUUID();
    this.#state.tokens.set(access_token, thumbprint);
    return { status: 200, body: { access_token, token_type: 'DPoP', expires_in: 300 } };
  }

  async #authorize(received: Received): Promise<void> {
    const [scheme, token = ''] = (received.headers.get('authorization') ?? '').split(' ');
    const proof = received.headers.get('dpop');
    if (scheme !== 'DPoP' || !proof || !this.#state.tokens.has(token)) throw oauthError('invalid_token', 401);
    await this.#dpop(received, proof, token);
  }

  async #readBody(received: Received): Promise<JsonObject> {
    const encrypted = received.headers.get('content-type') === 'application/jwt';
    const { privateKey } = this.keys;
    const text = encrypted
      ? Buffer.from((await compactDecrypt(received.body, privateKey)).plaintext).toString()
      : received.body;
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body)) throw oauthError('invalid_credential_request');
    return body;
  }

  async #encrypted(body: JsonObject, answer: Answer): Promise<Answer> {
    const { jwk, enc } = objectAt(body, 'credential_response_encryption') as { jwk?: JWK; enc?: string };
    if (!jwk || !enc) return answer;
    const header = { alg: 'ECDH-ES', enc, ...(jwk.kid ? { kid: jwk.kid } : {}) };
    const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(answer.body)))
      .setProtectedHeader(header)
      .encrypt(await importJWK(jwk, 'ECDH-ES'));
    return { ...answer, headers: { 'content-type': 'application/jwt' }, body: jwe };
  }

  async #provenKeys(body: JsonObject): Promise<object[]> {
    const request = patched(body, { credential_response_encryption: undefined });
    const issuerMetadata = this.#metadata();
    const { proofs } = this.#library.parseCredentialRequest({ issuerMetadata, credentialRequest: request });
    const [attestation] = proofs?.attestation ?? [];
    if (attestation) {
      const payload = JSON.parse(Buffer.from(attestation.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
      return payload['attested_keys'] as object[];
    }
    const keys: object[] = [];
    for (const jwt of proofs?.jwt ?? []) {
      const verified = await this.#library.verifyCredentialRequestJwtProof({ issuerMetadata, jwt });
      if (!this.#state.nonces.has(String(verified.payload.nonce))) throw oauthError('invalid_nonce');
      const { kty, crv, x, y } = verified.signer.publicJwk;
      keys.push({ kty, crv, x, y });
    }
    if (keys.length === 0 || keys.length > 3) throw oauthError('invalid_proof');
    return keys;
  }

  async credential(received: Received): Promise<Answer> {
    await this.#authorize(received);
    const body = await this.#readBody(received);
    const keys = await this.#provenKeys(body);
    const vct = `${this.issuer}/types/pid`;
    const issue =
      this.options.credential ?? ((jwk: object) => issuePid(this.options.signer, jwk, { payload: { vct } }));
    const credentials = await Promise.all(keys.map(issue));
    if (this.options.deferred) {
      this.#state.promised = credentials;
      return this.#encrypted(body, { status: 202, body: { transaction_id: 'transaction-1', interval: 1 } });
    }
    return this.#encrypted(body, { status: 200, body: this.#issued(credentials) });
  }

  #issued(credentials: readonly string[]): JsonObject {
    return { credentials: credentials.map((credential) => ({ credential })), notification_id: 'notification-1' };
  }

  async deferred(received: Received): Promise<Answer> {
    await this.#authorize(received);
    const body = await this.#readBody(received);
    if (body['transaction_id'] !== 'transaction-1' || !this.#state.promised) throw oauthError('invalid_transaction_id');
    this.#state.deferredAsked += 1;
    const pending = this.#state.deferredAsked === 1;
    const promise = { transaction_id: 'transaction-1', interval: 1 };
    const answer = pending ? { status: 202, body: promise } : { status: 200, body: this.#issued(this.#state.promised) };
    return this.#encrypted(body, answer);
  }

  async notification(received: Received): Promise<Answer> {
    await this.#authorize(received);
    return { status: 204 };
  }
}
