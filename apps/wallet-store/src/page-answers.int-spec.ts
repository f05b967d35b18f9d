import { answerLimit } from '@vestibule/contracts';
import fc from 'fast-check';
import { openSchemas, type SchemaStage } from './testing/schemas.fixture-spec';

jest.setTimeout(300_000);

let stage: SchemaStage;
beforeAll(async () => (stage = await openSchemas()));
afterAll(() => stage.close());

/** What a DID, a type or an annotation of a stranger may be made of: what JSON writes with six bytes, three, two and one. */
const letter = fc.constantFrom<string>('\u0001', '€', '"', '\\', 'ü', '😀', 'a');
const items = fc.record({
  count: fc.constantFrom<number>(1, 2, 40, 400, 999, 1_000),
  did: fc.record({ letter: fc.constantFrom<string>('a', '"'), length: fc.integer({ min: 1, max: 500 }) }),
  party: fc.record({ letter, length: fc.integer({ min: 1, max: 256 }) }),
  types: fc.record({ letter, length: fc.integer({ min: 1, max: 200 }), count: fc.integer({ min: 1, max: 20 }) }),
  annotation: fc.record({ letter, length: fc.integer({ min: 0, max: 2_000 }) }),
});
type Items = typeof items extends fc.Arbitrary<infer Value> ? Value : never;

async function fill({ count, did, party, types, annotation }: Items) {
  const tenant = await stage.newTenant();
  await stage.insert('credential', tenant.owner, { did: 'did:x:first' });
  const type = `array_fill(repeat($5::text, $6::int), ARRAY[$7::int])`;
  const changes = {
    did: `lpad(n::text, 5, '0') || repeat($2::text, $3::int)`,
    holder_did: `repeat($4::text, $8::int)`,
    issuer_did: `repeat($4::text, $8::int)`,
    types: `to_jsonb(${type})`,
    annotations: `jsonb_build_object('a', repeat($9::text, $10::int))`,
  };
  const members = Object.entries(changes).map(([name, sql]) => `'${name}', ${sql}`);
  await stage.outside(
    `INSERT INTO wallet_store.credential
     SELECT (jsonb_populate_record(one, jsonb_build_object(${members.join(', ')}))).*
     FROM wallet_store.credential AS one, generate_series(1, $11::int) AS n
     WHERE one.wallet_did = $1 AND one.did = 'did:x:first'`,
    [
      ...[tenant.owner.walletDid, did.letter, did.length, party.letter, types.letter, types.length, types.count],
      ...[party.length, annotation.letter, annotation.length, count],
    ],
  );
  return tenant;
}

const most = (count: number): Items => {
  const longest = { letter: '\u0001', length: 256 };
  const [types, annotation] = [
    { ...longest, count: 1, length: 1 },
    { letter: 'a', length: 0 },
  ];
  return { count, did: { letter: 'a', length: 500 }, party: longest, types, annotation };
};

describe('the answer of a list without bodies', () => {
  it('has room on the bus, whatever its items are', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (some) => {
        const tenant = await fill(some);
        const input = {
          apiKeyDigest: tenant.apiKeyDigest,
          ...tenant.owner,
          queryMode: 'All' as const,
          getBodies: false,
        };
        let cursor: string | undefined;
        let seen = 0;
        do {
          const answer = await stage.store.listCredentials({ ...input, limit: 1_000, cursor });
          expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(answerLimit());
          seen += answer.items.length;
          cursor = answer.nextCursor;
        } while (cursor !== undefined);
        expect(seen).toBe(some.count + 1);
      }),
      { numRuns: 8, examples: [[most(1_000)], [most(999)]] },
    );
  });
});
