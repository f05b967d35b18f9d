import type { BodyOf, InputOf, ItemOf, QueryOf, ResultOf } from './operation-types';
import type { CallOptions } from './options';
import { followPages } from './pages';
import { pause, send, type Input, type Operation, type Transport } from './send';

/** A table of operations by their ids. */
export type OperationTable<Operations> = { readonly [Id in keyof Operations]: Operation };

type Searches<Operations> = { [Id in keyof Operations]: Id extends `${string}Search` ? Id : never }[keyof Operations];
type Lists<Operations> = {
  [Id in keyof Operations]: QueryOf<Operations[Id]> extends { cursor?: string } ? Id : never;
}[keyof Operations];

/** A server that shuts down does not hold answers back: it is asked no more often than this. */
const SHORTEST_ROUND_MILLISECONDS = 1_000;

/** The calls of one OpenAPI document. */
export class Api<Operations> {
  readonly #transport: Transport;
  readonly #operations: OperationTable<Operations>;

  constructor(transport: Transport, operations: OperationTable<Operations>) {
    this.#transport = transport;
    this.#operations = operations;
  }

  /**
   * Calls an operation by its id in the OpenAPI document and returns the body of the successful response.
   *
   * @throws ArgumentError, ProblemError, UnexpectedResponseError, ConnectionError; the reason of an aborted signal
   */
  async call<Id extends keyof Operations>(
    id: Id,
    input: InputOf<Operations[Id]>,
    options: CallOptions = {},
  ): Promise<ResultOf<Operations[Id]>> {
    const { body } = await send(this.#transport, { operation: this.#operations[id], input: input as Input, options });
    return body as ResultOf<Operations[Id]>;
  }

  /**
   * Calls an operation that the server answers late until an answer is not open any more; at most once a second. Throws
   * what `call` throws.
   */
  async until<Id extends keyof Operations>(
    id: Id,
    input: InputOf<Operations[Id]>,
    isOpen: (view: ResultOf<Operations[Id]>) => boolean,
    options: CallOptions = {},
  ): Promise<ResultOf<Operations[Id]>> {
    const { surroundings } = this.#transport;
    for (;;) {
      const next = surroundings.now() + SHORTEST_ROUND_MILLISECONDS;
      const view = await this.call(id, input, options);
      if (!isOpen(view)) return view;
      const early = next - surroundings.now();
      if (early > 0) await pause(surroundings, early, options.signal);
    }
  }

  /** Every item of a list whose pages are linked by `Link`. Throws what `call` throws, and RepeatedCursorError. */
  list<Id extends Lists<Operations>>(
    id: Id,
    input: InputOf<Operations[Id]>,
    options: CallOptions = {},
  ): AsyncGenerator<ItemOf<Operations[Id]>, void, undefined> {
    const { query, ...rest } = input as Input;
    const operation = this.#operations[id];
    return followPages((cursor) =>
      send(this.#transport, {
        operation,
        input: { ...rest, query: cursor === undefined ? query : { ...query, cursor } },
        options,
      }),
    );
  }

  /** Every result of a search, whose pages are linked by `next_cursor`. Throws what `list` throws. */
  search<Id extends Searches<Operations>>(
    id: Id,
    body: BodyOf<Operations[Id]>,
    options: CallOptions = {},
  ): AsyncGenerator<ItemOf<Operations[Id]>, void, undefined> {
    const operation = this.#operations[id];
    return followPages((cursor) =>
      send(this.#transport, { operation, input: { body: cursor === undefined ? body : { ...body, cursor } }, options }),
    );
  }
}
