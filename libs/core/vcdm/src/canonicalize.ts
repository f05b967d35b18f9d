import { createHash } from 'node:crypto';
import type { LoadDocument } from 'jsonld';
import type { Quad } from 'rdf-canonize';
import { DomainError, isJsonObject, type JsonObject } from '@vestibule/foundation';
import { findBundledContext, unknownContext, type ContextDocuments } from './contexts';
import { countCoveredQuads, type Expanded } from './covered-members';
import { vcdmFailure } from './failures';
import { withTypedDoubles } from './typed-doubles';
import {
  readCredential,
  readPresentation,
  readProof,
  type CredentialGraph,
  type PresentationGraph,
  type ProofGraph,
} from './read-graph';

interface Request<Kind> {
  readonly kind: Kind;
  /** Without its proof. */
  readonly document: JsonObject;
  /** The proof without its value. */
  readonly proof: JsonObject;
  /** Every context that the two need, but for the bundled ones. */
  readonly contexts: ContextDocuments;
}
export type CredentialRequest = Request<'credential'>;
export type PresentationRequest = Request<'presentation'>;

/** What is signed, and what it says: both from one expansion. */
export interface SignedData<Graph> {
  /** SHA-256 of the canonical proof options, then of the canonical document (ECDSA Cryptosuites 1.0 §3.2.4). */
  readonly hashes: Uint8Array;
  readonly graph: Graph;
  readonly proof: ProofGraph;
}

/**
 * Converts a document and its proof into the bytes to be signed. It may be slow for a malicious document: for untrusted
 * ones, call it where nothing else waits for it, and with a time limit.
 */
export interface Canonicalize {
  (request: CredentialRequest): Promise<SignedData<CredentialGraph>>;
  (request: PresentationRequest): Promise<SignedData<PresentationGraph>>;
}

/** How large a graph may become. Comparing nodes that look alike is bounded by their number, as other verifiers do it. */
const GRAPH_LIMITS = { maxQuads: 16_384, maxBlankNodes: 4_096 } as const;

const EXPANSION = { base: null, safe: true } as const;
const TO_RDF = {
  ...EXPANSION,
  skipExpansion: true,
  rdfDirection: 'i18n-datatype',
  produceGeneralizedRdf: false,
} as const;
const CANONICALIZATION = { algorithm: 'RDFC-1.0', messageDigestAlgorithm: 'SHA-256', maxWorkFactor: 1 } as const;

type Libraries = Awaited<ReturnType<typeof importLibraries>>;
let libraries: Promise<Libraries> | undefined;

async function importLibraries() {
  const [{ default: jsonld }, { canonize }] = await Promise.all([import('jsonld'), import('rdf-canonize')]);
  return { jsonld, canonize };
}

/**
 * Loads the libraries for JSON-LD, which the first document does otherwise. A process whose documents are canonicalized
 * by its threads never needs them.
 */
export async function loadCanonicalizer(): Promise<void> {
  await (libraries ??= importLibraries());
}

function loaderOf(contexts: ContextDocuments): LoadDocument {
  return async (url) => {
    const bundled = findBundledContext(url);
    if (bundled) return { documentUrl: url, document: bundled, tag: 'static' };
    const document = contexts.get(url);
    if (!document) throw unknownContext(url);
    return { documentUrl: url, document };
  };
}

function blankNodesIn(quads: readonly Quad[]): number {
  const names = new Set<string>();
  for (const { subject, object, graph } of quads) {
    for (const { termType, value } of [subject, object, graph]) if (termType === 'BlankNode') names.add(value);
  }
  return names.size;
}

function checkSize(quads: readonly Quad[]): void {
  const { maxQuads, maxBlankNodes } = GRAPH_LIMITS;
  if (quads.length > maxQuads) throw vcdmFailure('vc_too_complex', `the document has more than ${maxQuads} quads`);
  if (blankNodesIn(quads) > maxBlankNodes) {
    throw vcdmFailure('vc_too_complex', `the document has more than ${maxBlankNodes} nodes without an id`);
  }
}

async function canonicalText(quads: readonly Quad[], { canonize }: Libraries): Promise<string> {
  try {
    return await canonize(quads, CANONICALIZATION);
  } catch (error) {
    // What it throws for a graph from the JSON-LD library is that too many nodes look alike.
    const detail = 'too many nodes without an id are indistinguishable, for example places of a list with equal values';
    throw vcdmFailure('vc_too_complex', detail, error);
  }
}

/** The root of the one graph that a document is, and the SHA-256 of its canonical form. */
async function canonicalizeRoot(document: JsonObject, documentLoader: LoadDocument) {
  const loaded = await (libraries ??= importLibraries());
  const { jsonld } = loaded;
  const expanded = await jsonld.expand(document, { ...EXPANSION, documentLoader });
  const [root, ...more] = expanded;
  if (!isJsonObject(root) || more.length > 0) throw vcdmFailure('vc_malformed');
  const covered = countCoveredQuads(document, root as Expanded);
  const quads = await jsonld.toRDF([withTypedDoubles(root)], { ...TO_RDF, documentLoader });
  if (quads.length !== covered) throw vcdmFailure('vc_member_unsigned');
  checkSize(quads);
  const hash = createHash('sha256')
    .update(await canonicalText(quads, loaded))
    .digest();
  return { root: root as Expanded, hash };
}

/** Names of errors of the JSON-LD library for documents with members that it would drop. */
const UNSAFE = 'jsonld.ValidationError';

/** Errors of the library hold each other: the one of the loader is the deepest. */
function causesOf(error: unknown): unknown[] {
  const { details } = (error ?? {}) as { details?: { cause?: unknown } };
  return details?.cause === undefined ? [error] : [error, ...causesOf(details.cause)];
}

/** Why the library did not take a document, in the codes of this one. */
function failureOf(error: unknown): DomainError {
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof DomainError);
  if (own) return own;
  const isUnsafe = causes.some((cause) => cause instanceof Error && cause.name === UNSAFE);
  return vcdmFailure(isUnsafe ? 'vc_term_undefined' : 'vc_malformed', undefined, error);
}

async function canonicalizeBoth({ document, proof, contexts }: Request<string>) {
  const documentLoader = loaderOf(contexts);
  const context = document['@context'] ?? [];
  try {
    // The proof first: it is small, and most faults are in the proof.
    const options = await canonicalizeRoot({ ...proof, '@context': context }, documentLoader);
    const content = await canonicalizeRoot(document, documentLoader);
    return { options: options.root, root: content.root, hashes: Buffer.concat([options.hash, content.hash]) };
  } catch (error) {
    throw failureOf(error);
  }
}

async function canonicalizeDocument(request: CredentialRequest): Promise<SignedData<CredentialGraph>>;
async function canonicalizeDocument(request: PresentationRequest): Promise<SignedData<PresentationGraph>>;
async function canonicalizeDocument(
  request: CredentialRequest | PresentationRequest,
): Promise<SignedData<CredentialGraph | PresentationGraph>> {
  const { options, root, hashes } = await canonicalizeBoth(request);
  const isCredential = request.kind === 'credential';
  return {
    hashes,
    graph: isCredential ? readCredential(root) : readPresentation(root),
    proof: readProof(options, isCredential ? 'assertionMethod' : 'authentication'),
  };
}

/**
 * Expands a document and its proof once, makes sure that every member is covered and that the graph is not too large, and
 * reads what it says from the expansion that it hashes. Throws the codes of `VCDM_FAILURES`, and nothing else for
 * documents of the right shape.
 */
export const canonicalize: Canonicalize = canonicalizeDocument;
