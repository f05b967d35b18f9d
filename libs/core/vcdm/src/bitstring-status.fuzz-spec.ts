import { gzipSync } from 'node:zlib';
import { VerificationFailure } from '@vestibule/foundation';
import fc from 'fast-check';
import { expandStatusList, isStatusSet, readStatusEntries, readStatusList } from './bitstring-status';
import * as terms from './w3c-terms';

const BYTES = 16_384;
const encoded = (bytes: Uint8Array) => `u${Buffer.from(bytes).toString('base64url')}`;

/** The result, or the code of the refusal; any other error fails the test. */
function outcome<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof VerificationFailure) return error.code;
    throw error;
  }
}

describe('the encoded list of a stranger', () => {
  it('says of each entry what was written, wherever it is', () => {
    const index = fc.integer({ min: 0, max: BYTES * 8 - 1 });
    fc.assert(
      fc.property(fc.uniqueArray(index, { maxLength: 20 }), index, (set, asked) => {
        const bits = Buffer.alloc(BYTES);
        for (const one of set) bits[one >> 3] = (bits[one >> 3] ?? 0) | (0x80 >> (one & 7));
        expect(isStatusSet(expandStatusList(encoded(gzipSync(bits))), asked)).toBe(set.includes(asked));
      }),
      { numRuns: 100 },
    );
  });

  it('is expanded or refused, whatever its bytes are', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const text = fc.oneof(
      fc.string(),
      bytes.map(encoded),
      bytes.map((one) => encoded(gzipSync(one))),
    );
    fc.assert(
      fc.property(text, (list) => expect(outcome(() => expandStatusList(list))).toBe('vc_status_list_invalid')),
    );
  });

  it('is refused when one byte of its gzip stream is changed, cut off or added, or expands to a whole list', () => {
    const whole = gzipSync(Buffer.alloc(BYTES));
    const change = fc.integer({ min: 0, max: whole.byteLength - 1 });
    fc.assert(
      fc.property(change, fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ by;
        for (const bytes of [changed, whole.subarray(0, at), Buffer.concat([whole, Buffer.of(by)])]) {
          const result = outcome(() => expandStatusList(encoded(bytes)));
          expect(typeof result === 'string' ? result : result.byteLength).toBe(
            typeof result === 'string' ? 'vc_status_list_invalid' : BYTES,
          );
        }
      }),
    );
  });
});

const scalar = fc.oneof(
  fc.constantFrom<unknown>('revocation', '7', '-1', '1e3', 'https://a.example/1', '__proto__'),
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const values = fc.array(
  fc.oneof(
    scalar.map((one) => ({ '@value': one })),
    scalar.map((one) => ({ '@id': one })),
    scalar.map((one) => ({ '@value': one, '@language': 'en' })),
  ),
  { maxLength: 3 },
);
const types = fc.array(
  fc.constantFrom(terms.BITSTRING_STATUS_LIST_ENTRY, terms.BITSTRING_STATUS_LIST, 'https://a.example/#Type'),
  { maxLength: 2 },
);
const property = fc.constantFrom(
  terms.STATUS_PURPOSE,
  terms.STATUS_LIST_INDEX,
  terms.STATUS_LIST_CREDENTIAL,
  terms.STATUS_SIZE,
  terms.ENCODED_LIST,
  terms.STATUS_TTL,
);
const node = fc
  .tuple(fc.dictionary(property, values), types)
  .map(([members, names]): Readonly<Record<string, unknown>> => ({ ...members, '@type': names }));

describe('the status of a stranger, expanded', () => {
  it('is read as one exact bit of one list, or refused', () => {
    fc.assert(
      fc.property(node, (one) => {
        const entries = outcome(() => readStatusEntries([one]));
        if (typeof entries === 'string')
          return expect(['vc_credential_status_malformed', 'vc_status_unsupported']).toContain(entries);
        expect(entries).toEqual([
          {
            purpose: expect.stringMatching(/^(?:revocation|suspension)$/),
            index: expect.any(Number),
            listUrl: expect.stringContaining(':'),
          },
        ]);
        expect(String(entries[0]?.index)).toBe((one[terms.STATUS_LIST_INDEX] as { '@value': string }[])[0]?.['@value']);
      }),
    );
  });

  it('is a list with purposes, text and a ttl, or none', () => {
    fc.assert(
      fc.property(node, (one) => {
        const list = readStatusList(one);
        if (!list) return;
        expect(list.purposes.length).toBeGreaterThan(0);
        expect([typeof list.encodedList, Number.isInteger(list.ttlMilliseconds)]).toEqual(['string', true]);
      }),
    );
  });
});
