/** The minimum `max_payload` of NATS, in bytes. */
export const MAX_PAYLOAD_BYTES = 2_000_000;
/** What a reply contains besides its answer, and headers, with room to spare. */
const ENVELOPE_BYTES = 4_096;

/** The maximum size of an answer, in bytes of JSON, on a bus with this `max_payload`. */
export const answerLimit = (maxPayloadBytes = MAX_PAYLOAD_BYTES): number =>
  Math.min(maxPayloadBytes, MAX_PAYLOAD_BYTES) - ENVELOPE_BYTES;

/** The maximum size of an answer on any bus that is configured correctly. */
export const MAX_ANSWER_BYTES = answerLimit();
