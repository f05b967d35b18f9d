import { createHash } from 'node:crypto';
import type { AuditRow } from './audit-table';

/** A place in the chain. */
export interface AuditHead {
  readonly seq: bigint;
  /** Hexadecimal. */
  readonly hash: string;
}

/** What is before the first record. */
const BEFORE: AuditHead = { seq: 0n, hash: '00'.repeat(32) };

/** Where and how the chain is broken. */
export interface BrokenChain {
  readonly seq: bigint;
  readonly fault: string;
}

const HEAD = /^(0|[1-9][0-9]{0,17}):([0-9a-f]{64})$/;

/** Reads a head as {@link renderHead} writes it; undefined for any other text. */
export function parseHead(text: string): AuditHead | undefined {
  const [, seq, hash] = HEAD.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: BigInt(seq), hash };
}

/** `<seq>:<hash>`, for an operator's notes. */
export const renderHead = ({ seq, hash }: AuditHead): string => `${seq}:${hash}`;

function hashOf(before: AuditHead, { seq, record }: AuditRow): string {
  const position = Buffer.alloc(8);
  position.writeBigInt64BE(BigInt(seq));
  const hash = createHash('sha256').update(Buffer.from(before.hash, 'hex')).update(position);
  return hash.update(record, 'utf8').digest('hex');
}

/**
 * Verifies records in their order, from `after` on, by default from the beginning. A program that may write to the table
 * as its owner can also compute every hash again, or cut off the end: only a head that was noted elsewhere before
 * (`expected`) shows that.
 */
export class AuditChain {
  #head: AuditHead;
  #hasExpected: boolean;
  #broken: BrokenChain | undefined;

  constructor(
    readonly expected?: AuditHead,
    after: AuditHead = BEFORE,
  ) {
    this.#head = after;
    this.#hasExpected = expected === undefined || renderHead(expected) === renderHead(after);
  }

  /** The last record that was verified. */
  get head(): AuditHead {
    return this.#head;
  }

  /** Verifies the next record; after the first broken one, nothing more. */
  add(row: AuditRow): void {
    if (this.#broken) return;
    const seq = this.#head.seq + 1n;
    const hash = row.hash.toString('hex');
    if (BigInt(row.seq) !== seq) this.#broken = { seq, fault: 'is missing' };
    else if (hashOf(this.#head, row) !== hash) this.#broken = { seq, fault: 'does not match its hash' };
    else {
      this.#head = { seq, hash };
      const { expected } = this;
      if (expected?.seq === seq && expected.hash !== hash)
        this.#broken = { seq, fault: 'is not the one that was noted: the chain was rewritten' };
      else if (expected?.seq === seq) this.#hasExpected = true;
    }
  }

  /** The first broken record; undefined if the chain holds. */
  end(): BrokenChain | undefined {
    if (this.#broken || this.#hasExpected || !this.expected) return this.#broken;
    return { seq: this.#head.seq + 1n, fault: 'is missing: the end of the chain was cut off' };
  }
}
