import type { RequestMembers } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import type { Credential } from '../handmade-credential';
import { createRequest, fetchRequest, presentationPost, type OpenRequest, type Post } from '../requests';
import { OPEN_TYPE, type World } from '../world';

/** An answer that is ready to be sent. */
export interface Prepared {
  readonly post: Post;
  /** The state of the request that it ends; undefined if it belongs to none. */
  readonly state: string | undefined;
}

/** One way to make an answer expensive. */
export interface HostileKind {
  readonly name: string;
  readonly what: string;
  /** Part of the short form. */
  readonly inShort: boolean;
  prepare(world: World): Promise<Prepared>;
}

/** The maximum number of presentations in one answer. */
export const MAX_PRESENTATIONS = 64;
/** Bytes of the largest response that fits, encrypted, into a body of 1 MiB. */
export const MAX_RESPONSE_BYTES = 785_800;
/** Bytes of JSON that fit, with everything around them, into the payload of an answer's only credential. */
export const MAX_CLAIMS_BYTES = 585_000;

export const upTo = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** As many comma-separated items as fit into the given number of ASCII bytes. */
export function filled(bytes: number, make: (index: number) => string): string {
  const items: string[] = [];
  let left = bytes;
  for (let index = 0; ; index += 1) {
    const item = make(index);
    left -= item.length + 1;
    if (left < 0) return items.join();
    items.push(item);
  }
}

/** Creates items sequentially, so that a slow one does not keep all the others in memory. */
export async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make(index));
  return made;
}

/** Characters of a key binding JWT, with quotes and comma. */
const BINDING_LENGTH = 480;

/** As many credentials, up to 64, as fit into one answer together with their key bindings. */
export function asManyAsFit(make: (index: number) => Credential): Credential[] {
  const credentials: Credential[] = [];
  let left = MAX_RESPONSE_BYTES - 200;
  while (credentials.length < MAX_PRESENTATIONS) {
    const credential = make(credentials.length);
    left -= credential.sdJwt.length + BINDING_LENGTH;
    if (left < 0) return credentials;
    credentials.push(credential);
  }
  return credentials;
}

/** The backend's query: any number of credentials of a type, under the id `card`. */
export const queryFor = (vct: string, members: JsonObject = {}): JsonObject => ({
  credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, multiple: true, ...members }],
});

export interface AnswerOptions {
  readonly vct?: string;
  /** Members of the credential query. */
  readonly query?: JsonObject;
  /** Members of the backend's request. */
  readonly ask?: RequestMembers;
}

/** Creates a request and opens it as the wallet does. */
export async function openFor(world: World, { vct = OPEN_TYPE, query, ask }: AnswerOptions = {}): Promise<OpenRequest> {
  const body = { dcql_query: queryFor(vct, query), ...ask };
  return fetchRequest(await createRequest(world.stack, body));
}

/** The answer to a new request with these credentials, each bound by its holder. */
export async function answerWith(
  world: World,
  credentials: readonly Credential[],
  options: AnswerOptions & { readonly bindingClaims?: JsonObject } = {},
): Promise<Prepared> {
  const request = await openFor(world, options);
  return { post: presentationPost(request, credentials, options.bindingClaims), state: request.state };
}
