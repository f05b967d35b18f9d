import { createRequire } from 'node:module';
import path from 'node:path';
import { sha256 } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';
import type { Pool } from 'pg';
import type { Place, Specimen } from './places';

/** What opens the issuer's kept answers. */
interface KeptAnswers {
  answerKey(accessToken: string): Uint8Array;
  openAnswer(
    seal: { readonly key: Uint8Array; readonly offerId: string; readonly requestDigest: Uint8Array },
    sealed: Uint8Array,
  ): string;
}

interface AnswerRow {
  readonly token_digest: Buffer;
  readonly request_digest: Buffer;
  readonly offer_id: Buffer;
  readonly sealed: Buffer;
}

/** The name of the place of kept answers. */
export const KEPT_ANSWERS = 'issuer.kept_answer.sealed';
export const OPENED_BY_WALLET = 'kept answers, opened by the wallet';

/** A fetch that records a wallet's access tokens in `tokens`: nobody else has them. */
export function collectTokens(tokens: Set<string>): typeof fetch {
  return (input, init) => {
    const authorization = new Headers(init?.headers).get('authorization');
    if (authorization?.startsWith('DPoP ')) tokens.add(authorization.slice('DPoP '.length));
    return fetch(input, init);
  };
}

/** Every kept answer, opened as only its wallet can; those for tokens (not credentials) stay closed. */
export function answersOpenedBy(tokens: ReadonlySet<string>, pool: Pool, root: string): Place {
  const file = path.join(root, 'dist/apps/issuer/src/domain/kept-answer.js');
  const { answerKey, openAnswer } = createRequire(__filename)(file) as KeptAnswers;
  function opened({ token_digest: digest, request_digest: requestDigest, offer_id: id, sealed }: AnswerRow): Buffer {
    const token = [...tokens].find((candidate) => sha256(candidate).equals(digest)) ?? '';
    try {
      return Buffer.from(openAnswer({ key: answerKey(token), offerId: encodeBase64url(id), requestDigest }, sealed));
    } catch {
      return Buffer.alloc(0);
    }
  }
  return {
    name: OPENED_BY_WALLET,
    async read(): Promise<Specimen[]> {
      const { rows } = await pool.query<AnswerRow>(
        'SELECT kept.*, token.offer_id FROM issuer.kept_answer AS kept JOIN issuer.access_token AS token USING (token_digest)',
      );
      // A disclosure is base64url of JSON, in which its claim is found.
      return rows.map((row) => ({ where: KEPT_ANSWERS, bytes: opened(row) }));
    },
  };
}
