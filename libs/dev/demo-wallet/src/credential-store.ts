import { randomUUID } from 'node:crypto';
import { authorityKeyIdentifiers, parseX5c } from './certificate-chain';
import { boundKey } from './check-credential';
import { objectAt, type JsonObject } from './json';
import { readSdJwt } from './sd-jwt';

/** A credential in the wallet's memory. */
export interface StoredCredential {
  readonly id: string;
  /** The SD-JWT with all of its disclosures, as issued. */
  readonly compact: string;
  readonly vct: string;
  /** The processed payload: all disclosable and all plain claims. */
  readonly claims: JsonObject;
  /** The payload as signed. */
  readonly payload: JsonObject;
  /** Thumbprint of the key it is bound to; undefined for a credential without `cnf`. */
  readonly holderKey: string | undefined;
  /** Authority key identifiers of its certificates, base64url. */
  readonly authorities: readonly string[];
  readonly configurationId?: string;
}

/** The credentials of one wallet, oldest first. */
export class CredentialStore {
  readonly #credentials: StoredCredential[] = [];

  /** Stores a credential without verifying it; throws `credential_malformed` if it cannot be parsed. */
  async add(compact: string, configurationId?: string): Promise<StoredCredential> {
    const { header, payload, claims } = await readSdJwt(compact);
    const bound = 'jwk' in objectAt(payload, 'cnf');
    const credential: StoredCredential = {
      id: randomUUID(),
      compact,
      vct: String(payload['vct']),
      claims,
      payload,
      holderKey: bound ? await boundKey(payload) : undefined,
      authorities: header['x5c'] === undefined ? [] : authorityKeyIdentifiers(parseX5c(header['x5c'])),
      ...(configurationId === undefined ? {} : { configurationId }),
    };
    this.#credentials.push(credential);
    return credential;
  }

  list(): readonly StoredCredential[] {
    return [...this.#credentials];
  }
}
