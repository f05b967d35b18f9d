import { MsgHdrsImpl, MsgImpl, type Msg, type MsgHdrs } from '@nats-io/transport-node';
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
/** An actor has up to four parts of 2,400 characters; everything else is short. */
const MAX_HEADER_BYTES = 12_288;
/** Five are written here, and a newer version may write more. */
const MAX_HEADER_LINES = 32;
const LINE_FEED = 10;

function isShort(bytes: Uint8Array): boolean {
  if (bytes.byteLength > MAX_HEADER_BYTES) return false;
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines <= MAX_HEADER_LINES;
}

/**
 * The headers of a message; `malformed` if they cannot be read, or are more than a program of ours writes. The client library
 * parses headers when they are first accessed, in a time that grows with the square of their number: half an hour for
 * those that fit into a message.
 */
export function readHeaders(message: Msg): MsgHdrs | undefined | 'malformed' {
  if (message instanceof MsgImpl && !isShort(message._rdata.subarray(0, Math.max(0, message._msg.hdr))))
    return 'malformed';
  try {
    return message.headers;
  } catch {
    return 'malformed';
  }
}

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
