import {
  decodeBase64,
  DomainError,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import {
  checkTrustAnchors,
  listedCertificate,
  MAX_CERTIFICATE_BYTES,
  parseCertificate,
  type Certificate,
} from '@vestibule/x509-trust';
import { trustedListFailure } from './failures';
import { readListTime } from './list-time';

/** What a service was, from a time on. */
export interface ServicePeriod {
  /** Undefined: since ever. */
  readonly startsAt: Date | undefined;
  readonly type: string | undefined;
  readonly status: string | undefined;
  readonly certificates: readonly Certificate[];
}

/** Work that may be interrupted: reading all certificates of a large list takes seconds. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How much of a list is read, and what of it could not be used. */
export interface ListBudget {
  certificatesLeft: number;
  recordsLeft: number;
  /** Certificates that are malformed or can neither certify nor sign anything, and services whose record contradicts itself. */
  ignored: number;
  /** Certificates by their text: a list names the same one for several services. */
  readonly read: Map<string, Certificate | undefined>;
}

const MAX_CERTIFICATES = 3_000;
const MAX_RECORDS = 20_000;
const MAX_ENCODED_LENGTH = Math.ceil(MAX_CERTIFICATE_BYTES / 3) * 4;

export const createListBudget = (): ListBudget => ({
  certificatesLeft: MAX_CERTIFICATES,
  recordsLeft: MAX_RECORDS,
  ignored: 0,
  read: new Map(),
});

export const malformedList = (place: string) =>
  trustedListFailure('trusted_list_malformed', `${place} is not as TS 119 602 has it`);

/** The elements of an array that must not be empty; none if it is absent and may be. Throws `trusted_list_malformed`. */
export function listElements(object: JsonObject, name: string, isRequired: boolean): readonly JsonValue[] {
  const value = ownMember(object, name);
  if (value === undefined && !isRequired) return [];
  if (!Array.isArray(value) || value.length === 0) throw malformedList(name);
  return value;
}

/** A member that is an object. Throws `trusted_list_malformed`. */
export function listObject(value: JsonValue | undefined, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw malformedList(name);
}

/**
 * True unless every extension is marked as not critical, in either spelling, or not marked: none is understood (TS 119 602
 * §6.3.17). A mark that is no boolean counts as critical.
 */
export function hasCriticalExtension(object: JsonObject, name: string): boolean {
  const isCritical = (mark: JsonValue | undefined) => mark !== undefined && mark !== false;
  return listElements(object, name, false).some(
    (extension) =>
      isJsonObject(extension) && ['critical', 'Critical'].some((member) => isCritical(ownMember(extension, member))),
  );
}

/** The certificate of an authority or of a signer, or undefined: only such a one can be an anchor. */
function readListed(text: string): Certificate | undefined {
  const der = text.length <= MAX_ENCODED_LENGTH ? decodeBase64(text) : undefined;
  if (!der) return undefined;
  try {
    const certificate = parseCertificate(der);
    checkTrustAnchors([listedCertificate(certificate)]);
    return certificate;
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

function* readCertificates(identity: JsonObject, budget: ListBudget): Steps<readonly Certificate[]> {
  const certificates: Certificate[] = [];
  for (const item of listElements(identity, 'X509Certificates', false)) {
    const text = ownMember(listObject(item, 'X509Certificates'), 'val');
    if (typeof text !== 'string') throw malformedList('X509Certificates');
    if (!budget.read.has(text)) {
      budget.certificatesLeft -= 1;
      if (budget.certificatesLeft < 0) throw trustedListFailure('trusted_list_too_large');
      budget.read.set(text, readListed(text));
      yield;
    }
    const certificate = budget.read.get(text);
    if (certificate) certificates.push(certificate);
    else budget.ignored += 1;
  }
  return certificates;
}

function readText(record: JsonObject, name: string): string | undefined {
  const value = ownMember(record, name);
  if (value === undefined || typeof value === 'string') return value;
  throw malformedList(name);
}

function* readPeriod(record: JsonObject, budget: ListBudget): Steps<ServicePeriod> {
  budget.recordsLeft -= 1;
  if (budget.recordsLeft < 0) throw trustedListFailure('trusted_list_too_large');
  const identity = listObject(ownMember(record, 'ServiceDigitalIdentity'), 'ServiceDigitalIdentity');
  const start = readText(record, 'StatusStartingTime');
  const startsAt = start === undefined ? undefined : readListTime(start);
  if (start !== undefined && !startsAt) throw malformedList('StatusStartingTime');
  const isUnderstood = !hasCriticalExtension(record, 'ServiceInformationExtensions');
  if (!isUnderstood) budget.ignored += 1;
  return {
    startsAt,
    type: readText(record, 'ServiceTypeIdentifier'),
    status: readText(record, 'ServiceStatus'),
    certificates: isUnderstood ? yield* readCertificates(identity, budget) : [],
  };
}

const startOf = ({ startsAt }: ServicePeriod): number => startsAt?.getTime() ?? -Infinity;

/**
 * What a service is and was, newest first (TS 119 602 §6.6, §6.7). A service whose current record does not come after its
 * history says nothing that could be relied on: it has no periods, and counts as ignored. Throws
 * `trusted_list_malformed` and `trusted_list_too_large`.
 */
export function* readService(value: JsonValue, budget: ListBudget): Steps<readonly ServicePeriod[]> {
  const service = listObject(value, 'TrustedEntityServices');
  const current = yield* readPeriod(listObject(ownMember(service, 'ServiceInformation'), 'ServiceInformation'), budget);
  const history: ServicePeriod[] = [];
  for (const item of listElements(service, 'ServiceHistory', false)) {
    const period = yield* readPeriod(listObject(item, 'ServiceHistory'), budget);
    if (period.startsAt === undefined || period.status === undefined) throw malformedList('ServiceHistory');
    history.push({ ...period, type: period.type ?? current.type });
  }
  const isInOrder = history.every((past) => startOf(past) < startOf(current));
  if (isInOrder) return [current, ...history.sort((one, other) => startOf(other) - startOf(one))];
  budget.ignored += 1;
  return [];
}
