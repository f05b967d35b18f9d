import { type MsgHdrs } from '@nats-io/transport-node';
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
 * Writes the current request's id, or a new one, its `traceparent` and its actor into a message's headers. The deadline of the
 * current request is not passed on: each question has its own.
 */
export function writeRequestContext(headers: MsgHdrs): MsgHdrs {
  const context = currentRequestContext();
  headers.set(REQUEST_ID_HEADER, context?.requestId ?? createRequestId());
  if (context?.traceparent !== undefined) headers.set(TRACEPARENT_HEADER, context.traceparent);
  const actor = currentActor();
  if (actor !== undefined) headers.set(ACTOR_HEADER, actor);
  return headers;
}

/** Writes into a message's headers until when its answer is awaited. */
export function writeAnswerBy(headers: MsgHdrs, answerBy: Date): MsgHdrs {
  headers.set(ANSWER_BY_HEADER, String(answerBy.getTime()));
  return headers;
}

/** Milliseconds since 1970 as written by {@link writeAnswerBy}; undefined for a repeated header or any other value. */
export function readAnswerBy(headers: MsgHdrs | undefined): Date | undefined {
  const [text, ...more] = headers?.values(ANSWER_BY_HEADER) ?? [];
  const isReadable = text !== undefined && more.length === 0 && MILLISECONDS.test(text);
  return isReadable ? new Date(Number(text)) : undefined;
}

/** The only actor in a message's headers: of several, none is believed. */
function readActor(headers: MsgHdrs | undefined): string | undefined {
  const [text, ...more] = headers?.values(ACTOR_HEADER) ?? [];
  return more.length === 0 ? acceptActor(text) : undefined;
}

/** The context in a message's headers, without its deadline; a missing or malformed id is replaced. */
export function readRequestContext(headers: MsgHdrs | undefined): RequestContext {
  return {
    requestId: acceptRequestId(headers?.get(REQUEST_ID_HEADER)) ?? createRequestId(),
    traceparent: acceptTraceparent(headers?.get(TRACEPARENT_HEADER)),
    actor: readActor(headers),
  };
}
