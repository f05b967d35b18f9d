import type { Configuration, ProcessContext } from '@vestibule/process';
import type { Keyring } from '@vestibule/keys';
import type { LoadedTypes } from './adapters/files/type-metadata-folder';
import { readAccessKey, type AccessKey } from './adapters/keys/access-key';
import { followIssuerKeys, type FollowedIssuerKeys } from './adapters/keys/follow-issuer-keys';
import { leadingChain, type IssuerKeys } from './adapters/keys/issuer-keys';
import type { issuerConfiguration } from './config';
import { requireRoom } from './domain/answer-size';
import type { SigningKeys } from './domain/ports';
import { issuerUrlOf } from './issuer-settings';

type Process = ProcessContext<Configuration<typeof issuerConfiguration>>;

const clock = () => new Date();

/** The keys of credentials and status lists, which follow their files. */
export async function issuerKeys(
  { configuration, logger, metrics, readiness }: Process,
  keyring: Keyring,
  { types }: LoadedTypes,
): Promise<FollowedIssuerKeys> {
  const { certificateFile, key, certificatesFolder, retiredCertificatesFolder, reloadSeconds, batchSize } =
    configuration;
  const keys = await followIssuerKeys({
    places: { certificateFile, key, certificatesFolder, retiredCertificatesFolder },
    issuerUrl: issuerUrlOf(configuration),
    openKey: keyring.open,
    requireRoom: (current) => requireRoom(types, { batchSize, x5c: leadingChain({ current }) }),
    reloadSeconds,
    clock,
    logger,
    metrics,
  });
  if (!keys.current.namesIssuer)
    logger.warn(
      'the issuer certificate does not contain ISSUER_URL: verifiers that look for iss in it refuse its credentials',
    );
  readiness.require('issuerCertificate', () => keys.current.mayIssueAt(clock()));
  readiness.showExpiry('issuerCertificate', () => keys.current.chainEndsAt);
  return keys;
}

/** What the use cases sign with. */
export const keys = (own: IssuerKeys, access: AccessKey | undefined): SigningKeys => ({
  signerAt: (now) => own.current.signerAt(now),
  listSignerAt: (x5c, now) => own.listSignerAt(x5c, now),
  metadataSignerAt: (now) => (access ?? own.current).signerAt(now),
  chainEndsAt: () => own.current.chainEndsAt,
});

/** The key that signs metadata; undefined if that of the credentials does. */
export async function accessKey(
  { configuration, logger, readiness }: Process,
  { issuers }: LoadedTypes,
  own: IssuerKeys,
  { open: openKey }: Keyring,
) {
  const needed = issuers.find(({ identity }) => identity.profile === 'eudi')?.identity.url;
  const certified = () => [own.current, ...own.retired];
  const access = readAccessKey(configuration, { needed, certified, openKey, clock, logger });
  if (!access) return undefined;
  await access.check();
  if (needed) readiness.require('issuerAccessCertificate', () => access.isValidAt(clock()));
  readiness.showExpiry('issuerAccessCertificate', () => access.endsAt());
  return access;
}
