import { MsgHdrsImpl, type MsgHdrs } from '@nats-io/transport-node';
import {
  acceptActor,
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  currentActor,
  currentRequestContext,
  type RequestContext,
} from '@vestibule/process';

const REQUEST_ID_HEADER = 'request-id';
const TRACEPARENT_HEADER = 'traceparent';
const ACTOR_HEADER = 'actor';
const ANSWER_BY_HEADER = 'answer-by';
const MILLISECONDS = /^[1-9][0-9]{11,13}$/;

/**
 * Sets a header to one value, in which a line break is refused. `set` of the library normalises the name and compares it
 * with all others, four times per header, which our names do not need.
 */
export function setHeader(headers: MsgHdrs, name: string, value: string): void {
  if (headers instanceof MsgHdrsImpl) headers.headers.set(name, [MsgHdrsImpl.validHeaderValue(value)]);
  else headers.set(name, value);
}

/** All values of a header, in order. `values` of the library copies and filters all names for it. */
export function headerValues(headers: MsgHdrs | undefined, name: string): readonly string[] {
  for (const [key, values] of headers ?? []) if (key === name) return values;
  return [];
}

/**
 * Writes the current request's id, or a new one, its `traceparent` and its actor into a message's headers. The deadline of the
 * current request is not passed on: each question has its own.
 */
export function writeRequestContext(headers: MsgHdrs): MsgHdrs {
  const context = currentRequestContext();
  setHeader(headers, REQUEST_ID_HEADER, context?.requestId ?? createRequestId());
  if (context?.traceparent !== undefined) setHeader(headers, TRACEPARENT_HEADER, context.traceparent);
  const actor = currentActor();
  if (actor !== undefined) setHeader(headers, ACTOR_HEADER, actor);
  return headers;
}

/** Writes into a message's headers until when its answer is awaited. */
export function writeAnswerBy(headers: MsgHdrs, answerBy: Date): MsgHdrs {
  setHeader(headers, ANSWER_BY_HEADER, String(answerBy.getTime()));
  return headers;
}

/** Milliseconds since 1970 as written by {@link writeAnswerBy}; undefined for a repeated header or any other value. */
export function readAnswerBy(headers: MsgHdrs | undefined): Date | undefined {
  const [text, ...more] = headerValues(headers, ANSWER_BY_HEADER);
  const isReadable = text !== undefined && more.length === 0 && MILLISECONDS.test(text);
  return isReadable ? new Date(Number(text)) : undefined;
}

/** The only actor in a message's headers: of several, none is believed. */
function readActor(headers: MsgHdrs | undefined): string | undefined {
  const [text, ...more] = headerValues(headers, ACTOR_HEADER);
  return more.length === 0 ? acceptActor(text) : undefined;
}

/** The context in a message's headers, without its deadline; a missing or malformed id is replaced. */
export function readRequestContext(headers: MsgHdrs | undefined): RequestContext {
  return {
    requestId: acceptRequestId(headerValues(headers, REQUEST_ID_HEADER)[0]) ?? createRequestId(),
    traceparent: acceptTraceparent(headerValues(headers, TRACEPARENT_HEADER)[0]),
    actor: readActor(headers),
  };
}
