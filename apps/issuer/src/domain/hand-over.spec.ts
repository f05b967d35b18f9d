import { randomBytes } from 'node:crypto';
import { MAX_HAND_OVERS, ReportHandOvers } from '@vestibule/contracts';
import { createTimedId } from '@vestibule/crypto';
import fc from 'fast-check';
import { acceptHandOvers } from '../use-cases/accept-hand-overs';
import { nameHandOver, readHandOver, viewDelivery, type HandOver } from './hand-over';

const KEY = randomBytes(32);
const NOW = new Date('2026-11-23T05:00:00Z');
const newOffer = () => createTimedId(NOW, randomBytes);
const nameOf = (offerId: string, isRepeated = false, key: Uint8Array = KEY) =>
  nameHandOver(key, { offerId, isRepeated });

describe('the name of an answer', () => {
  it('says to its issuer which answer it was, also after its key was replaced', () => {
    const offerId = newOffer();
    for (const isRepeated of [false, true]) {
      const name = nameOf(offerId, isRepeated);
      expect(name.length).toBeLessThanOrEqual(128);
      expect(readHandOver(name, [randomBytes(32), KEY])).toEqual({ offerId, isRepeated });
      expect(readHandOver(name, [randomBytes(32)])).toBeUndefined();
    }
  });

  it('cannot be made from that of another answer', () => {
    const [own, other] = [newOffer(), newOffer()];
    const [, , tag] = nameOf(own).split('.');
    const forged = [`${other}.first.${tag}`, `${own}.again.${tag}`, `${own}.first.`, own, `${own}.first`, ''];
    for (const name of [...forged, `${nameOf(own)}\n`, ` ${nameOf(own)}`, `${nameOf(own)}.`])
      expect([name, readHandOver(name, [KEY])]).toEqual([name, undefined]);
  });

  it('is nothing for any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\w.-]{0,128}$/)), (text) => {
        expect(readHandOver(text, [KEY])).toBeUndefined();
      }),
    );
  });

  it('with any one character changed is nothing, or was written otherwise', () => {
    const name = nameOf(newOffer());
    fc.assert(
      fc.property(fc.nat(name.length - 1), fc.constantFrom(...'AZaz09-_.'), (index, character) => {
        const changed = `${name.slice(0, index)}${character}${name.slice(index + 1)}`;
        fc.pre(changed !== name);
        expect(readHandOver(changed, [KEY])).toBeUndefined();
      }),
    );
  });
});

describe('what a backend sees of a delivery', () => {
  const [first, second, third] = [1, 2, 3].map((seconds) => new Date(NOW.getTime() + seconds * 1000)) as [
    Date,
    Date,
    Date,
  ];
  it.each([
    ['unconfirmed', undefined, undefined, undefined],
    ['handed_over', first, undefined, undefined],
    ['repeated', undefined, second, undefined],
    ['repeated', first, second, undefined],
    ['accepted', undefined, undefined, third],
    ['accepted', first, second, third],
  ] as const)('is %s, with the times that are known', (state, handedOverAt, repeatedAt, acceptedAt) => {
    expect(viewDelivery({ handedOverAt, repeatedAt, acceptedAt })).toEqual({
      state,
      ...(handedOverAt ? { handed_over_at: handedOverAt.toISOString() } : {}),
      ...(repeatedAt ? { repeated_at: repeatedAt.toISOString() } : {}),
      ...(acceptedAt ? { accepted_at: acceptedAt.toISOString() } : {}),
    });
  });
});

describe('a report of a gateway', () => {
  let recorded: (readonly HandOver[])[];
  beforeEach(() => {
    recorded = [];
  });
  const accept = acceptHandOvers({
    clock: () => NOW,
    handOverKeys: [KEY],
    recordHandOvers: async (handOvers) => recorded.push(handOvers) > 0,
  });

  it('is one statement for all of its names, without those that this issuer did not give', async () => {
    const [one, two] = [newOffer(), newOffer()];
    const strange = [`${one}.first.${'A'.repeat(22)}`, 'x', nameOf(two, false, randomBytes(32))];
    const names = [nameOf(one), ...strange, nameOf(two, true), nameOf(one)];
    expect(await accept({ handOvers: names })).toEqual({});
    expect(recorded).toEqual([
      [
        { offerId: one, isRepeated: false },
        { offerId: two, isRepeated: true },
      ],
    ]);
  });

  it('is none where no name is left', async () => {
    expect(await accept({ handOvers: ['x', ''] })).toEqual({});
    expect(recorded).toEqual([]);
  });

  it('has at most so many names, none of them long', () => {
    const isValid = (handOvers: unknown) => ReportHandOvers.question.safeParse({ handOvers }).success;
    const names = (count: number, length = 60) => Array.from({ length: count }, () => 'x'.repeat(length));
    expect([1, MAX_HAND_OVERS].map((count) => isValid(names(count)))).toEqual([true, true]);
    expect([0, MAX_HAND_OVERS + 1, 10_000].map((count) => isValid(names(count)))).toEqual([false, false, false]);
    expect([isValid(names(1, 129)), isValid([1]), isValid('x')]).toEqual([false, false, false]);
  });
});
