/** `max_payload` that NATS should have at least, in bytes. */
const MAX_PAYLOAD_BYTES = 2_000_000;
/** What a reply has around its answer, and headers, with room to spare. */
const ENVELOPE_BYTES = 4_096;

/** How large an answer may be, in bytes of JSON, for a bus with this `max_payload`. */
export const answerLimit = (maxPayloadBytes = MAX_PAYLOAD_BYTES): number =>
  Math.min(maxPayloadBytes, MAX_PAYLOAD_BYTES) - ENVELOPE_BYTES;

/** How large an answer may be on every bus that is configured as it should be. */
export const MAX_ANSWER_BYTES = answerLimit();
