import { constantTimeEqual, sha256 } from '@vestibule/crypto';
import { encodeBase64url, ProcessingFailure } from '@vestibule/foundation';
import { txCodeDigest, type GrantedCredential } from '@vestibule/oid4vci';
import { noteSubject } from '@vestibule/process';
import type { Redemptions } from '../../domain/ports';
import type { Redemption, RedemptionOutcome } from '../../domain/redemption';
import type { ProofKind, SpendableProof } from '../../domain/spendable-proof';
import { createWrongCodes } from '../../domain/wrong-codes';
import { FIND_GIVEN_TOKEN, REVOKE_TOKEN } from './kept-statements';
import { eventParameters, type OfferStoreOptions } from './offer-row';
import { openOffer } from './sealed-offer';
import { sealWalletStatus } from './sealed-status';
import * as SQL from './statements';

interface RedeemableRow {
  offer_id: Buffer;
  configuration_id: string;
  has_tx_code: boolean;
  is_deferred: boolean;
  expires_at: Date;
  /** Null for an offer without a transaction code. */
  session: Buffer | null;
}

interface TokenRow {
  token_digest: Buffer;
  offer_id: Buffer;
  configuration_id: string;
  thumbprint: string;
  granted: GrantedCredential[];
  expires_at: Date;
  tx_code_digest: Buffer | null;
  sealed: Buffer | null;
}

/** What the CTE `proof` takes. */
const proofParameters = (proofs: readonly SpendableProof[]) => [
  proofs.map(({ kind }) => kind),
  proofs.map(({ digest }) => Buffer.from(digest)),
  proofs.map(({ expiresAt }) => expiresAt),
];

/** The statement that redeems with these proofs, and its parameters `$19` to `$21`. */
function spendingOf(proofs: readonly SpendableProof[]) {
  const [only, ...others] = proofs;
  if (only === undefined || others.length > 0) return { sql: SQL.REDEEM, spending: proofParameters(proofs) };
  return { sql: SQL.REDEEM_ONE, spending: [only.kind, Buffer.from(only.digest), only.expiresAt] };
}

/** The kind of the first of the proofs that is not among those that were spent now. */
const usedBefore = (proofs: readonly SpendableProof[], spent: readonly string[]): ProofKind | undefined =>
  proofs.find(({ kind }) => !spent.includes(kind))?.kind;

/** An attempt; without an offer to redeem, `redeemed` and `ended` are null. */
interface RedeemedRow {
  redeemed: boolean | null;
  ended: boolean | null;
  /** The kinds of the proofs that were not used before. */
  spent: string[];
}

function outcomeOf({ redeemed, ended, spent }: RedeemedRow, proofs: readonly SpendableProof[]): RedemptionOutcome {
  const used = usedBefore(proofs, spent);
  if (used) return used;
  if (redeemed === null) return 'gone';
  if (redeemed) return 'redeemed';
  return ended ? 'ended' : 'wrong_tx_code';
}

/** One digest, or none if no transaction code was sent; null if the offer has none. */
function txCodeDigests({ offerId, txCode, txCodeKey }: Redemption): Buffer[] | null {
  if (!txCodeKey) return null;
  return txCode === undefined ? [] : [Buffer.from(txCodeDigest(txCodeKey, offerId, txCode))];
}

/** The key of the transaction code. Throws `record_altered` if the code is that of another offer. */
function txCodeKeyOf(options: OfferStoreOptions, offerId: string, row: RedeemableRow, codeDigest: Uint8Array) {
  if (!row.session) return undefined;
  const { preAuthorizedCode, txCodeKey } = openOffer(options, offerId, { ...row, session: row.session });
  if (constantTimeEqual(sha256(preAuthorizedCode), codeDigest)) return txCodeKey;
  throw new ProcessingFailure('record_altered', 'the row of an offer does not agree with its session: another code');
}

const bytesOf = (value: Uint8Array | undefined) => (value ? Buffer.from(value) : null);

/** The tokens that were issued for redeemed codes. */
function givenTokens({ database }: OfferStoreOptions) {
  return {
    async findGivenToken(codeDigest, requestDigest, now) {
      const parameters = [Buffer.from(codeDigest), Buffer.from(requestDigest), now];
      const [row] = await database.query<TokenRow>(FIND_GIVEN_TOKEN, parameters);
      if (!row) return undefined;
      const offerId = encodeBase64url(row.offer_id);
      noteSubject(offerId);
      return {
        offerId,
        configurationId: row.configuration_id,
        tokenDigest: row.token_digest,
        thumbprint: row.thumbprint,
        granted: row.granted,
        expiresAt: row.expires_at,
        txCodeDigest: row.tx_code_digest ?? undefined,
        sealedToken: row.sealed ?? undefined,
      };
    },
    async revokeToken(tokenDigest) {
      await database.query(REVOKE_TOKEN, [Buffer.from(tokenDigest)]);
    },
  } satisfies Partial<Redemptions>;
}

async function attempt(options: OfferStoreOptions, redemption: Redemption): Promise<RedemptionOutcome> {
  const { offerId, now, keptToken, proofs, walletStatus } = redemption;
  const { sql, spending } = spendingOf(proofs);
  const [row] = await options.database.query<RedeemedRow>(sql, [
    Buffer.from(redemption.codeDigest),
    txCodeDigests(redemption),
    now,
    Buffer.from(redemption.tokenDigest),
    redemption.thumbprint,
    JSON.stringify(redemption.granted),
    redemption.tokenExpiresAt,
    redemption.clientId ?? null,
    bytesOf(redemption.redeemedTxCodeDigest),
    bytesOf(keptToken?.requestDigest),
    bytesOf(keptToken?.sealed),
    keptToken?.expiresAt ?? null,
    ...eventParameters(offerId, redemption.failedEvent, now, options),
    ...spending,
    walletStatus ? sealWalletStatus(options.sealer, offerId, walletStatus) : null,
  ]);
  return outcomeOf(row as RedeemedRow, proofs);
}

/** Codes and proofs in Postgres: each is used once, by one statement. */
export function createRedemptionStore(options: OfferStoreOptions): Redemptions {
  const { database } = options;
  const wrongCodes = createWrongCodes();
  return {
    async findRedeemable(codeDigest, now) {
      const [row] = await database.query<RedeemableRow>(SQL.FIND_REDEEMABLE, [Buffer.from(codeDigest), now]);
      if (!row) return undefined;
      const { configuration_id: configurationId, has_tx_code: hasTxCode, expires_at: expiresAt } = row;
      const offerId = encodeBase64url(row.offer_id);
      noteSubject(offerId);
      const txCodeKey = txCodeKeyOf(options, offerId, row, codeDigest);
      return { offerId, configurationId, hasTxCode, txCodeKey, isDeferred: row.is_deferred, expiresAt };
    },
    async redeem(redemption) {
      const { offerId, txCodeKey } = redemption;
      if (!txCodeKey) return attempt(options, redemption);
      return wrongCodes.inTurn(offerId, async () => {
        if (wrongCodes.areTooMany(offerId))
          throw new ProcessingFailure('record_altered', 'the row of an offer has lost wrong transaction codes');
        const outcome = await attempt(options, redemption);
        if (outcome === 'wrong_tx_code') wrongCodes.note(offerId);
        return outcome;
      });
    },
    ...givenTokens(options),
    async consumeProofs(proofs) {
      const [row] = await database.query<{ spent: string[] }>(SQL.SPEND_PROOFS, proofParameters(proofs));
      return usedBefore(proofs, row?.spent ?? []);
    },
  };
}
