import { Body, createParamDecorator, Query, type ExecutionContext } from '@nestjs/common';
import { idempotencyKey, judge } from '@vestibule/contracts';
import { ApiError, isJsonObject, type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { patchWithoutAbsent, withoutAbsent } from './absent-members';
import { PromptPipe } from './prompt-pipes';

/*
 * Nest judges the parameters of a method from the last to the first, and the caller receives the first error: put the
 * parameter to be judged first last. `validation.spec.ts` verifies this order.
 */

function refusal(detail: string, faults: readonly Fault[]): ApiError {
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults });
}

function fault(path: string, message: string): ApiError {
  return refusal(`${path} ${message}`, [{ path, message }]);
}

type Query = Readonly<Record<string, unknown>>;

/** Reads a query string by its schema; throws `invalid_request` with every fault. */
export function readQuery<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, query: unknown) {
  const { value, faults } = judge(schema, query, { isBody: false });
  if (value) return value;
  const isRepeated = (name: string) => Object.hasOwn(schema.shape, name) && Array.isArray((query as Query)[name]);
  const told = faults.map((one) => (isRepeated(one.path) ? { ...one, message: 'must be sent once' } : one));
  throw refusal('the query string is not valid', told);
}

class QueryPipe<Shape extends z.ZodRawShape> extends PromptPipe<Query, unknown> {
  constructor(private readonly schema: z.ZodObject<Shape>) {
    super();
  }

  transform(query: Query) {
    return readQuery(this.schema, query);
  }
}

/** Reads a body by its schema; throws `invalid_request` with every fault. */
class BodyPipe<Shape extends z.ZodRawShape> extends PromptPipe<JsonValue | undefined, unknown> {
  constructor(
    private readonly schema: z.ZodObject<Shape>,
    private readonly absent: JsonObject | undefined,
  ) {
    super();
  }

  transform(body: JsonValue | undefined) {
    const given = this.absent === undefined ? body : (body ?? this.absent);
    const { value, faults } = judge(this.schema, withoutAbsent(this.schema, given));
    if (value) return value;
    const told = faults.map((one) => (one.path === '' ? { ...one, path: 'body' } : one));
    throw refusal('the body is not valid', told);
  }
}

/** Accepts JSON objects; throws `invalid_request` for anything else. */
class ObjectPipe extends PromptPipe<JsonValue | undefined, JsonObject> {
  constructor(
    private readonly schema: z.ZodType,
    private readonly absent: JsonObject | undefined,
    private readonly isPatch: boolean,
  ) {
    super();
  }

  transform(body: JsonValue | undefined): JsonObject {
    const sent = body ?? this.absent;
    const given = this.isPatch ? patchWithoutAbsent(this.schema, sent) : withoutAbsent(this.schema, sent);
    if (isJsonObject(given)) return given;
    throw fault('body', 'must be a JSON object with content-type application/json');
  }
}

/** The `Idempotency-Key` of a creating call. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

class IdempotencyKeyPipe extends PromptPipe<string | undefined, Repeatable> {
  transform(header: string | undefined): Repeatable {
    if (header === undefined) return {};
    const parsed = idempotencyKey.safeParse(header);
    if (parsed.success) return { idempotencyKey: parsed.data };
    throw fault('Idempotency-Key', 'must have 32 to 256 characters of A-Z, a-z, 0-9 and -');
  }
}

const readIdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
});

interface Absence {
  /** What an omitted body means. */
  readonly absent?: JsonObject;
}

interface Meaning extends Absence {
  /** A JSON merge patch, in which null removes a member. Anywhere else, an optional member that is null is absent. */
  readonly isPatch?: boolean;
}

/** The query string, validated: `@ValidQuery(walletQuery) wallet: z.output<typeof walletQuery>`. */
export const ValidQuery = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) => Query(new QueryPipe(schema));

/** The body, validated by a schema that the API description shows too. */
export const ValidBody = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, { absent }: Absence = {}) =>
  Body({ schema, pipes: [new BodyPipe(schema, absent)] });

/**
 * The body as a JSON object. Its schema is described here, but validated by the service that handles it, which knows
 * the meaning of the members and lists all faults together.
 */
export const JudgedBody = (schema: z.ZodType, { absent, isPatch = false }: Meaning = {}) =>
  Body({ schema, pipes: [new ObjectPipe(schema, absent, isPatch)] });

/** The `Idempotency-Key`, if there is one; throws `invalid_request` if its form is wrong. */
export const IdempotencyKey = () => readIdempotencyKey(new IdempotencyKeyPipe());
