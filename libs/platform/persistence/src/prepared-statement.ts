import { types } from 'pg';
import { bindMessages, parseMessage } from './wire-messages';
import { wireValue } from './wire-values';

/** The result of a statement. */
export interface Rows {
  readonly rows: unknown[];
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How the rows of a statement are read: for each column its name, and the parser of its type. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** What the driver's connection has of this class's concern. */
export interface StatementConnection {
  /** The statements that are prepared on this connection, by name; also those of the driver's own queries. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly stream: { write(bytes: Buffer): unknown };
}

/** The columns of the statements of a connection. They do not change: Postgres refuses to run such a statement. */
const shapes = new WeakMap<StatementConnection, Map<string, Shape>>();

function shapesOf(connection: StatementConnection): Map<string, Shape> {
  const known = shapes.get(connection) ?? new Map<string, Shape>();
  shapes.set(connection, known);
  return known;
}

const parserOf = types.getTypeParser as (type: number, format: 'text') => (text: string) => unknown;

/**
 * A named statement for `Client.query`, in place of the driver's own class: it is sent in one buffer, and its columns are
 * asked for only once per connection. Only for clients that run one statement at a time.
 */
export class PreparedStatement {
  readonly #rows: unknown[] = [];
  readonly #values: readonly unknown[];
  #shapes: Map<string, Shape> | undefined;
  #shape: Shape | undefined;
  #failure: Error | undefined;

  /** `callback` is called once, with an error or the result. */
  constructor(
    readonly name: string,
    readonly text: string,
    values: readonly unknown[],
    readonly callback: (error: Error | undefined, result?: Rows) => void,
  ) {
    this.#values = values;
  }

  /** Called by the driver once the connection is free; what it returns is the statement's error. */
  submit(connection: StatementConnection): Error | null {
    this.#shapes = shapesOf(connection);
    this.#shape = this.#shapes.get(this.name);
    let messages: Buffer;
    try {
      messages = bindMessages(this.name, this.#values.map(wireValue), this.#shape === undefined);
    } catch (error) {
      return error as Error;
    }
    const isPrepared = connection.parsedStatements[this.name] !== undefined;
    connection.stream.write(isPrepared ? messages : Buffer.concat([parseMessage(this.name, this.text), messages]));
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID, 'text')),
    };
    this.#shapes?.set(this.name, this.#shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers } = this.#shape as Shape;
    try {
      const row: Record<string, unknown> = {};
      for (const [index, name] of names.entries()) {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : parsers[index]?.(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  /** A statement without rows has no description, so that this is remembered here. */
  handleCommandComplete(): void {
    this.#shapes?.set(this.name, this.#shape ?? { names: [], parsers: [] });
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback(this.#failure);
    else this.callback(undefined, { rows: this.#rows });
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handlePortalSuspended(): void {
    this.#failure ??= new Error('Postgres suspended a statement without a limit');
  }

  handleCopyInResponse(): void {
    this.#failure ??= new Error('a statement may not copy');
  }

  handleCopyData(): void {
    this.handleCopyInResponse();
  }
}
