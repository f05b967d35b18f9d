import { isJsonObject, ownMember, VerificationFailure } from '@vestibule/foundation';
import { expandStatusList, isStatusSet, type StatusEntry } from './bitstring-status';
import { vcdmFailure } from './failures';
import { verifySecuredCredential, type SecuringOptions } from './verify-secured';
import * as terms from './w3c-terms';

/** A status list credential that verified. */
export interface VerifiedStatusList {
  readonly issuerDid: string;
  readonly purposes: readonly string[];
  /** One bit per entry, the left-most first. */
  readonly bits: Uint8Array;
  /** Until when it may be used without asking again: by its ttl, but not past its own end. */
  readonly usableUntil: Date;
  /** When it was made, as far as it says so: an older version of a list says nothing about now. */
  readonly validFrom?: Date | undefined;
}

/** How the lists of credentials are found, and whose are accepted. */
export interface StatusLists {
  /**
   * The verified list at an address that a credential names. One that is kept may be fetched again if `judge` throws for it:
   * its host may have corrected it. Throws `vc_status_host_not_allowed`, `vc_status_list_invalid`, and a ProcessingFailure if
   * the list is not available: nothing is assumed about a list that was not seen.
   */
  readonly find: (url: string, judge?: (list: VerifiedStatusList) => unknown) => Promise<VerifiedStatusList>;
  /** DIDs whose lists are accepted for credentials of any issuer. */
  readonly issuers: ReadonlySet<string>;
}

/** At most one hour, whatever the list asks for. */
const MAX_TTL_MILLISECONDS = 3_600_000;

/** A failure of the list itself, which is not the fault of the credential that names it. */
function ofList(error: unknown): unknown {
  if (!(error instanceof VerificationFailure)) return error;
  return vcdmFailure('vc_status_list_invalid', `the status list credential is refused: ${error.code}`, error);
}

const earliest = (...instants: readonly (Date | undefined)[]): Date =>
  new Date(Math.min(...instants.map((instant) => instant?.getTime() ?? Infinity)));

/**
 * Verifies a status list credential from `url` (Bitstring Status List 1.0 §2.2, §3.2): its proof and validity as of any
 * credential, its types, an `id` equal to the URL if it has one, and its list. It must have no status of its own, so
 * that no list leads to another. Throws `vc_status_list_invalid`, which names the code of the inner failure.
 */
export async function verifyStatusListCredential(
  document: unknown,
  url: string,
  options: SecuringOptions,
): Promise<VerifiedStatusList> {
  const invalid = (detail: string) => vcdmFailure('vc_status_list_invalid', detail);
  if (!isJsonObject(document)) throw invalid('the status list credential must be a JSON object');
  if (ownMember(document, 'credentialStatus') !== undefined)
    throw invalid('a status list credential must not have a credentialStatus');
  const { graph, expires } = await verifySecuredCredential(document, options).catch((error: unknown) => {
    throw ofList(error);
  });
  if (graph.statuses.length > 0) throw invalid('a status list credential must not have a credentialStatus');
  if (graph.id !== undefined && graph.id !== url) throw invalid('the id of the status list credential is not its URL');
  if (!graph.types.includes(terms.BITSTRING_STATUS_LIST_CREDENTIAL))
    throw invalid('the type of the status list credential must have BitstringStatusListCredential');
  const { statusList: list } = graph;
  if (!list)
    throw invalid('credentialSubject must be one BitstringStatusList with statusPurpose, encodedList, and a valid ttl');
  const ttl = Math.min(list.ttlMilliseconds, MAX_TTL_MILLISECONDS);
  const bits = expandStatusList(list.encodedList);
  const usableUntil = earliest(new Date(options.now.getTime() + ttl), graph.validUntil, expires);
  const { issuerDid, validFrom } = graph;
  return { issuerDid, purposes: list.purposes, bits, usableUntil, validFrom };
}

const CODES = { revocation: 'vc_revoked', suspension: 'vc_suspended' } as const;

async function isSet(
  { purpose, index, listUrl }: StatusEntry,
  issuerDid: string,
  lists: StatusLists,
): Promise<boolean> {
  const judge = (list: VerifiedStatusList): boolean => {
    if (list.issuerDid !== issuerDid && !lists.issuers.has(list.issuerDid))
      throw vcdmFailure('vc_status_issuer_mismatch');
    if (!list.purposes.includes(purpose))
      throw vcdmFailure('vc_status_list_invalid', 'the status list is for another statusPurpose than the credential');
    return isStatusSet(list.bits, index);
  };
  return judge(await lists.find(listUrl, judge));
}

/**
 * Passes only if no entry is set, and each list was seen (Bitstring Status List 1.0 §3.2). Throws `vc_revoked` before
 * `vc_suspended`, `vc_status_issuer_mismatch`, `vc_status_list_invalid`, and as {@link StatusLists.find} does.
 */
export async function checkStatus(
  entries: readonly StatusEntry[],
  issuerDid: string,
  lists: StatusLists,
): Promise<void> {
  const isSetFor = { revocation: false, suspension: false };
  for (const entry of entries) if (await isSet(entry, issuerDid, lists)) isSetFor[entry.purpose] = true;
  if (isSetFor.revocation) throw vcdmFailure(CODES.revocation);
  if (isSetFor.suspension) throw vcdmFailure(CODES.suspension);
}
