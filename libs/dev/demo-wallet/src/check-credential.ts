import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, importJWK, type CryptoKey, type JWK } from 'jose';
import { checkChain, parseX5c, publicJwkOf, type ChainRules } from './certificate-chain';
import { jsonBody, type Journey } from './journey';
import { isJsonObject, objectAt, parseJsonOrUndefined, type JsonObject } from './json';
import { insist, ServerRefusal, WalletRefusal } from './refusal';
import { readSdJwt, verifyIssuerSignature, type ReadSdJwt } from './sd-jwt';

const SKEW_SECONDS = 60;

export interface ExpectedCredential extends ChainRules {
  readonly vct: string;
}

function checkTimes(payload: JsonObject, now: Date): void {
  const seconds = Math.floor(now.getTime() / 1000);
  const { iat, nbf, exp } = payload;
  for (const [value, name] of [[iat, 'iat'] as const, [nbf, 'nbf'] as const, [exp, 'exp'] as const]) {
    insist(value === undefined || Number.isFinite(value), 'credential_malformed', `${name} is not a number`);
  }
  const begun = Math.max(Number(iat ?? 0), Number(nbf ?? 0)) <= seconds + SKEW_SECONDS;
  insist(begun, 'credential_issued_in_future', 'the credential is not valid yet');
  insist(exp === undefined || Number(exp) > seconds - SKEW_SECONDS, 'credential_expired', 'the credential has expired');
}

function checkStatus(payload: JsonObject): void {
  if (!('status' in payload)) return;
  const { idx, uri } = objectAt(objectAt(payload, 'status'), 'status_list');
  const whole = typeof uri === 'string' && URL.canParse(uri) && Number.isSafeInteger(idx) && Number(idx) >= 0;
  insist(whole, 'status_reference_malformed', 'status.status_list needs idx and uri');
}

/** Thumbprint of the key that the credential is bound to; throws `cnf_mismatch` if there is none. */
export async function boundKey(payload: JsonObject): Promise<string> {
  const jwk = objectAt(objectAt(payload, 'cnf'), 'jwk');
  try {
    return await calculateJwkThumbprint(jwk as JWK);
  } catch (error) {
    throw new WalletRefusal('cnf_mismatch', 'cnf.jwk is not a key', error);
  }
}

/**
 * The checks of a wallet before it stores a credential (SD-JWT VC §3.2 and §3.5, RFC 9901 §7.1, HAIP 1.0 §6.1): `typ`,
 * ES256 with the key of `x5c[0]`, the chain, `vct`, times, the structure of `cnf` and of `status`.
 */
export async function checkCredential(compact: string, expected: ExpectedCredential): Promise<ReadSdJwt> {
  const read = await readSdJwt(compact);
  const { header, payload } = read;
  insist(header['typ'] === 'dc+sd-jwt', 'credential_typ_wrong', 'typ is not dc+sd-jwt');
  insist(header['alg'] === 'ES256', 'credential_signature_invalid', 'alg is not ES256');
  const chain = parseX5c(header['x5c']);
  await verifyIssuerSignature(compact, (await importJWK(publicJwkOf(chain[0]), 'ES256')) as CryptoKey);
  checkChain(chain, expected);
  insist(payload['vct'] === expected.vct, 'vct_mismatch', 'vct is not that of the configuration');
  const confirmation = objectAt(objectAt(payload, 'cnf'), 'jwk');
  insist(!('d' in confirmation), 'cnf_mismatch', 'cnf.jwk contains a private key');
  checkTimes(payload, expected.now);
  checkStatus(payload);
  return read;
}

function checkIntegrity(text: string, integrity: unknown): void {
  if (integrity === undefined) return;
  const [algorithm, digest] = String(integrity).split('-', 2);
  const known = algorithm === 'sha256' || algorithm === 'sha384' || algorithm === 'sha512';
  const equal = known && createHash(algorithm).update(text).digest('base64') === digest;
  insist(equal, 'type_metadata_invalid', 'vct#integrity does not match the Type Metadata');
}

/** SD-JWT VC §6.3.1: a `vct` that is a URL resolves to Type Metadata with the same `vct`. */
export async function checkTypeMetadata(journey: Journey, payload: JsonObject): Promise<void> {
  const vct = String(payload['vct']);
  if (!/^https?:/.test(vct)) return;
  await journey.step('type_metadata', async () => {
    const response = await journey.fetch(vct, { headers: { accept: 'application/json' } });
    const text = await response.text();
    if (response.status >= 500) throw new ServerRefusal('type_metadata', journey.last());
    insist(response.ok, 'type_metadata_invalid', 'there is no Type Metadata at the vct');
    jsonBody(journey.last());
    const metadata = parseJsonOrUndefined(text);
    const same = isJsonObject(metadata) && metadata['vct'] === vct;
    insist(same, 'type_metadata_invalid', 'the Type Metadata is for another vct');
    checkIntegrity(text, payload['vct#integrity']);
  });
}
