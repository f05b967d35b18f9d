import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { JsonObject } from '@vestibule/foundation';
import { expandStatusList, isStatusSet } from './bitstring-status';
import { createDidKey, signCredential, verifyStatusListCredential } from './index';
import { buildStatusEntry, buildStatusListCredential, statusBits } from './issue-status';
import { knowing } from './testing/knowing.fixture-spec';

const URL = 'https://connector.example/credential-status/tenant/list';
const now = new Date('2026-03-01T12:00:00Z');
const SIZE = 131_072;
const signer = createDidKey(randomBytes);

const listWith = (set: readonly number[]) => ({
  url: URL,
  issuerDid: signer.did,
  purpose: 'revocation' as const,
  bits: statusBits(SIZE, set),
  ttlMilliseconds: 300_000,
  validFrom: now,
  validUntil: new Date(now.getTime() + 86_400_000),
});

describe('a status list that is issued', () => {
  it('is read back bit by bit, whatever is set', () => {
    const indexes = fc.uniqueArray(fc.nat({ max: SIZE - 1 }), { maxLength: 50 });
    fc.assert(
      fc.property(indexes, fc.nat({ max: SIZE - 1 }), (set, other) => {
        const { credentialSubject } = buildStatusListCredential(listWith(set));
        const bits = expandStatusList(String((credentialSubject as JsonObject)['encodedList']));
        for (const index of [...set, other]) expect(isStatusSet(bits, index)).toBe(set.includes(index));
      }),
      { numRuns: 30 },
    );
  });

  it('has the first entry in the left-most bit, as in the examples of the standard', () => {
    expect([...statusBits(16, [0, 9])]).toEqual([0x80, 0x40]);
  });

  it('verifies as the list of its issuer once it is signed', async () => {
    const signed = await signCredential(buildStatusListCredential(listWith([94_567])), { signer, now, ...knowing() });
    const list = await verifyStatusListCredential(signed, URL, { now, skewSeconds: 60, ...knowing() });
    expect(list).toMatchObject({ issuerDid: signer.did, purposes: ['revocation'] });
    expect([isStatusSet(list.bits, 94_567), isStatusSet(list.bits, 94_568)]).toEqual([true, false]);
    expect(list.usableUntil).toEqual(new Date(now.getTime() + 300_000));
  });

  it('is named by entries that identify themselves', () => {
    expect(buildStatusEntry(URL, 'suspension', 7)).toEqual({
      id: `${URL}#7`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'suspension',
      statusListIndex: '7',
      statusListCredential: URL,
    });
  });
});
