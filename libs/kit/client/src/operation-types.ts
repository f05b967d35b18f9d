import type { operations as managementOperations } from './generated/management';
import type { operations as previousWalletContentOperations } from './generated/wallet-content-0-38-2';
import type { operations as walletContentOperations } from './generated/wallet-content-0-40-11';

/** The operations of the connector, by their ids in the OpenAPI document. */
export type ManagementOperations = Omit<managementOperations, keyof Webhooks>;
type Webhooks = Pick<managementOperations, Extract<keyof managementOperations, `receive${string}Event`>>;
/** The operations of wallet content, schemas and drafts in their current version. */
export type WalletContentOperations = walletContentOperations;
/** The same in the previous version, 0.38.2. */
export type PreviousWalletContentOperations = previousWalletContentOperations;

type Member<T, K extends string> = T extends { readonly [key in K]?: infer V } ? NonNullable<V> : never;
type Parameters<O, K extends string> = Member<Member<O, 'parameters'>, K>;
type Optional<T, K extends string> = T extends { readonly [key in K]: unknown } ? false : true;

/** `{[K]: V}`, `{[K]?: V}`, or nothing if there is no such part. */
type Part<K extends string, V, MayBeAbsent> = [V] extends [never]
  ? unknown
  : MayBeAbsent extends true
    ? { readonly [key in K]?: V | undefined }
    : { readonly [key in K]: V };
type JsonContent<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The JSON body of an operation. */
export type BodyOf<O> = Member<JsonBody<O>, 'body'>;
type JsonBody<O> = { readonly body: JsonContent<Member<O, 'requestBody'>> };
/** The query of an operation. */
export type QueryOf<O> = Parameters<O, 'query'>;

/** What an operation takes: `path`, `query` and `body`, each only if the operation has it. */
export type InputOf<O> = Part<'path', Parameters<O, 'path'>, false> &
  Part<'query', QueryOf<O>, Optional<Member<O, 'parameters'>, 'query'>> &
  Part<'body', BodyOf<O>, Optional<O, 'requestBody'>>;

type Success = 200 | 201 | 202 | 204;
type SuccessOf<R> = { [Status in keyof R]: Status extends Success ? JsonContent<R[Status]> : never }[keyof R];
/** The JSON body of a successful response; `undefined` for 204. */
export type ResultOf<O> = O extends { responses: infer R } ? SuccessOf<R> : never;
/** An element of a list. */
export type ItemOf<O> =
  ResultOf<O> extends readonly (infer Item)[]
    ? Item
    : Member<ResultOf<O>, 'items'> extends readonly (infer Item)[]
      ? Item
      : never;
