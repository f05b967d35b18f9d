import type { CredentialStatus } from '../domain/credential-status';

interface Entry {
  readonly isLinked: boolean;
  status: CredentialStatus;
}

/** Changes the entries of an issued offer, also after it was forgotten; none if one of them is revoked for good. */
export function changeEntries(
  list: { listVersion: number },
  entries: readonly Entry[],
  status: CredentialStatus,
): 'changed' | 'already_revoked' {
  const linked = entries.filter(({ isLinked }) => isLinked);
  if (status !== 'revoked' && linked.some((entry) => entry.status === 'revoked')) return 'already_revoked';
  const changed = linked.filter((entry) => entry.status !== status);
  for (const entry of changed) entry.status = status;
  if (changed.length > 0) list.listVersion += 1;
  return 'changed';
}
