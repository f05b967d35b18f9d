import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  trustedListPayload,
  type Authority,
  type IssuedCertificate,
  type ListedService,
  type ListSigning,
  type TrustedListDraft,
} from '@vestibule/dev-pki';
import { parseCertificate, PURPOSES } from '@vestibule/x509-trust';
import {
  profileOfDescription,
  verifyTrustedList as verifyInSteps,
  type ListProfile,
  type TrustedListRules,
  type VerifiedList,
} from './index';

/** A scheme operator, and what it lists. */
export const NOW = new Date('2026-03-01T12:00:00Z');
export const DAY = 86_400_000;
export const after = (days: number) => new Date(NOW.getTime() + days * DAY);
export const failsWith = (code: string) => expect.objectContaining({ code });

export const ETSI = 'http://uri.etsi.org/19602';
export const PID_ISSUANCE = `${ETSI}/SvcType/PID/Issuance`;
export const PID_REVOCATION = `${ETSI}/SvcType/PID/Revocation`;

export function profileOf(name: string): ListProfile {
  const profile = profileOfDescription({ type: `${ETSI}/LoTEType/${name}` }, PURPOSES);
  if (typeof profile === 'string') throw new Error('no such list');
  return profile;
}

export interface Scheme {
  readonly authority: Authority;
  /** Signs lists; below `authority`, in the name of the scheme operator. */
  readonly signer: IssuedCertificate;
  /** A provider on the list. */
  readonly provider: Authority;
}

export async function createScheme(): Promise<Scheme> {
  const authority = await createCertificateAuthority({ name: 'Scheme Root', now: NOW });
  const signer = await authority.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });
  return { authority, signer, provider: await createCertificateAuthority({ name: 'Provider Root', now: NOW }) };
}

export const listDraft = (services: readonly ListedService[], more: Partial<TrustedListDraft> = {}) =>
  ({
    type: profileOf('EUPIDProvidersList').type,
    sequence: 7,
    issuedAt: after(-10),
    nextUpdateAt: after(20),
    entities: [{ name: 'Provider', services }],
    ...more,
  }) satisfies TrustedListDraft;

export const pidService = ({ provider }: Scheme): ListedService => ({
  type: PID_ISSUANCE,
  certificates: [provider.certificate],
});

/** The bytes of a list, signed as its scheme operator does unless `signing` says otherwise. */
export function signedList(scheme: Scheme, draft: TrustedListDraft, signing: Partial<ListSigning> = {}): Buffer {
  return Buffer.from(
    signTrustedList(trustedListPayload(draft), { signer: scheme.signer, signedAt: NOW, ...signing }),
    'utf8',
  );
}

export const rulesOf = ({ signer }: Scheme, more: Partial<TrustedListRules> = {}): TrustedListRules => ({
  profile: profileOf('EUPIDProvidersList'),
  signers: [parseCertificate(signer.certificate)],
  now: NOW,
  skewSeconds: 60,
  graceSeconds: 0,
  ...more,
});

/** All steps at once. */
export function verifyTrustedList(bytes: Uint8Array, rules: TrustedListRules): VerifiedList {
  const steps = verifyInSteps(bytes, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export const verified = (scheme: Scheme, services: readonly ListedService[], more: Partial<TrustedListDraft> = {}) =>
  verifyTrustedList(signedList(scheme, listDraft(services, more)), rulesOf(scheme));
