import { exportPublicJwk } from '@vestibule/crypto';
import {
  buildAuthorizationServerMetadata,
  buildIssuerMetadata,
  buildJwtVcIssuerMetadata,
  type EncryptionOffer,
} from '@vestibule/oid4vci';
import { parseX5c } from '@vestibule/x509-trust';
import type { LoadedIssuer } from './adapters/files/type-metadata-folder';
import type { IssuerDocuments } from './use-cases/read-documents';
import type { WalletDemands } from './wallet-demands';

export interface IssuerDocumentsInput extends Pick<LoadedIssuer, 'types' | 'display' | 'issuerInfo'> {
  readonly issuerUrl: string;
  readonly batchSize: number | undefined;
  readonly demands: WalletDemands;
  /** A function, because its key changes every day. */
  readonly encryption: () => EncryptionOffer;
  /** The chains of the certificates that sign credentials, the current one first: they may change. */
  readonly chains: () => readonly (readonly string[])[];
}

function publicJwkOf(x5c: readonly string[]) {
  const [leaf] = parseX5c(x5c);
  if (!leaf) throw new RangeError('the chain has no leaf');
  return exportPublicJwk(leaf.publicKey);
}

/** The documents by which wallets and verifiers discover an issuer identifier, from its configuration and the current day. */
export function issuerDocuments(input: IssuerDocumentsInput): IssuerDocuments {
  const { issuerUrl, types, display, issuerInfo, batchSize, demands, encryption, chains } = input;
  const { required, attesterKeys, challenge } = demands.clientAuthentication;
  const parts = {
    issuerUrl,
    types: [...types.values()],
    batchSize,
    proofTypes: demands.keyAttesters ? (['jwt', 'attestation'] as const) : (['jwt'] as const),
    display,
    issuerInfo,
  };
  const serverMetadata = buildAuthorizationServerMetadata(issuerUrl, {
    anonymous: !required,
    attestation: attesterKeys !== undefined,
    challenge: challenge !== 'off',
  });
  return {
    get 'openid-credential-issuer'() {
      return JSON.stringify(buildIssuerMetadata({ ...parts, encryption: encryption() }));
    },
    'oauth-authorization-server': JSON.stringify(serverMetadata),
    get 'jwt-vc-issuer'() {
      const keys = chains().map((x5c) => ({ jwk: publicJwkOf(x5c), x5c }));
      return JSON.stringify(buildJwtVcIssuerMetadata(issuerUrl, keys));
    },
  };
}
