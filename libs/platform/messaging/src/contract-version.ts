import type { MsgHdrs } from '@nats-io/transport-node';
import { CONTRACT_VERSION, OLDEST_CONTRACT_VERSION } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { headerValues, setHeader } from './headers';

/** Which contract versions a program understands; it asks in the newest. */
export interface ContractVersions {
  readonly oldest: number;
  readonly newest: number;
}

/** Those of this program. */
export const UNDERSTOOD: ContractVersions = { oldest: OLDEST_CONTRACT_VERSION, newest: CONTRACT_VERSION };

const VERSION_HEADER = 'contract-version';
/** Programs from before this header was introduced do not send it. */
const UNSAID = 1;
const VERSION = /^[1-9][0-9]{0,5}$/;

/** Writes the contract version of a question into its headers. */
export function writeContractVersion(headers: MsgHdrs, version: number): MsgHdrs {
  setHeader(headers, VERSION_HEADER, String(version));
  return headers;
}

/** The contract version of a question; undefined if the header is invalid or repeated. */
export function readContractVersion(headers: MsgHdrs | undefined): number | undefined {
  const [text, ...more] = headerValues(headers, VERSION_HEADER);
  if (text === undefined) return UNSAID;
  return more.length === 0 && VERSION.test(text) ? Number(text) : undefined;
}

/** Can a program read a question of this version? */
export function understands({ oldest, newest }: ContractVersions, version: number | undefined): version is number {
  return version !== undefined && version >= oldest && version <= newest;
}

/** The contract version of an answer, from its JSON. */
export function answerVersion(said: unknown): number | undefined {
  if (said === undefined) return UNSAID;
  return typeof said === 'number' ? said : undefined;
}

/** The error if a gateway and a service have incompatible versions. */
export function versionMismatch(): DomainError {
  const detail = 'the gateway and a service have versions that do not work together';
  return new DomainError({ kind: 'unavailable', code: 'contract_version_mismatch', detail });
}
