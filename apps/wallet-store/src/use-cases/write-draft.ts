import type { ApiVersion, ResourceView } from '@vestibule/contracts';
import {
  answerAgain,
  applyMergePatch,
  isJsonObject,
  ownMember,
  type Clock,
  type Fault,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { buildCredential, createDidKey } from '@vestibule/vcdm';
import { draftContent, parseDraftBody, PREVIOUS, readValues, type WrittenDraft } from '../domain/draft-body';
import { credentialOf, sourceFromJson, sourceToJson, type DraftSource } from '../domain/draft-source';
import type { Draft, DraftContent } from '../domain/drafts';
import type { Drafts } from '../domain/ports';
import type { TenantId } from '../domain/records';
import { refuseFaults, resourceOf } from '../domain/resources';
import { temporaryUrl } from '../domain/schema-addresses';
import type { NamedWallet } from '../domain/wallets';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { abandonDraft, changeDraft, type ChangeDraftDeps } from './change-draft';
import type { FindWallet } from './find-wallet';
import { repeatableCall } from './repeat';
import type { DraftSources } from './validate-credential';
import type { Caller } from './write-schema';

/** A draft in its envelope, with the wallet that it is in; an abandoned one with the time of its deletion. */
export function draftView(draft: Draft, version: ApiVersion): ResourceView {
  const deletedAt = draft.state === 'abandoned' ? draft.updatedAt : undefined;
  const record = { ...draft, id: draft.did, deletedAt };
  const content = draftContent(sourceFromJson(draft.source), version);
  return resourceOf({ name: 'Draft', version }, record, { ...placeOf(draft), ...content });
}

/** The members of a draft's answers that say where it is. */
const placeOf = ({ entityDid, walletDid }: Draft) => ({ entity_did: entityDid, wallet_did: walletDid });

interface SourceDeps {
  readonly baseUrl: string;
  readonly sources: DraftSources;
}

/** The draft that is written, by its tenant and in its version, and what it was before. */
interface Writing {
  readonly tenant: TenantId;
  readonly did: string;
  readonly version: ApiVersion;
  readonly before?: DraftSource;
}

type SchemaOfSource = Pick<DraftSource, 'metaSchemaUrl' | 'definition' | 'published'>;

async function findSchema(
  deps: SourceDeps,
  { reference }: WrittenDraft,
  { tenant, did, before }: Omit<Writing, 'version'>,
): Promise<SchemaOfSource | undefined> {
  if (!reference) return undefined;
  if ('definition' in reference) {
    return { metaSchemaUrl: temporaryUrl(deps.baseUrl, did), definition: reference.definition };
  }
  const { url } = reference;
  if (before?.metaSchemaUrl === url) return before;
  const found = await deps.sources.findDefinition(tenant, url);
  if (!found) return undefined;
  const { schema, ...published } = found;
  return { metaSchemaUrl: url, published, definition: { schema, slug: found.slug, version: found.version } };
}

/** Validates the written draft against its schema; throws `invalid_request` with every fault. */
async function sourceOf(deps: SourceDeps, written: WrittenDraft, writing: Writing): Promise<DraftSource> {
  const { tenant, version, before } = writing;
  const schema = await findSchema(deps, written, writing);
  const unknown = written.reference && !schema;
  const missing = { path: written.referencePath, message: 'is not the URL of a schema that is published here' };
  const judged = schema ? readValues(written.values, schema.definition.schema, version) : { values: {}, faults: [] };
  const references = await deps.sources.unknownReferences(tenant, written, before);
  refuseFaults('draft', [...written.faults, ...(unknown ? [missing] : []), ...judged.faults, ...references]);
  const { jsonLdVocabs, vcdmJsonSchemas } = written;
  const { metaSchemaUrl, definition, published } = schema as SchemaOfSource;
  const named = published ? { published } : {};
  return { metaSchemaUrl, definition, ...named, jsonLdVocabs, vcdmJsonSchemas, values: judged.values };
}

/** The content of a draft's revision: the source, and the resulting credential without a proof. */
function contentOf(
  deps: SourceDeps,
  source: DraftSource,
  { did, entityDid }: { did: string; entityDid: string },
  { labels, annotations }: Pick<WrittenDraft, 'labels' | 'annotations'>,
): DraftContent {
  const said = credentialOf(source, deps.baseUrl);
  const body = buildCredential({ ...said, id: did, issuerDid: entityDid });
  const types = ['VerifiableCredential', ...said.types];
  return { types, body, source: sourceToJson(source), labels, annotations, issuerDid: entityDid, holderDid: undefined };
}

export interface CreateDraftDeps extends AuthenticateDeps, SourceDeps {
  readonly drafts: Pick<Drafts, 'insertDraft' | 'recallDraft'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly findWallet: FindWallet;
}

export interface CreateDraftInput extends Caller, NamedWallet {
  readonly body: JsonObject;
  readonly idempotencyKey?: string | undefined;
}

/** Creates a draft in the named wallet or in the default one. Throws `wallet_not_found`, `invalid_request`. */
export function createDraft(deps: CreateDraftDeps) {
  return async function createDraft({
    apiKeyDigest,
    version,
    body,
    idempotencyKey,
    ...named
  }: CreateDraftInput): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const input = [version, body, named.entityDid ?? null, named.walletDid ?? null];
    const call = repeatableCall(idempotencyKey, input);
    const create = async (): Promise<ResourceView> => {
      const written = parseDraftBody(body, version);
      const { did } = createDidKey(deps.random);
      const source = await sourceOf(deps, written, { tenant, did, version });
      const { entityDid, walletDid } = await deps.findWallet(tenant, named);
      const content = contentOf(deps, source, { did, entityDid }, written);
      const createdAt = deps.clock();
      const place = {
        did,
        entityDid,
        walletDid,
        state: 'draft' as const,
        revision: 1,
        createdAt,
        updatedAt: createdAt,
      };
      const answer = draftView({ ...place, ...content }, version);
      return deps.drafts.insertDraft(
        { tenant, owner: { entityDid, walletDid }, did, content, createdAt },
        answer,
        call,
      );
    };
    return answerAgain(create, () => deps.drafts.recallDraft(tenant, call));
  };
}

/** A patch without the members that say where a draft is: a draft stays there, so they may only repeat it. */
function splitPlace(
  patch: JsonObject,
  draft: Draft,
): { readonly patch: JsonObject; readonly faults: readonly Fault[] } {
  const change = ownMember(patch, 'data');
  if (!isJsonObject(change)) return { patch, faults: [] };
  const place: Readonly<Record<string, string>> = placeOf(draft);
  const isPlace = (name: string) => Object.hasOwn(place, name);
  const moved = Object.keys(change).filter((name) => isPlace(name) && change[name] !== place[name]);
  const message = 'cannot be changed: a draft stays in its wallet';
  const rest = Object.fromEntries(Object.entries(change).filter(([name]) => !isPlace(name)));
  return { patch: { ...patch, data: rest }, faults: moved.map((name) => ({ path: `data.${name}`, message })) };
}

/** The draft as a body of the caller's version, after a merge patch. */
function patched(draft: Draft, patch: JsonObject, version: ApiVersion): JsonValue {
  const content = draftContent(sourceFromJson(draft.source), version);
  const change = ownMember(patch, 'data');
  // A definition replaces the existing address, which the caller need not know.
  const replaces = isJsonObject(change) && version !== PREVIOUS && isJsonObject(ownMember(change, 'schema'));
  if (replaces && !Object.hasOwn(change, 'meta_schema')) delete content['meta_schema'];
  const before = { labels: { ...draft.labels }, annotations: { ...draft.annotations }, data: content };
  return applyMergePatch(before, patch);
}

export interface UpdateDraftDeps extends AuthenticateDeps, SourceDeps, ChangeDraftDeps {}
export interface AbandonTypedDraftDeps extends AuthenticateDeps, ChangeDraftDeps {}

export interface ChangeTypedDraftInput extends Caller {
  readonly id: string;
  readonly ifRevision?: number | undefined;
}

/**
 * Applies a JSON merge patch to a draft. Content that the previous version cannot express stays unchanged. Throws
 * `draft_not_found`, `transition_forbidden`, `revision_mismatch`, `concurrent_change`, `invalid_request`.
 */
export function updateDraft(deps: UpdateDraftDeps) {
  return async function updateDraft(
    input: ChangeTypedDraftInput & { readonly body: JsonObject },
  ): Promise<ResourceView> {
    const { apiKeyDigest, version, id: did, ifRevision, body } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const changed = await changeDraft(deps)({ tenant, did, operation: 'update', ifRevision }, async (draft) => {
      const before = sourceFromJson(draft.source);
      const { patch, faults } = splitPlace(body, draft);
      const parsed = parseDraftBody(patched(draft, patch, version), version);
      const { jsonLdVocabs, vcdmJsonSchemas } = version === PREVIOUS ? before : parsed;
      const written = { ...parsed, jsonLdVocabs, vcdmJsonSchemas, faults: [...faults, ...parsed.faults] };
      const source = await sourceOf(deps, written, { tenant, did, version, before });
      return contentOf(deps, source, draft, written);
    });
    return draftView(changed, version);
  };
}

/** Abandons a draft. Throws `draft_not_found`, `transition_forbidden`, `revision_mismatch`, `concurrent_change`. */
export function abandonTypedDraft(deps: AbandonTypedDraftDeps) {
  return async function abandonTypedDraft({
    apiKeyDigest,
    version,
    id,
    ifRevision,
  }: ChangeTypedDraftInput): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    return draftView(await abandonDraft(deps)({ tenant, did: id, ifRevision }), version);
  };
}
