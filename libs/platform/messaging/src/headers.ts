import { type MsgHdrs } from '@nats-io/transport-node';
import {
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  currentRequestContext,
  type RequestContext,
} from '@vestibule/process';

const REQUEST_ID_HEADER = 'request-id';
const TRACEPARENT_HEADER = 'traceparent';

/** Writes the current request's id, or a new one, and its `traceparent` into a message's headers. */
export function writeRequestContext(headers: MsgHdrs): MsgHdrs {
  const context = currentRequestContext();
  headers.set(REQUEST_ID_HEADER, context?.requestId ?? createRequestId());
  if (context?.traceparent !== undefined) headers.set(TRACEPARENT_HEADER, context.traceparent);
  return headers;
}

/** The context that a message brings along; a missing or strange id is replaced. */
export function readRequestContext(headers: MsgHdrs | undefined): RequestContext {
  return {
    requestId: acceptRequestId(headers?.get(REQUEST_ID_HEADER)) ?? createRequestId(),
    traceparent: acceptTraceparent(headers?.get(TRACEPARENT_HEADER)),
  };
}
