import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { trustedListFailure } from './failures';
import {
  createListBudget,
  hasCriticalExtension,
  listElements,
  listObject,
  malformedList,
  readService,
  type ListBudget,
  type ServicePeriod,
  type Steps,
} from './list-service';
import { readListTime } from './list-time';

/** Which version of a list it is: neither ever goes back. */
export interface ListVersion {
  readonly sequence: number;
  readonly issuedAt: Date;
}

/** One who is trusted for something, and what for. */
export interface ListedEntity {
  /** For people. */
  readonly name: string;
  readonly services: readonly (readonly ServicePeriod[])[];
}

/** The content of a list of trusted entities (TS 119 602 §6), by any signer. */
export interface TrustedList extends ListVersion {
  readonly type: string | undefined;
  /** In each of its languages; none if it says none. */
  readonly schemeNames: readonly string[];
  /** Undefined for a closed list, which trusts nobody any more. */
  readonly nextUpdateAt: Date | undefined;
  readonly entities: readonly ListedEntity[];
  /** How many of its certificates, services and entities cannot be used. */
  readonly ignored: number;
}

/** The only version of the syntax that exists. */
const SYNTAX_VERSION = 1;
const MAX_NAME_LENGTH = 1_024;

/** The value of a text in one language, if it has the form of one. */
function nameIn(item: JsonValue): string | undefined {
  const value = isJsonObject(item) ? ownMember(item, 'value') : undefined;
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH ? value : undefined;
}

/** The values of a text in several languages. Throws `trusted_list_malformed`. */
function readNames(object: JsonObject, name: string): readonly string[] {
  return listElements(object, name, true).map((item) => {
    const value = nameIn(item);
    if (value === undefined) throw malformedList(name);
    return value;
  });
}

/** What cannot be read is no name: it counts only where one is configured. */
function readSchemeNames(scheme: JsonObject): readonly string[] {
  const names = ownMember(scheme, 'SchemeName');
  return Array.isArray(names) ? names.flatMap((item) => nameIn(item) ?? []) : [];
}

function readTime(scheme: JsonObject, name: string): Date {
  const time = readListTime(ownMember(scheme, name));
  if (time) return time;
  throw malformedList(name);
}

function readSequence(scheme: JsonObject): number {
  const sequence = ownMember(scheme, 'LoTESequenceNumber');
  if (Number.isSafeInteger(sequence) && Number(sequence) >= 0) return Number(sequence);
  throw malformedList('LoTESequenceNumber');
}

function* readEntity(value: JsonValue, budget: ListBudget): Steps<ListedEntity> {
  const entity = listObject(value, 'TrustedEntitiesList');
  const about = listObject(ownMember(entity, 'TrustedEntityInformation'), 'TrustedEntityInformation');
  const [name = ''] = readNames(about, 'TEName');
  const services: (readonly ServicePeriod[])[] = [];
  for (const service of listElements(entity, 'TrustedEntityServices', true))
    services.push(yield* readService(service, budget));
  if (!hasCriticalExtension(about, 'TEInformationExtensions')) return { name, services };
  budget.ignored += 1;
  return { name, services: [] };
}

/**
 * Reads the payload of a list. What is wrong with one certificate or service makes that one useless, not the list; what is
 * wrong with the form, and a critical extension of the scheme, makes the list so.
 * Throws `trusted_list_malformed`, `trusted_list_too_large` and `trusted_list_critical_extension`.
 */
export function* readTrustedList(payload: JsonObject): Steps<TrustedList> {
  const lote = listObject(ownMember(payload, 'LoTE'), 'LoTE');
  const scheme = listObject(ownMember(lote, 'ListAndSchemeInformation'), 'ListAndSchemeInformation');
  if (ownMember(scheme, 'LoTEVersionIdentifier') !== SYNTAX_VERSION) throw malformedList('LoTEVersionIdentifier');
  if (hasCriticalExtension(scheme, 'SchemeExtensions')) throw trustedListFailure('trusted_list_critical_extension');
  const type = ownMember(scheme, 'LoTEType');
  if (type !== undefined && typeof type !== 'string') throw malformedList('LoTEType');
  readNames(scheme, 'SchemeOperatorName');
  const budget = createListBudget();
  const entities: ListedEntity[] = [];
  for (const entity of listElements(lote, 'TrustedEntitiesList', false))
    entities.push(yield* readEntity(entity, budget));
  return {
    type,
    schemeNames: readSchemeNames(scheme),
    sequence: readSequence(scheme),
    issuedAt: readTime(scheme, 'ListIssueDateTime'),
    nextUpdateAt: ownMember(scheme, 'NextUpdate') === null ? undefined : readTime(scheme, 'NextUpdate'),
    entities,
    ignored: budget.ignored,
  };
}
