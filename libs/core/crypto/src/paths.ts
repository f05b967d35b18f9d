/** Which code does a JOSE operation, and why it is not the other. */
export interface JosePath {
  readonly operation: string;
  readonly functions: readonly string[];
  readonly why: string;
}

/**
 * The two paths of JOSE. Operations that determine the cost of a wallet's answer or a credential use `node:crypto`,
 * without a promise or a key conversion; everything else uses jose with allow-lists. Both are behind the same parsers,
 * `parseCompactJws`, `parsePublicJwk` and `parseJwe`, which decide form, sizes, algorithms, critical headers and
 * duplicate members; a property test shows that both accept and refuse the same input.
 */
export const JOSE_PATHS: Readonly<Record<'node:crypto' | 'jose', readonly JosePath[]>> = {
  'node:crypto': [
    {
      operation: 'verify a credential with the key of its issuer; verify a proof with the key in the message',
      functions: ['verifyJws', 'verifyEs256', 'verifyEcdsa', 'importPublicJwk'],
      why: 'for each presentation and each credential request',
    },
    {
      operation: 'decrypt the response of a wallet and its credential request; encrypt credentials and request objects',
      functions: ['decryptJwe', 'encryptJwe', 'requireOnCurve'],
      why: 'for each presentation, and for each issuance to a wallet that encrypts; jose takes five times as long',
    },
    {
      operation: 'sign with our key: request objects, credentials, status lists, issuer metadata',
      functions: ['signEs256', 'signCompactJws', 'signCompactJwsBy'],
      why: 'for each flow; and the key may be behind an address, where jose cannot sign with it',
    },
    {
      operation: 'name the key of a holder, of a DPoP proof or of our own by its thumbprint',
      functions: ['jwkThumbprint', 'exportPublicJwk'],
      why: 'for each flow, of a key that is parsed already',
    },
  ],
  jose: [
    {
      operation: 'verify client attestations, key attestations and status list tokens',
      functions: ['verifyJwsByJose'],
      why: 'once for many credentials, or once for a wallet',
    },
    {
      operation: 'import keys that others publish: issuer metadata, keys of attesters, attested keys',
      functions: ['importPublicJwkByJose'],
      why: 'once for many credentials, or once for a wallet',
    },
    {
      operation: 'name attested keys by their thumbprint',
      functions: ['jwkThumbprintByJose'],
      why: 'with the import of the key',
    },
  ],
};
