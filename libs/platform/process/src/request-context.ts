import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { encodeBase64url } from '@vestibule/foundation';
import { randomBytes } from './random-bytes';

/** The context of one request, which follows it through all services. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C Trace Context §3.2, passed on unchanged. */
  readonly traceparent?: string | undefined;
  /** Until when the caller waits for the answer, by its clock; undefined if unknown. */
  readonly answerBy?: Date | undefined;
  /** The caller, as the gateway has identified it; undefined for wallets, and as long as nobody has. */
  readonly actor?: string | undefined;
}

/** The reason of an error that means: it was too late to begin, and nothing was done. */
export const DEADLINE_PASSED = 'deadline_passed';

declare module '@vestibule/foundation' {
  interface ReasonTables {
    readonly deadline: { readonly [DEADLINE_PASSED]: string };
  }
}

const REQUEST_ID_BYTES = 16;
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const SUBJECT_HASH_LENGTH = 12;

const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** The context of the current request, if any. */
export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

/** The id of the current request, if any: the logger prints it in each line. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

/** Until when the answer to the current request is awaited, by the caller's clock, if known. */
export function currentAnswerBy(): Date | undefined {
  return storage.getStore()?.answerBy;
}

const actors = new WeakMap<RequestContext, readonly string[]>();
const subjects = new WeakMap<RequestContext, string>();
/** The context that another one was derived from: both belong to the same request. */
const origins = new WeakMap<RequestContext, RequestContext>();

const originOf = (context: RequestContext): RequestContext => origins.get(context) ?? context;

/**
 * Records which flow the current request is about, as soon as that is known: each of its log lines then has the hash.
 */
export function noteSubject(id: string): void {
  const context = storage.getStore();
  if (context) subjects.set(originOf(context), id);
}

/** Printable ASCII without spaces, which separate the parts. */
const ACTOR = /^[\x21-\x7e]{1,2400}(?: [\x21-\x7e]{1,2400}){0,3}$/;
const LONGEST_NAME = 255;
/** Everything that may not be in a part of an actor, and the mark of what is written in its place. */
const UNFIT = /[^\x21-\x7e]|%/gu;

const percentEncoded = (character: string): string =>
  [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/** How a caller has identified itself. `anonymous` has no name: the listener asks nobody who they are. */
export type ActorKind = 'key' | 'key-digest' | 'token' | 'certificate' | 'api-key' | 'anonymous';

/**
 * Records a credential that the caller of the current request has shown, once it is verified, by its kind and name. A
 * name of more than 255 characters is replaced by its hash.
 */
export function noteActor(kind: ActorKind, name: string): void {
  const context = storage.getStore();
  if (!context) return;
  const origin = originOf(context);
  const short = name.length > LONGEST_NAME ? `sha256-${createHash('sha256').update(name).digest('base64url')}` : name;
  const part = kind === 'anonymous' ? kind : `${kind}:${short.replace(UNFIT, percentEncoded)}`;
  const known = actors.get(origin) ?? [];
  if (!known.includes(part)) actors.set(origin, [...known, part]);
}

/** The caller of the current request: the credentials that were noted, separated by spaces; undefined if there are none. */
export function currentActor(): string | undefined {
  const context = storage.getStore();
  return context && (context.actor ?? actors.get(originOf(context))?.join(' '));
}

/** An actor of a message if it has the form of one: up to four parts of printable ASCII. */
export function acceptActor(text: string | undefined): string | undefined {
  return text !== undefined && ACTOR.test(text) ? text : undefined;
}

/**
 * The name of a flow in log lines, derived from its `state` or offer id, which are themselves secrets: 12 characters of
 * base64url.
 */
export function subjectHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, SUBJECT_HASH_LENGTH);
}

/** The hash that {@link noteSubject} has recorded for the current request, if any. */
export function currentSubjectHash(): string | undefined {
  const context = storage.getStore();
  const id = context && subjects.get(originOf(context));
  return id === undefined ? undefined : subjectHash(id);
}

/** Runs `run`, and everything that it awaits, in the context of a request. */
export function withRequestContext<Result>(context: RequestContext, run: () => Result): Result {
  return storage.run(context, run);
}

/** Runs `run` in the same request with another `traceparent`; outside of a request, in a new one. */
export function withTraceparent<Result>(traceparent: string, run: () => Result): Result {
  const current = storage.getStore();
  const context: RequestContext = { ...(current ?? { requestId: createRequestId() }), traceparent };
  if (current) origins.set(context, originOf(current));
  return storage.run(context, run);
}

/** {@link withRequestContext} with only an id. */
export function withRequestId<Result>(requestId: string, run: () => Result): Result {
  return storage.run({ requestId }, run);
}

/**
 * Runs `run` outside of the current request: for work that continues after its answer, or serves many requests. `exit`
 * of Node.js 20 would switch its hooks for promises off and on again, which costs several times as much.
 */
export function withoutRequestContext<Result>(run: () => Result): Result {
  return storage.run(undefined, run);
}

/** A new request id: 128 random bits, 22 characters of base64url. */
export function createRequestId(): string {
  return encodeBase64url(randomBytes(REQUEST_ID_BYTES));
}

/** A caller's request id if it is harmless in a log line: 8 to 64 of `A-Z a-z 0-9 . _ -`. */
export function acceptRequestId(text: string | undefined): string | undefined {
  return text !== undefined && REQUEST_ID.test(text) ? text : undefined;
}

/** A caller's `traceparent` if it is well-formed (W3C Trace Context §3.2.2). */
export function acceptTraceparent(text: string | undefined): string | undefined {
  return text !== undefined && TRACEPARENT.test(text) ? text : undefined;
}
