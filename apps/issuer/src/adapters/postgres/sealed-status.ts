import type { Sealer } from '@vestibule/crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import type { AttestationStatus } from '@vestibule/oauth';
import type { PromisedStatus } from '../../domain/issuance';
import { walletContext } from './offer-row';

/** `acceptedAt` in milliseconds since 1970; not in those of earlier versions. */
export type StatusRecord = AttestationStatus & { readonly acceptedAt?: number | undefined };

/** What of a header names the signer. */
function signerOf(header: JsonObject): JsonObject {
  const named = ['x5c', 'kid'].flatMap((name) => {
    const value = ownMember(header, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(named);
}

/** What is kept of an attestation until a credential is issued: it had at most 16 KiB. */
export const recordOf = ({ header, own, maintained, acceptedAt }: PromisedStatus): StatusRecord => ({
  header: signerOf(header),
  own,
  maintained,
  acceptedAt: acceptedAt?.getTime(),
});

export const statusOf = ({ header, own, maintained, acceptedAt }: StatusRecord): PromisedStatus => ({
  header,
  own,
  maintained,
  acceptedAt: acceptedAt === undefined ? undefined : new Date(acceptedAt),
});

/** Seals where the status of the wallet is found that has redeemed an offer. */
export const sealWalletStatus = (sealer: Sealer, offerId: string, status: PromisedStatus): Buffer =>
  sealer.seal(Buffer.from(JSON.stringify(recordOf(status)), 'utf8'), walletContext(offerId));

/** Opens what {@link sealWalletStatus} sealed. Throws `seal_broken`. */
export const openWalletStatus = (sealer: Sealer, offerId: string, sealed: Buffer): PromisedStatus =>
  statusOf(JSON.parse(sealer.open(sealed, walletContext(offerId)).toString('utf8')) as StatusRecord);
