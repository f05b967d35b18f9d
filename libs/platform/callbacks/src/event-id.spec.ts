import { randomBytes } from 'node:crypto';
import { createEventId, mayReceive, parseEventId } from './event-id';

const NOW = new Date('2026-03-01T12:34:56Z');
const URLS = ['https://a.example/hook', 'https://a.example/hook2', 'https://b.example/hook', '', null];

describe('the id of an event', () => {
  it('names its receiver, if it is for one alone', () => {
    for (const receiver of URLS.filter((url) => url !== '')) {
      const id = createEventId(NOW, randomBytes, receiver);
      const others = URLS.filter((url) => (url ?? '') !== (receiver ?? ''));
      expect([mayReceive(id, receiver), others.some((url) => mayReceive(id, url))]).toEqual([true, false]);
    }
  });

  it('names none otherwise, as in earlier versions', () => {
    const id = createEventId(NOW, randomBytes, undefined);
    expect(id).toHaveLength(24);
    expect(URLS.every((url) => mayReceive(id, url))).toBe(true);
  });

  it('is read as it is shown, and begins with its time', () => {
    const ids = [createEventId(NOW, randomBytes, null), createEventId(NOW, randomBytes, undefined)];
    for (const id of ids) expect(parseEventId(id.toString('base64url'))).toEqual(id);
    expect(ids.map((id) => id.readUInt32BE(0))).toEqual([NOW.getTime() / 1000, NOW.getTime() / 1000]);
    for (const text of ['', 'no id', 'A'.repeat(31), 'A'.repeat(36), 'A'.repeat(64)])
      expect(parseEventId(text)).toBeUndefined();
  });
});
