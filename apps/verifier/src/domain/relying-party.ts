import type { Fault, JsonObject } from '@vestibule/foundation';
import type { RequestSigners } from './ports';
import { NO_REGISTRATIONS, type Registrations } from './registration';

/** In whose name requests are made: who it is to wallets, and what it has registered. */
export interface RelyingParty {
  readonly signers: RequestSigners;
  readonly registrations: Registrations;
  /** What wallets are told about it in `client_metadata`; empty: nothing. */
  readonly clientMetadata: JsonObject;
}

/** The relying parties beside the default one, by the operator's names. */
export type RelyingParties = ReadonlyMap<string, RelyingParty>;

export const NO_RELYING_PARTIES: RelyingParties = new Map();

const MEMBER = 'relying_party';

/** What is wrong with the name of a relying party in a request; the default one has none. */
export function relyingPartyFaults(parties: RelyingParties, name: string | undefined): readonly Fault[] {
  if (name === undefined || parties.has(name)) return [];
  if (parties.size === 0)
    return [{ path: MEMBER, message: 'must be absent: no relying party is configured (RELYING_PARTIES_FILE)' }];
  const known = [...parties.keys()].map((one) => JSON.stringify(one)).join(', ');
  return [{ path: MEMBER, message: `must be one of ${known}` }];
}

/** The registrations that a request is compared with: none for a name that is not known, which is a fault already. */
export function registrationsOf(
  parties: RelyingParties,
  name: string | undefined,
  byDefault: Registrations,
): Registrations {
  return name === undefined ? byDefault : (parties.get(name)?.registrations ?? NO_REGISTRATIONS);
}
