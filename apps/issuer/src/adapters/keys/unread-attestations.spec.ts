import { createUnreadReport } from './unread-attestations';

describe('createUnreadReport', () => {
  it('warns at the first attestation that is not read, and once a day while they come', () => {
    const warned: unknown[] = [];
    let now = new Date('2026-03-01T12:00:00Z');
    const report = createUnreadReport({ warn: (message) => warned.push(message) }, () => now);
    for (let count = 0; count < 1_000; count += 1) report();
    expect(warned).toHaveLength(1);
    now = new Date('2026-03-02T11:59:59Z');
    report();
    expect(warned).toHaveLength(1);
    now = new Date('2026-03-02T12:00:00Z');
    report();
    report();
    expect(warned).toHaveLength(2);
  });
});
