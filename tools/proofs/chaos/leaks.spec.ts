import { findLeaks, type Footprint } from './leaks';

const sound: Footprint = { memory: { verifier: 120 }, connections: { verifier: 20, issuer: 3 }, waiting: 0, dead: 0 };

describe('leaks', () => {
  it('are none in a world that came to rest', () => {
    expect(findLeaks(sound)).toEqual([]);
  });

  it.each<[string, Partial<Footprint>, string]>([
    ['memory', { memory: { 'verifier-2': 900 } }, 'verifier-2 holds 900 MiB'],
    ['connections', { connections: { issuer: 21 } }, 'issuer holds 21 connections'],
    ['events', { waiting: 3 }, '3 events are still in the outbox'],
    ['dead letters', { dead: 1 }, '1 events became dead letters'],
  ])('of %s are named', (_what, change, sentence) => {
    expect(findLeaks({ ...sound, ...change })).toEqual([expect.stringContaining(sentence)]);
  });
});
