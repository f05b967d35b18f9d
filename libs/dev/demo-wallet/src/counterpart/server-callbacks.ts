import { createHash, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { clientAuthenticationAnonymous, type CallbackContext } from '@openid4vc/oauth2';
import { compactDecrypt, compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';

/** A certificate chain and the key of its leaf. */
export interface Signer {
  /** DER, leaf first. */
  readonly x5c: readonly Uint8Array[];
  readonly privateKey: KeyObject;
}

export const base64Chain = ({ x5c }: Signer): string[] => x5c.map((der) => Buffer.from(der).toString('base64'));

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Callbacks for the libraries' server parts, without any of the wallet's own code. */
export function serverCallbacks(signer: Signer, decryptionKey?: CryptoKey): Omit<CallbackContext, 'fetch'> {
  return {
    hash: (bytes, algorithm) => createHash(algorithm.replace('-', '')).update(bytes).digest(),
    generateRandom: (length) => randomBytes(length),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: (_, { header, payload }) => {
      const input = `${encode(header)}.${encode(payload)}`;
      const key = { key: signer.privateKey, dsaEncoding: 'ieee-p1363' } as const;
      const signature = sign('sha256', Buffer.from(input), key).toString('base64url');
      const leaf = new X509Certificate(signer.x5c[0] ?? new Uint8Array());
      return {
        jwt: `${input}.${signature}`,
        signerJwk: leaf.publicKey.export({ format: 'jwk' }) as JWK & { kty: string },
      };
    },
    verifyJwt: async (jwtSigner, { compact }) => {
      if (jwtSigner.method !== 'jwk') return { verified: false };
      const key = await importJWK(jwtSigner.publicJwk as JWK, 'ES256');
      const verified = await compactVerify(compact, key).then(
        () => true,
        () => false,
      );
      return verified ? { verified, signerJwk: jwtSigner.publicJwk } : { verified };
    },
    encryptJwe: () => {
      throw new TypeError('this server encrypts nothing');
    },
    decryptJwe: async (jwe, options) => {
      if (!decryptionKey || !options?.jwk) return { decrypted: false };
      const { plaintext } = await compactDecrypt(jwe, decryptionKey);
      return { decrypted: true, decryptionJwk: options.jwk, payload: Buffer.from(plaintext).toString('utf8') };
    },
  };
}
