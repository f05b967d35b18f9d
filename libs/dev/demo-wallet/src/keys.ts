import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { patched, type JsonObject, type Patch } from './json';
import { WalletRefusal } from './refusal';

/** A P-256 public key with the members of RFC 7638 only. */
export type EcPublicJwk = { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };

export interface WalletKey {
  /** RFC 7638 SHA-256 thumbprint, base64url. */
  readonly thumbprint: string;
  readonly publicJwk: EcPublicJwk;
  readonly privateKey: CryptoKey;
}

/** A fault in a JWT that the wallet signs; by default there is none. */
export interface JwtFault {
  /** Header members to change; `undefined` removes one. */
  readonly header?: Patch;
  /** Claims to change; `undefined` removes one. */
  readonly payload?: Patch;
  /** Signs with an unknown key; the header still names the right one. */
  readonly signWithOtherKey?: boolean;
  /** Changes one character of the signature. */
  readonly tamperSignature?: boolean;
}

/** Creates a new P-256 key. */
export async function createWalletKey(): Promise<WalletKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { x, y } = await exportJWK(publicKey);
  if (!x || !y) throw new TypeError('a P-256 key has two coordinates');
  const publicJwk: EcPublicJwk = { kty: 'EC', crv: 'P-256', x, y };
  return { thumbprint: await calculateJwkThumbprint(publicJwk), publicJwk, privateKey };
}

/** A key that was exported. */
async function importWalletKey(jwk: JWK): Promise<WalletKey> {
  const { x, y, d } = jwk;
  if (jwk.kty !== 'EC' || jwk.crv !== 'P-256' || !x || !y || !d) {
    throw new WalletRefusal('wallet_file_malformed', 'a key is not a private key of P-256');
  }
  const publicJwk: EcPublicJwk = { kty: 'EC', crv: 'P-256', x, y };
  try {
    const privateKey = (await importJWK({ ...publicJwk, d }, 'ES256', { extractable: true })) as CryptoKey;
    return { thumbprint: await calculateJwkThumbprint(publicJwk), publicJwk, privateKey };
  } catch (error) {
    throw new WalletRefusal('wallet_file_malformed', 'a key is not a private key of P-256', error);
  }
}

/** The keys of one wallet, in memory. */
export class KeyRing {
  readonly #keys = new Map<string, WalletKey>();

  /** Private keys as JWK, in the order in which they were created. */
  exportAll(): Promise<JWK[]> {
    return Promise.all([...this.#keys.values()].map(({ privateKey }) => exportJWK(privateKey)));
  }

  /** Adds a key that was exported. */
  async add(jwk: JWK): Promise<void> {
    const key = await importWalletKey(jwk);
    this.#keys.set(key.thumbprint, key);
  }

  async create(): Promise<WalletKey> {
    const key = await createWalletKey();
    this.#keys.set(key.thumbprint, key);
    return key;
  }

  findByThumbprint(thumbprint: string): WalletKey | undefined {
    return this.#keys.get(thumbprint);
  }

  /** The private key for a public one; throws `credential_not_held` if it is not this wallet's. */
  async get(publicJwk: object): Promise<WalletKey> {
    const key = this.#keys.get(await calculateJwkThumbprint(publicJwk));
    if (!key) throw new WalletRefusal('credential_not_held', 'the wallet has no private key for this public key');
    return key;
  }
}

/** Changes one character in the middle of a compact serialization's last part. */
export function tampered(compact: string): string {
  const position = compact.length - 20;
  const other = compact[position] === 'A' ? 'B' : 'A';
  return `${compact.slice(0, position)}${other}${compact.slice(position + 1)}`;
}

/** Signs a JWT with ES256, with a fault if given: the header may then name another algorithm. */
export async function signJwt(
  key: WalletKey,
  content: { readonly header: JsonObject; readonly payload: JsonObject },
  fault?: JwtFault,
): Promise<string> {
  const encode = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = patched(content.header, fault?.header);
  const payload = patched(content.payload, fault?.payload);
  const input = `${encode(header)}.${encode(payload)}`;
  const signer = fault?.signWithOtherKey ? await createWalletKey() : key;
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(algorithm, signer.privateKey, Buffer.from(input, 'ascii'));
  const compact = `${input}.${Buffer.from(signature).toString('base64url')}`;
  return fault?.tamperSignature ? tampered(compact) : compact;
}
