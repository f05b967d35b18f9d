import type { Socket } from 'node:net';
import type { DeliveryLimits } from './delivery-policy';

/** What a receiver may send beside the body of an answer: its header, interim responses, and what surrounds chunks. */
const WIRE_OVERHEAD_BYTES = 65_536;
/** How much may be sent for each byte of a body: chunks of one byte have six. */
const WIRE_FACTOR = 2;

/** Ends a connection whose receiver sends more than any answer needs. */
class AnswerTooLarge extends Error {
  readonly code = 'answer_too_large';
}

/** What one receiver may send over all of its connections. */
export interface Allowance {
  /** An attempt begins: one more answer may come. */
  grant(): void;
  /** Counts what a connection brings. Too much of it ends the connection with an {@link AnswerTooLarge}. */
  limit(socket: Socket): Socket;
}

/**
 * Bounds what is read for each attempt: interim responses, extensions of chunks and trailers have no end of their own, and
 * reading them costs processor time until the attempt is over. Connections are kept for many events, so each attempt
 * grants its share, and what briefer answers leave is kept for as many attempts as there may be at the same time.
 */
export function createAllowance({ answerBytes, concurrency }: DeliveryLimits): Allowance {
  const share = WIRE_OVERHEAD_BYTES + answerBytes * WIRE_FACTOR;
  let left = 0;
  return {
    grant: () => void (left = Math.min(left + share, share * concurrency)),
    limit(socket) {
      // Paused, it flows only as undici reads it; each piece that undici takes is told here.
      return socket.pause().on('data', (piece: Buffer) => {
        left -= piece.byteLength;
        if (left >= 0) return;
        left = 0;
        socket.destroy(new AnswerTooLarge('the receiver sends more than an answer needs'));
      });
    },
  };
}
