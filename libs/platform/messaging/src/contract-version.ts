import type { MsgHdrs } from '@nats-io/transport-node';
import { CONTRACT_VERSION, OLDEST_CONTRACT_VERSION } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';

/** Which versions of the contracts a program understands; it asks in the newest. */
export interface ContractVersions {
  readonly oldest: number;
  readonly newest: number;
}

/** Those of this program. */
export const UNDERSTOOD: ContractVersions = { oldest: OLDEST_CONTRACT_VERSION, newest: CONTRACT_VERSION };

const VERSION_HEADER = 'contract-version';
/** Programs from before versions were said say none. */
const UNSAID = 1;
const VERSION = /^[1-9][0-9]{0,5}$/;

/** Says in a question's headers which version of its contract it has. */
export function writeContractVersion(headers: MsgHdrs, version: number): MsgHdrs {
  headers.set(VERSION_HEADER, String(version));
  return headers;
}

/** The version of a question; undefined for a header that is none, or repeated. */
export function readContractVersion(headers: MsgHdrs | undefined): number | undefined {
  const [text, ...more] = headers?.values(VERSION_HEADER) ?? [];
  if (text === undefined) return UNSAID;
  return more.length === 0 && VERSION.test(text) ? Number(text) : undefined;
}

/** Is a question of this version one that a program can read? */
export function understands({ oldest, newest }: ContractVersions, version: number | undefined): version is number {
  return version !== undefined && version >= oldest && version <= newest;
}

/** The version that an answer says it has, from its JSON. */
export function answerVersion(said: unknown): number | undefined {
  if (said === undefined) return UNSAID;
  return typeof said === 'number' ? said : undefined;
}

/** The error of a gateway and a service that do not understand each other. */
export function versionMismatch(): DomainError {
  const detail = 'the gateway and a service have versions that do not work together';
  return new DomainError({ kind: 'unavailable', code: 'contract_version_mismatch', detail });
}
