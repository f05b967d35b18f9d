/** @jest-environment ./tools/jest-context-environment.cjs */
import { errors, headers, type NatsConnection } from '@nats-io/transport-node';
import { Inbox } from './inbox';
import type { Listening } from './listening';

/** A connection that was closed between its last check and a publication. */
function closing(publications: string[]) {
  const publish = (subject: string): void => {
    publications.push(subject);
    if (publications.length > 1) throw new errors.ClosedConnectionError();
  };
  const listening = { listen: () => undefined, confirmed: true };
  const stats = () => ({ inMsgs: 0 });
  return new Inbox({ publish, stats } as unknown as NatsConnection, listening as unknown as Listening, 'gateway');
}

describe('a second try that cannot be sent', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('leaves the first one waiting, and the process alive', async () => {
    const publications: string[] = [];
    const inbox = closing(publications);
    const asked = inbox.request('verifier.request.get', '{}', { timeout: 1_000, again: 200, headers: headers() });
    const ended = expect(asked).rejects.toMatchObject({ why: 'late' });
    expect(() => jest.advanceTimersByTime(500)).not.toThrow();
    expect(publications).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(510);
    await ended;
  });
});
