import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { OAuthError } from '@vestibule/oauth';
import { createNotificationId, isNotificationId, parseNotification } from './index';

const key = randomBytes(32);
const code = (expected: string) => expect.objectContaining({ code: expected });
const good = { notification_id: 'id', event: 'credential_accepted' };

describe('parseNotification', () => {
  it.each(['credential_accepted', 'credential_failure', 'credential_deleted'])('VCI:F7 takes %s', (event) => {
    expect(parseNotification({ ...good, event })).toEqual({ notificationId: 'id', event });
  });

  it('VCI:F11 ignores unknown members', () => {
    expect(parseNotification({ ...good, more: [1], event_description: 'x' })).toEqual({
      notificationId: 'id',
      event: 'credential_accepted',
    });
  });

  it('VCI:F7 takes a description that is null for none', () => {
    const parsed = parseNotification({ ...good, event_description: null });
    expect(parsed).toEqual({ notificationId: 'id', event: 'credential_accepted' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an array', [good]],
    ['no id', { event: 'credential_accepted' }],
    ['an id that is no text', { ...good, notification_id: 1 }],
    ['no event', { notification_id: 'id' }],
    ['an unknown event', { ...good, event: 'credential_lost' }],
    ['another case', { ...good, event: 'Credential_Accepted' }],
    ['an inherited name', { ...good, event: 'toString' }],
    ['a description that is no text', { ...good, event_description: {} }],
  ])('VCI:F7 VCI:F10 refuses %s with invalid_notification_request', (_what, body) => {
    expect(() => parseNotification(body)).toThrow(code('invalid_notification_request'));
  });

  it('VCI:F10 answers any JSON with a notification or a typed error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => parseNotification(value)).toThrow(OAuthError);
      }),
    );
  });
});

describe('a notification id', () => {
  it('VCI:P4 is another one each time, and unguessable', () => {
    const ids = Array.from({ length: 100 }, () => createNotificationId(key, 'offer', randomBytes));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(isNotificationId(id, 'offer', [randomBytes(32), key])).toBe(true);
  });

  it.each<[string, (id: string) => string]>([
    ['a changed character', (id) => `${id[0] === 'A' ? 'B' : 'A'}${id.slice(1)}`],
    ['a character more', (id) => `${id}A`],
    ['nothing', () => ''],
    ['a long text', () => 'A'.repeat(1_000)],
    ['no base64url', () => '!'.repeat(43)],
  ])('VCI:F10 is none with %s', (_what, change) => {
    expect(isNotificationId(change(createNotificationId(key, 'offer', randomBytes)), 'offer', [key])).toBe(false);
  });

  it('VCI:F13 is none for another offer or under another key', () => {
    const id = createNotificationId(key, 'offer', randomBytes);
    expect(isNotificationId(id, 'another', [key])).toBe(false);
    expect(isNotificationId(id, 'offer', [randomBytes(32)])).toBe(false);
  });
});
