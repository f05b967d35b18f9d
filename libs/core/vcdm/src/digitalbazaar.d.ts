/** The parts of the Data Integrity libraries that tests use as a second opinion; the packages have no types. */

declare module '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite' {
  export const cryptosuite: object;
}

declare module '@digitalbazaar/data-integrity' {
  export interface Signer {
    readonly id: string;
    readonly algorithm: 'P-256';
    sign(input: { readonly data: Uint8Array }): Promise<Uint8Array>;
  }
  export class DataIntegrityProof {
    constructor(options: { readonly cryptosuite: object; readonly signer?: Signer; readonly date?: Date });
  }
}

declare module '@digitalbazaar/vc' {
  import type { DataIntegrityProof } from '@digitalbazaar/data-integrity';

  export type DocumentLoader = (url: string) => Promise<{ documentUrl: string; document: object; tag?: 'static' }>;
  interface Common {
    readonly suite: DataIntegrityProof;
    readonly documentLoader: DocumentLoader;
    readonly now: Date;
    readonly maxClockSkew?: number;
  }
  export interface Verified {
    readonly verified: boolean;
    readonly error?: unknown;
  }
  export function issue(options: Common & { readonly credential: object }): Promise<object>;
  export function verifyCredential(options: Common & { readonly credential: object }): Promise<Verified>;
  export function signPresentation(
    options: Omit<Common, 'now'> & {
      readonly presentation: object;
      readonly challenge: string;
      readonly domain?: string | undefined;
    },
  ): Promise<object>;
  export function verify(
    options: Common & {
      readonly presentation: object;
      readonly challenge: string;
      readonly domain?: string | undefined;
    },
  ): Promise<Verified>;
}

declare module '@digitalbazaar/ecdsa-multikey' {
  import type { Signer } from '@digitalbazaar/data-integrity';

  export interface KeyPair {
    id: string;
    controller: string;
    readonly publicKeyMultibase: string;
    signer(): Signer;
  }
  export function generate(options: { readonly curve: 'P-256' | 'P-384' }): Promise<KeyPair>;
}
