import { isWithin } from '@vestibule/foundation';
import { readStatusEntries, readStatusList, type StatusEntry, type StatusListGraph } from './bitstring-status';
import { parseInstant } from './documents';
import { vcdmFailure } from './failures';
import * as terms from './w3c-terms';

type Expanded = Readonly<Record<string, unknown>>;

/** What a credential says in the graph that is signed. */
export interface CredentialGraph {
  readonly id?: string | undefined;
  /** The addresses of its types. */
  readonly types: readonly string[];
  readonly issuerDid: string;
  /** The one subject; a credential about several, or about something without an address, has none. */
  readonly holderDid?: string | undefined;
  readonly validFrom?: Date | undefined;
  readonly validUntil?: Date | undefined;
  readonly statuses: readonly StatusEntry[];
  /** Of a status list credential. */
  readonly statusList?: StatusListGraph | undefined;
}

/** What a presentation says in the graph that is signed. */
export interface PresentationGraph {
  readonly holderDid?: string | undefined;
  /** How many credentials it has. */
  readonly credentials: number;
}

/** What a proof says in the graph that is signed with the document. */
export interface ProofGraph {
  readonly verificationMethod: string;
  readonly expires?: Date | undefined;
  readonly challenge?: string | undefined;
  readonly domain?: string | undefined;
}

export type ProofPurpose = keyof typeof terms.PURPOSES;

const MAX_TEXT_LENGTH = 512;
export const CRYPTOSUITE_NAME = 'ecdsa-rdfc-2019';

function malformed(detail: string): Error {
  return vcdmFailure('vc_malformed', detail);
}

function valuesOf(node: Expanded, property: string): readonly Expanded[] {
  return (node[property] ?? []) as readonly Expanded[];
}

/** The one value of a property; undefined where there is none. */
function oneOf(node: Expanded, property: string, name: string): Expanded | undefined {
  const [value, ...more] = valuesOf(node, property);
  if (more.length > 0) throw malformed(`${name} must have one value`);
  return value;
}

function bounded(text: unknown, name: string): string {
  if (typeof text === 'string' && text !== '' && isWithin(text, MAX_TEXT_LENGTH)) return text;
  throw malformed(`${name} must be a string of at most ${MAX_TEXT_LENGTH} characters`);
}

/** The address of a node, or of the node that a property leads to; undefined for what has none. */
function idOf(node: Expanded | undefined, name: string): string | undefined {
  return node?.['@id'] === undefined ? undefined : bounded(node['@id'], name);
}

function readInstant(node: Expanded, property: string, name: string): Date | undefined {
  const value = oneOf(node, property, name);
  if (!value) return undefined;
  const { '@value': text, '@type': type } = value;
  const instant = type === `${terms.XSD}dateTime` ? parseInstant(text) : undefined;
  if (!instant) throw malformed(`${name} must be a dateTimeStamp`);
  return instant;
}

function readText(node: Expanded, property: string, name: string): string | undefined {
  const value = oneOf(node, property, name);
  return value && bounded(value['@value'], name);
}

function readTypes(node: Expanded, required: string): readonly string[] {
  const types = (node['@type'] ?? []) as readonly string[];
  if (!types.includes(required)) throw malformed(`type must have ${required.slice(required.indexOf('#') + 1)}`);
  return types;
}

/** Reads the expanded root of a credential; throws `vc_malformed`, and as {@link readStatusEntries} does. */
export function readCredential(root: Expanded): CredentialGraph {
  const types = readTypes(root, terms.CREDENTIAL);
  const issuerDid = idOf(oneOf(root, terms.ISSUER, 'issuer'), 'issuer');
  if (issuerDid === undefined) throw malformed('issuer must be a URL or an object with an id');
  const subjects = valuesOf(root, terms.CREDENTIAL_SUBJECT);
  const isEmpty = (subject: Expanded) => Object.keys(subject).length === 0;
  if (subjects.length === 0 || subjects.some(isEmpty))
    throw malformed('credentialSubject must be an object with at least one claim');
  return {
    id: idOf(root, 'id'),
    types,
    issuerDid,
    holderDid: subjects.length === 1 ? idOf(subjects[0], 'credentialSubject') : undefined,
    validFrom: readInstant(root, terms.VALID_FROM, 'validFrom'),
    validUntil: readInstant(root, terms.VALID_UNTIL, 'validUntil'),
    statuses: readStatusEntries(valuesOf(root, terms.CREDENTIAL_STATUS)),
    statusList: subjects.length === 1 ? readStatusList(subjects[0]) : undefined,
  };
}

/** Reads the expanded root of a presentation; throws `vc_malformed`. */
export function readPresentation(root: Expanded): PresentationGraph {
  readTypes(root, terms.PRESENTATION);
  const holder = oneOf(root, terms.HOLDER, 'holder');
  const holderDid = idOf(holder, 'holder');
  if (holder && holderDid === undefined) throw malformed('holder must be a URL or an object with an id');
  return { holderDid, credentials: valuesOf(root, terms.VERIFIABLE_CREDENTIAL).length };
}

/** Reads an expanded proof; throws `vc_proof_unsupported`, `vc_proof_invalid` for another purpose, and `vc_malformed`. */
export function readProof(root: Expanded, purpose: ProofPurpose): ProofGraph {
  const types = (root['@type'] ?? []) as readonly string[];
  const suite = readText(root, terms.CRYPTOSUITE, 'cryptosuite');
  const isSupported = types.length === 1 && types[0] === terms.DATA_INTEGRITY_PROOF && suite === CRYPTOSUITE_NAME;
  if (!isSupported) throw vcdmFailure('vc_proof_unsupported');
  if (idOf(oneOf(root, terms.PROOF_PURPOSE, 'proofPurpose'), 'proofPurpose') !== terms.PURPOSES[purpose]) {
    throw vcdmFailure('vc_proof_invalid', `proofPurpose must be ${purpose}`);
  }
  const verificationMethod = idOf(oneOf(root, terms.VERIFICATION_METHOD, 'verificationMethod'), 'verificationMethod');
  if (verificationMethod === undefined) throw vcdmFailure('vc_key_unresolvable');
  readInstant(root, terms.CREATED, 'created');
  return {
    verificationMethod,
    expires: readInstant(root, terms.EXPIRATION, 'expires'),
    challenge: readText(root, terms.CHALLENGE, 'challenge'),
    domain: readText(root, terms.DOMAIN, 'domain'),
  };
}
