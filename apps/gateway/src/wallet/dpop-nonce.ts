import type { FastifyReply } from 'fastify';

/** Moves an answer's nonce into the `DPoP-Nonce` header (RFC 9449 §8.2); the rest is the body. */
export function withDpopNonce<Answer extends { dpop_nonce?: string | undefined }>(
  { dpop_nonce: nonce, ...body }: Answer,
  reply: FastifyReply,
): Omit<Answer, 'dpop_nonce'> {
  if (nonce !== undefined) void reply.header('dpop-nonce', nonce);
  return body;
}
