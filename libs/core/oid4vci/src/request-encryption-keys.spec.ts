import { randomBytes } from 'node:crypto';
import { keptRequestEncryptionKeys, REQUEST_KEY_SECONDS, requestEncryptionKeys } from './index';

const secret = randomBytes(32);
const at = (seconds: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + seconds * 1000);
const published = (now: Date, secrets = [secret]) => requestEncryptionKeys(secrets, now).published.kid;
const accepts = (kid: string, now: Date, secrets = [secret]) =>
  requestEncryptionKeys(secrets, now).accepted.some((key) => key.kid === kid);

describe('the keys for encrypted requests', () => {
  it('VCI:E9 are the same for all replicas, and others each day and under each secret', () => {
    expect(published(at(0))).toBe(published(at(REQUEST_KEY_SECONDS - 1)));
    expect(published(at(REQUEST_KEY_SECONDS))).not.toBe(published(at(0)));
    expect(published(at(0), [randomBytes(32)])).not.toBe(published(at(0)));
  });

  it('VCI:E9 open requests for a day after they were published last, far longer than metadata are cached', () => {
    const kid = published(at(REQUEST_KEY_SECONDS - 1));
    for (const seconds of [0, REQUEST_KEY_SECONDS, 2 * REQUEST_KEY_SECONDS - 1])
      expect(accepts(kid, at(seconds))).toBe(true);
    expect(accepts(kid, at(2 * REQUEST_KEY_SECONDS))).toBe(false);
  });

  it('VCI:E9 open requests to a replica whose clock is behind, and under the secret before', () => {
    expect(accepts(published(at(REQUEST_KEY_SECONDS)), at(REQUEST_KEY_SECONDS - 1))).toBe(true);
    expect(accepts(published(at(0)), at(0), [randomBytes(32), secret])).toBe(true);
  });

  it('VCI:E9 are the same where they are derived once a day, whichever way the clock goes', () => {
    const keysAt = keptRequestEncryptionKeys([secret]);
    for (const seconds of [0, 1, REQUEST_KEY_SECONDS, REQUEST_KEY_SECONDS - 1, 9 * REQUEST_KEY_SECONDS])
      expect(keysAt(at(seconds))).toEqual(requestEncryptionKeys([secret], at(seconds)));
    expect(keysAt(at(0))).toBe(keysAt(at(REQUEST_KEY_SECONDS - 1)));
  });

  it('need a secret', () => {
    expect(() => requestEncryptionKeys([], at(0))).toThrow(RangeError);
  });
});
