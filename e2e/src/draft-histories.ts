import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { BADGE, createSchemaApi, OLD, type ResourceAnswer, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

/*
 * A model of drafts, from the contract alone: a draft has plain values, changes by JSON merge patches of either version
 * of the API until it is issued or abandoned, and each change makes a revision.
 */

type Members = Record<string, unknown>;

interface Revision {
  readonly state: 'draft' | 'issued' | 'abandoned';
  readonly values: Members;
  readonly labels: Members;
}

/** The revisions of a draft, the first one first. */
export type Model = readonly Revision[];

interface Common {
  readonly isOld: boolean;
  /** The revision in `If-Match`, counted back from the latest; undefined for none. */
  readonly behind: number | undefined;
}
export type Step = Common &
  (
    | { readonly kind: 'update'; readonly values: Members; readonly labels: Members }
    | { readonly kind: 'issue' }
    | { readonly kind: 'abandon' }
  );

/** The answer to a step: its status and, unless it is 200, its code. */
type Outcome = readonly [status: number, code: string | undefined];

const KINDS: Readonly<Record<string, string>> = {
  given_name: 'STRING',
  since: 'DATE',
  level: 'NUMBER',
  office: 'OBJECT',
  street: 'STRING',
};

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396 §2. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) result.delete(name);
    else result.set(name, merged(result.get(name), part));
  }
  return Object.fromEntries(result);
}

/** Plain values, or a patch of them, as the current version writes them. */
function typed(values: Members): Members {
  const one = (name: string, value: unknown) =>
    value === null ? null : { kind: KINDS[name] ?? 'STRING', value: isObject(value) ? typed(value) : value };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(name, value)]));
}

const isValid = ({ given_name: name = '', level = 0, ...others }: Members) =>
  typeof name === 'string' && typeof level === 'number' && !Object.keys(others).includes('surname');

const FORBIDDEN: Outcome = [409, 'transition_forbidden'];

/** What a step does to a draft, and how it is answered; `next` is absent where it changes nothing. */
function judged(model: Model, step: Step): { readonly outcome: Outcome; readonly next?: Revision } {
  const latest = model.at(-1) as Revision;
  if (latest.state !== 'draft') return { outcome: FORBIDDEN };
  if (step.behind !== undefined && step.behind > 0) return { outcome: [412, 'revision_mismatch'] };
  if (step.kind === 'abandon') return { outcome: [200, undefined], next: { ...latest, state: 'abandoned' } };
  if (step.kind === 'issue') {
    if (!latest.values['given_name']) return { outcome: [400, 'draft_incomplete'] };
    return { outcome: [200, undefined], next: { ...latest, state: 'issued' } };
  }
  const next = {
    ...latest,
    values: merged(latest.values, step.values) as Members,
    labels: merged(latest.labels, step.labels) as Members,
  };
  return isValid(next.values) ? { outcome: [200, undefined], next } : { outcome: [400, 'invalid_request'] };
}

/** The draft after a step that was answered so; undefined if the model answers otherwise. */
function after(model: Model, step: Step, [status, code]: Outcome): Model | undefined {
  const { outcome, next } = judged(model, step);
  if (outcome[0] !== status || outcome[1] !== code) return undefined;
  return next ? [...model, next] : model;
}

const TEXTS = ['', 'Zoë', 'Zoe\u0308', '\u202eZoë', '\ufeffZ', '__proto__', 'z'.repeat(300)];
const text = fc.constantFrom(...TEXTS);
const values = fc.record(
  {
    given_name: fc.oneof({ weight: 6, arbitrary: text }, fc.constant(null), fc.constant(7)),
    level: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(0, -1, 0.5, 1e15) }, fc.constant(null), fc.constant('7')),
    since: fc.constantFrom('2024-02-29', null),
    office: fc.oneof(fc.record({ street: fc.oneof(text, fc.constant(null)) }), fc.constant(null)),
  },
  { requiredKeys: [] },
);
const unknown = fc.constant({ surname: 'Example' });
const labels = fc.dictionary(fc.constantFrom('a', 'A', 'constructor'), fc.constantFrom('x', '', null), { maxKeys: 2 });
const common = {
  isOld: fc.boolean(),
  behind: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(0, 0, 1)),
};
const update = fc.record({
  ...common,
  kind: fc.constant('update' as const),
  values: fc.oneof({ weight: 12, arbitrary: values }, unknown),
  labels,
});
const end = fc.record({ ...common, kind: fc.constantFrom('issue' as const, 'abandon' as const) });
const step: fc.Arbitrary<Step> = fc.oneof({ weight: 6, arbitrary: update }, { weight: 1, arbitrary: end });
/** Steps one after the other, and then some at the same moment. */
export const history = fc.record({
  first: fc.array(step, { minLength: 2, maxLength: 8 }),
  atOnce: fc.array(fc.oneof(update, end), { minLength: 2, maxLength: 3 }),
});
export type History = typeof history extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** A tenant's wallet, and the schema of its drafts. */
export interface World {
  readonly api: SchemaApi;
  readonly content: WalletApi;
  readonly owner: OwnedWallet;
  readonly schemaUrl: string;
}

async function createWorld({ stack }: SharedStage): Promise<World> {
  const { baseUrl, files } = stack;
  const [api, content] = [
    createSchemaApi(baseUrl, files.secrets.apiKey),
    createWalletApi(baseUrl, files.secrets.apiKey),
  ];
  const slug = `s${randomUUID().replaceAll('-', '')}`;
  const { body } = await api('POST', '/schemas', { data: { schema: BADGE, slug } });
  const published = await api('PATCH', `/schemas/${body.id}/publish`, {});
  return { api, content, owner: await content.newWallet(), schemaUrl: String(published.body.data['meta_schema']) };
}

/** A world at the stage of all tests that need nothing else, for the tests of a file. */
export function useWorld(): () => World {
  let stage: SharedStage | undefined;
  let world: World | undefined;
  beforeAll(async () => {
    stage = await joinStage();
    world = await createWorld(stage);
  });
  afterAll(() => stage?.stop());
  return () => world as World;
}

const versionOf = (isOld: boolean) => (isOld ? OLD : {});
const outcomeOf = ({ status, body }: ResourceAnswer): Outcome => [status, body.code];

async function take({ api }: World, id: string, latest: number, one: Step): Promise<Outcome> {
  const { isOld, behind } = one;
  const match: Record<string, string> = behind === undefined ? {} : { 'if-match': `"${latest - behind}"` };
  const headers = { ...versionOf(isOld), ...match };
  if (one.kind === 'issue') return outcomeOf(await api('POST', `/drafts/${id}/issue`, {}, headers));
  if (one.kind === 'abandon') return outcomeOf(await api('DELETE', `/drafts/${id}`, undefined, headers));
  const patch = { labels: one.labels, data: { values: isOld ? one.values : typed(one.values) } };
  return outcomeOf(await api('PATCH', `/drafts/${id}`, patch, headers));
}

/** What every call that reads a draft says of it, in both versions. */
async function readEverywhere({ api, content, owner }: World, id: string, revisions: number) {
  const filter = [
    { id: { operator: 'EQUAL', value: id }, state: { operator: 'IN', value: ['draft', 'issued', 'abandoned'] } },
  ];
  const inVersion = async (isOld: boolean) => {
    const headers = versionOf(isOld);
    const { body } = await api('GET', `/drafts/${id}`, undefined, headers);
    const { items } = await api('POST', '/drafts/search', { filter }, headers);
    expect(items).toEqual([body]);
    const given = await api('GET', `/credentials/${id}/values`, undefined, headers);
    return {
      draft: [body['revision'], body['labels'], body.data['values'], 'deleted_at' in body],
      values: given.status === 200 ? given.body.data['values'] : given.body.code,
    };
  };
  const credential = async (revision: number) => {
    const { body } = await content.get(`/credential/${id}?${ownerQuery(owner)}&revision=${revision}`);
    const document = body['Body'] as Members;
    const { Labels } = body['MetaData'] as Members;
    return {
      state: body['State'],
      values: document['credentialSubject'],
      labels: Labels,
      isSigned: 'proof' in document,
    };
  };
  const beyond = await content.get(`/credential/${id}?${ownerQuery(owner)}&revision=${revisions + 1}`);
  return {
    current: await inVersion(false),
    old: await inVersion(true),
    revisions: await Promise.all(Array.from({ length: revisions }, (_, index) => credential(index + 1))),
    beyond: beyond.status,
  };
}

/** What the model says they say. */
function expectedEverywhere(model: Model) {
  const { state, values: plain, labels: marks } = model.at(-1) as Revision;
  const inVersion = (said: Members) => ({
    draft: [model.length, marks, said, state === 'abandoned'],
    values: state === 'issued' ? said : 'credential_not_found',
  });
  return {
    current: inVersion(typed(plain)),
    old: inVersion(plain),
    revisions: model.map((one) => ({ ...one, isSigned: one.state === 'issued' })),
    beyond: 404,
  };
}

/** The same step when so many revisions were added after the one that its `If-Match` was sent for. */
const later = (one: Step, added: number): Step =>
  one.behind === undefined ? one : { ...one, behind: one.behind + added };

/** The models that the steps lead to in each order in which they could have been answered so. */
function explanations(model: Model, steps: readonly (readonly [Step, Outcome])[], hasWinner = false): Model[] {
  if (steps.length === 0) return [model];
  return steps.flatMap(([one, outcome], at) => {
    // Who loses against another of them is told so, even if the other ended the draft, and has changed nothing.
    const lost = one.behind === undefined ? 'concurrent_change' : 'revision_mismatch';
    const next = after(model, one, outcome) ?? (hasWinner && outcome[1] === lost ? model : undefined);
    if (!next) return [];
    const added = next.length - model.length;
    const others = steps.filter((_, other) => other !== at);
    const moved = others.map(([other, answer]) => [later(other, added), answer] as const);
    return explanations(next, moved, hasWinner || added > 0);
  });
}

/** A draft of its own goes through a history, and is in the end what the model says. */
export async function expectHistory(world: World, { first, atOnce }: History): Promise<void> {
  const { api, owner, schemaUrl } = world;
  const { body } = await api('POST', `/drafts?${ownerQuery(owner)}`, { data: { meta_schema: schemaUrl } });
  let model: Model = [{ state: 'draft', values: {}, labels: {} }];
  for (const one of first) {
    const outcome = await take(world, body.id, model.length, one);
    expect([one, outcome]).toEqual([one, judged(model, one).outcome]);
    model = after(model, one, outcome) as Model;
  }
  const outcomes = await Promise.all(atOnce.map((one) => take(world, body.id, model.length, one)));
  const answered = atOnce.map((one, at) => [one, outcomes[at] as Outcome] as const);
  const possible = explanations(model, answered);
  const [found] = possible;
  if (!found) throw new Error(`no order explains ${JSON.stringify([model, answered])}`);
  const read = await readEverywhere(world, body.id, found.length);
  const wanted = possible.map(expectedEverywhere);
  if (!wanted.some((one) => isDeepStrictEqual(one, read))) expect(read).toEqual(expectedEverywhere(found));
}
