import { DomainError } from '@vestibule/foundation';
import { currentRequestContext, withTraceparent } from './request-context';

/**
 * What a span may say. A closed list: neither a URL nor a value of a message has a place here (rule: no payload leaves
 * the process).
 */
export interface SpanAttributes {
  /** The pattern of a route. */
  readonly 'http.route'?: string;
  readonly 'http.request.method'?: string;
  readonly 'http.response.status_code'?: number;
  /** The name of the listener. */
  readonly 'vestibule.listener'?: string;
  /** The subject of a question. */
  readonly 'messaging.destination.name'?: string;
  /** Verb and table of a statement, without values. */
  readonly 'db.query.summary'?: string;
  /** The class of a result, such as `http_204` or an error code. */
  readonly 'vestibule.result'?: string;
}

/** Something that takes time. */
export interface Work {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: SpanAttributes;
}

/** A span that has begun. */
export interface OpenSpan {
  /** What the work that belongs to it passes on. */
  readonly traceparent: string;
  end(outcome?: { readonly attributes?: SpanAttributes; readonly failed?: boolean }): void;
}

/** Begins a span below a `traceparent`, or a new trace. */
export type StartSpan = (work: Work, parent: string | undefined) => OpenSpan;

let start: StartSpan | undefined;

/** Switches traces on for this process, or off. */
export function setTracer(tracer: StartSpan | undefined): void {
  start = tracer;
}

export const isTracing = (): boolean => start !== undefined;

/** Begins a span, unless traces are off. `parent: undefined` begins a new trace. */
export const startSpan = (work: Work, parent: string | undefined): OpenSpan | undefined => start?.(work, parent);

const resultOf = (error: unknown): string => (error instanceof DomainError ? error.code : 'internal_error');

/** Runs `run` as a span of the current request's trace. Without traces it only calls it. */
export function traced<Result>(work: Work, run: () => Promise<Result>): Promise<Result> {
  const span = start?.(work, currentRequestContext()?.traceparent);
  return span ? withinSpan(span, run) : run();
}

async function withinSpan<Result>(span: OpenSpan, run: () => Promise<Result>): Promise<Result> {
  try {
    const result = await withTraceparent(span.traceparent, run);
    span.end();
    return result;
  } catch (error) {
    span.end({ attributes: { 'vestibule.result': resultOf(error) }, failed: true });
    throw error;
  }
}
