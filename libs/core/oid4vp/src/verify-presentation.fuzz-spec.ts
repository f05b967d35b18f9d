import fc from 'fast-check';
import { VerificationFailure } from '@vestibule/foundation';
import { verifyPresentation } from './index';
import {
  createStage,
  expectationOf,
  failureOf,
  present,
  trustOf,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
let valid: string;
beforeAll(async () => {
  stage = await createStage();
  valid = await present(stage, { status: { idx: 1, uri: 'https://issuer.example/lists/1' } });
});

function verdictOf(text: string, trust: ReturnType<typeof trustOf>): unknown {
  return failureOf(() => verifyPresentation('pid', text, [], expectationOf(stage, { trust })));
}

describe('a valid presentation', () => {
  it('is valid', () => {
    expect(verdictOf(valid, trustOf(stage))).toBeUndefined();
  });

  it('VP:K4 VP:M7 never verifies with one byte changed, whichever it is', () => {
    const trust = trustOf(stage);
    const bytes = Buffer.from(valid, 'latin1');
    const masks = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: bytes.length, maxLength: bytes.length });
    fc.assert(
      fc.property(masks, (maskOf) => {
        const notRefused = maskOf.flatMap((mask, position) => {
          const changed = Buffer.from(bytes);
          changed[position] = (changed[position] ?? 0) ^ mask;
          return verdictOf(changed.toString('latin1'), trust) instanceof VerificationFailure ? [] : [position];
        });
        expect(notRefused).toEqual([]);
      }),
      { numRuns: 2 },
    );
  });

  it('VP:K1 VP:M7 never verifies with a piece cut out, doubled, or put elsewhere', () => {
    const trust = trustOf(stage, { policy: 'report', anchors: [] });
    const place = fc.integer({ min: 0, max: valid.length - 1 });
    const edit = fc.constantFrom(
      (from: string, _piece: string, to: string) => from + to,
      (from: string, piece: string, to: string) => from + piece + piece + to,
      (from: string, piece: string, to: string) => to + piece + from,
    );
    fc.assert(
      fc.property(place, place, edit, (one, other, change) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other) + 1];
        const text = change(valid.slice(0, start), valid.slice(start, end), valid.slice(end));
        fc.pre(text !== valid);
        expect(verdictOf(text, trust)).toBeInstanceOf(VerificationFailure);
      }),
      { numRuns: 1_000 },
    );
  });

  it('VP:M7 never verifies with the disclosures in another order', () => {
    const parts = valid.split('~');
    const [jws = '', ...disclosures] = parts.slice(0, -1);
    const shuffled = fc.shuffledSubarray(disclosures, { minLength: disclosures.length });
    fc.assert(
      fc.property(shuffled, (order) => {
        fc.pre(order.join() !== disclosures.join());
        const text = [jws, ...order, parts.at(-1)].join('~');
        expect(verdictOf(text, trustOf(stage))).toMatchObject({ code: 'key_binding_hash' });
      }),
    );
  });
});
