import { answerLimit, MAX_ANSWER_BYTES } from '@vestibule/contracts';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import fc from 'fast-check';
import { failsWith, newNonce, openForHolders } from '../testing/credential-endpoint.fixture-spec';
import { CLAIMS, TYPES } from '../testing/issuer.fixture-spec';
import { keyProof } from '../testing/wallet.fixture-spec';
import type { IssuableType } from './credential-offer';
import { answerBytes, mostClaimBytes, sizeFault, withRoom } from './answer-size';

const credentials = (...all: readonly string[]) => all.map((credential) => ({ credential }));
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the size of an answer', () => {
  it('is never less than its JSON has bytes, and hardly more', () => {
    const base64url = fc.stringMatching(/^[A-Za-z0-9_~.-]*$/);
    const answers = fc.oneof(
      fc.array(base64url, { maxLength: 12 }).map((all) => ({
        credentials: credentials(...all),
        notification_id: 'n'.repeat(43),
      })),
      base64url.map((jwe) => ({ jwe, pending: false })),
      fc.constant({ transaction_id: 't'.repeat(43), interval: 86_400 }),
    );
    fc.assert(
      fc.property(answers, (answer) => {
        expect(answerBytes(answer)).toBeGreaterThanOrEqual(jsonBytes(answer));
        expect(answerBytes(answer) - jsonBytes(answer)).toBeLessThan(300);
      }),
    );
  });
});

describe('the room that claims have', () => {
  const x5c = [Buffer.from('a certificate').toString('base64')];
  const typeWith = (most: number) => ({ ...([...TYPES.values()][0] as IssuableType), mostClaimBytes: () => most });

  it('is never less than what the signed credentials have, so that nothing is refused that would fit', async () => {
    const { open, holders } = await openForHolders(3);
    const values = ['', 'x', 'ü'.repeat(40), 'long '.repeat(2_000)];
    for (const [at, given_name] of values.entries()) {
      const claims: JsonObject = { ...CLAIMS, given_name, nationalities: values.slice(0, at) };
      const { send, proofs } = open({ grant: { claims } });
      const nonce = newNonce();
      const answer = await send({ proofs: await proofs(...holders.map((key) => keyProof(key, nonce))) });
      const chain = x5c.join('').length;
      expect(((jsonBytes(claims) + chain) * holders.length * 4) / 3).toBeLessThanOrEqual(answerBytes(answer));
    }
  });

  it('shrinks with the batch and the chain, and is counted in bytes', () => {
    const one = mostClaimBytes({ batchSize: 1, x5c: [] });
    expect([one, mostClaimBytes({ batchSize: 10, x5c: [] })]).toEqual([1_496_928, 149_692]);
    expect(mostClaimBytes({ batchSize: 1, x5c })).toBe(one - x5c.join('').length);
    expect(sizeFault({ portrait: 'x'.repeat(80) }, typeWith(100))).toBeUndefined();
    const fault = sizeFault({ portrait: 'ü'.repeat(80) }, typeWith(100));
    expect(fault?.path).toBe('claims');
    expect(fault?.message).toContain(`at most 100 bytes: as many credentials as BATCH_SIZE allows must fit`);
    expect(fault?.message).toContain(`${MAX_ANSWER_BYTES} bytes`);
  });

  it('follows the chain of the certificate that signs', () => {
    let chain = [Buffer.alloc(2_000, 1).toString('base64')];
    const types = withRoom(TYPES, { batchSize: 10, chain: () => chain });
    const room = () => new Set([...types.values()].map(({ mostClaimBytes: most }) => most()));
    expect(room()).toEqual(new Set([147_024]));
    chain = [...chain, ...chain];
    expect(room()).toEqual(new Set([144_356]));
  });

  it('ends the start with a code, the type, BATCH_SIZE and the bound where there is none', () => {
    const chainOf = (bytes: number) => [Buffer.alloc(bytes, 1).toString('base64')];
    const start = () => withRoom(TYPES, { batchSize: 100, chain: () => chainOf(20_000) });
    expect(start).toThrow(failsWith('credential_answer_too_large'));
    expect(start).toThrow(/BATCH_SIZE=100 credentials of identity-card .* 1995904 bytes/);
  });

  it('is what the bus carries: at most 2 MB, and less where its server carries less', () => {
    expect([answerLimit(), answerLimit(64_000_000), answerLimit(1_048_576)]).toEqual([
      MAX_ANSWER_BYTES,
      MAX_ANSWER_BYTES,
      1_048_576 - 4_096,
    ]);
  });
});

describe('an answer that nothing carries', () => {
  const huge = { ...CLAIMS, given_name: 'x'.repeat(100_000) };
  const deps = { mostAnswerBytes: () => 200_000 };

  it('VCI:V3 ends the offer as FAILED with its own code before anything is committed: no ISSUED, nothing kept', async () => {
    const { open, holders } = await openForHolders(2);
    const { send, proofs, events, asked } = open({ grant: { claims: huge }, deps });
    const nonce = newNonce();
    const both = await proofs(...holders.map((key) => keyProof(key, nonce)));
    await expect(send({ proofs: both })).rejects.toEqual(failsWith('credential_request_denied'));
    expect(asked).not.toContain('complete');
    expect(events.map(({ status }) => status)).toEqual(['FAILED']);
    const [{ errorDetails }] = events as unknown as [{ errorDetails: string }];
    expect(errorDetails).toMatch(/^credential_answer_too_large: the answer with 2 credentials has \d{6} bytes/);
    expect(errorDetails).not.toContain('xxxxxx');
  });

  it('is given where it fits, with the same claims and one key', async () => {
    const { open } = await openForHolders(1);
    const { send, events } = open({ grant: { claims: huge }, deps });
    expect(ownMember((await send()) as JsonObject, 'credentials')).toHaveLength(1);
    expect(events.map(({ status }) => status)).toEqual(['ISSUED']);
  });
});
