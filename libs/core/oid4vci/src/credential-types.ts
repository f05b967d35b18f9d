import { collectFaults, DomainError, type FaultNote } from '@vestibule/foundation';
import { matchesIntegrity, MAX_DISCLOSURES } from '@vestibule/sd-jwt-vc';
import { addClaim, emptyClaimNode, type ClaimNode } from './claim-tree';
import type { ClaimMetadata } from './claim-metadata';
import type { CredentialType } from './credential-type';
import { typeMetadataUrl } from './issuer-url';
import { RESERVED_CLAIMS } from './reserved-claims';
import { parseTypeMetadata, TypeMetadataError, type ListedClaim, type TypeMetadata } from './type-metadata';

/** One Type Metadata document as it was found. */
export interface TypeMetadataFile {
  readonly configurationId: string;
  readonly bytes: Uint8Array;
}

/** Some of the documents do not hold: each with its own faults. */
export class CredentialTypesError extends DomainError {
  constructor(readonly documents: readonly TypeMetadataError[]) {
    const detail = 'Type Metadata documents are not valid';
    super({ kind: 'invalid', code: 'type_metadata_invalid', detail, faults: documents.flatMap((one) => one.faults) });
  }
}

const keyOf = (claim: { readonly path: ClaimMetadata['path'] }) => JSON.stringify(claim.path);

/** An extending type may tighten what it inherits, never loosen it (§9.5.1). */
function checkTightening(own: ListedClaim, inherited: ClaimMetadata, note: FaultNote): void {
  const changed = own.sd !== undefined && inherited.sd !== 'allowed' && own.sd !== inherited.sd;
  if (changed) note('sd', `is ${inherited.sd} in the extended type`);
  if (inherited.mandatory && own.mandatory === false) note('mandatory', 'is true in the extended type');
}

/** An entry replaces the one with the same path in the extended type; members that it does not have are inherited. */
function mergeClaim(own: ListedClaim, inherited: ClaimMetadata | undefined): ClaimMetadata {
  const { mandatory, sd } = inherited ?? { mandatory: false, sd: 'allowed' as const };
  return {
    path: own.path,
    mandatory: own.mandatory ?? mandatory,
    sd: own.sd ?? sd,
    display: own.display,
    ...(own.svgId === undefined ? {} : { svgId: own.svgId }),
  };
}

function buildTree(claims: Iterable<ClaimMetadata>, note: (claim: ClaimMetadata, wrong: string) => void): ClaimNode {
  const root = emptyClaimNode();
  for (const claim of claims) {
    const wrong = addClaim(root, claim);
    if (wrong !== undefined) note(claim, wrong);
  }
  return root;
}

function checkSvgIds(claims: Iterable<ClaimMetadata>, note: FaultNote): void {
  const seen = new Set<string>();
  for (const { svgId } of claims) {
    if (svgId === undefined) continue;
    if (seen.has(svgId)) note('claims', 'uses an svg_id for another claim than the extended type');
    seen.add(svgId);
  }
}

/** The same for every credential of the type: what it lists more could never be issued together. */
function checkDisclosures(claims: readonly ClaimMetadata[], note: FaultNote): void {
  const disclosed = claims.filter(({ sd, path: [name] }) => sd !== 'never' && !RESERVED_CLAIMS.has(name as string));
  if (disclosed.length <= MAX_DISCLOSURES) return;
  const most = `of which a credential has at most ${MAX_DISCLOSURES}`;
  note(
    'claims',
    `lists ${disclosed.length} claims with a disclosure of their own, ${most}: give the others "sd": "never"`,
  );
}

function mergeType(own: TypeMetadata, base: CredentialType | undefined): CredentialType {
  const { faults, note } = collectFaults();
  const { configurationId, vct, bytes, integrity, extended } = own;
  const wrongBase = base && extended?.integrity !== undefined && !matchesIntegrity(extended.integrity, base.bytes);
  if (wrongBase) note('extends#integrity', 'is not the hash of the extended document as it is served');
  const merged = new Map((base?.claims ?? []).map((claim) => [keyOf(claim), claim]));
  const indexes = new Map(own.claims.map((claim, index) => [keyOf(claim), index]));
  own.claims.forEach((claim, index) => {
    const at: FaultNote = (member, message) => note(`claims[${index}].${member}`, message);
    const inherited = merged.get(keyOf(claim));
    if (inherited) checkTightening(claim, inherited, at);
    merged.set(keyOf(claim), mergeClaim(claim, inherited));
  });
  const claims = [...merged.values()];
  const claimTree = buildTree(claims, (claim, wrong) => note(`claims[${indexes.get(keyOf(claim))}].path`, wrong));
  checkSvgIds(claims, note);
  checkDisclosures(claims, note);
  if (faults.length > 0) throw new TypeMetadataError(configurationId, faults);
  const display = own.display.length > 0 ? own.display : (base?.display ?? []);
  return { configurationId, vct, bytes, integrity, display, claims, claimTree };
}

/** Resolves `extends` within the loaded set; every document is merged once. */
function typeResolver(documents: ReadonlyMap<string, TypeMetadata>): (document: TypeMetadata) => CredentialType {
  const resolved = new Map<string, CredentialType>();
  const findBase = (
    { configurationId, extended }: TypeMetadata,
    chain: readonly string[],
  ): TypeMetadata | undefined => {
    if (!extended) return undefined;
    const fault = (message: string) => new TypeMetadataError(configurationId, [{ path: 'extends', message }]);
    const base = documents.get(extended.vct);
    if (!base) throw fault('refers to a type that is not among the loaded documents');
    if (chain.includes(base.vct)) throw fault('leads back to a type that extends this one');
    return base;
  };
  const resolve = (document: TypeMetadata, chainAbove: readonly string[]): CredentialType => {
    const known = resolved.get(document.vct);
    if (known) return known;
    const chain = [...chainAbove, document.vct];
    const base = findBase(document, chain);
    const type = mergeType(document, base && resolve(base, chain));
    resolved.set(document.vct, type);
    return type;
  };
  return (document) => resolve(document, []);
}

/** The results of all attempts; throws one {@link CredentialTypesError} for all that failed. */
function attemptAll<In, Out>(inputs: readonly In[], attempt: (input: In) => Out): Out[] {
  const errors = new Map<string, TypeMetadataError>();
  const results = inputs.flatMap((input) => {
    try {
      return [attempt(input)];
    } catch (error) {
      if (!(error instanceof TypeMetadataError)) throw error;
      errors.set(error.configurationId, error);
      return [];
    }
  });
  if (errors.size > 0) throw new CredentialTypesError([...errors.values()]);
  return results;
}

/**
 * Loads every Type Metadata document of an issuer and applies what they extend, which must be among them
 * (SD-JWT VC draft 13 §6.4, §9.5). The types come back in the order of the files. Documents of issuer identifiers below
 * `issuerUrl` are served there, as `issuerUrlOf` says.
 * Throws a {@link CredentialTypesError} that names every broken document with its faults.
 */
export function loadCredentialTypes(
  files: readonly TypeMetadataFile[],
  issuerUrl: string,
  issuerUrlOf: (configurationId: string) => string = () => issuerUrl,
): CredentialType[] {
  const documents = attemptAll(files, ({ configurationId, bytes }) => {
    const servedAt = typeMetadataUrl(issuerUrlOf(configurationId), configurationId);
    return parseTypeMetadata(bytes, { configurationId, servedAt, issuerUrl });
  });
  const byVct = new Map<string, TypeMetadata>();
  const ids = new Set<string>();
  attemptAll(documents, (document) => {
    const { configurationId, vct } = document;
    const fault = (path: string, message: string) => new TypeMetadataError(configurationId, [{ path, message }]);
    if (ids.has(configurationId)) throw fault('', 'is the configuration id of another document');
    if (byVct.has(vct)) throw fault('vct', 'is the type of another document');
    ids.add(configurationId);
    byVct.set(vct, document);
  });
  return attemptAll(documents, typeResolver(byVct));
}
