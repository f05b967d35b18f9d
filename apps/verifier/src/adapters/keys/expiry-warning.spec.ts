import { createMemoryLogger } from '../../testing/key-files.fixture-spec';
import { at, NOW } from '../../testing/verifier.fixture-spec';
import { createExpiryWarning } from './expiry-warning';

const HOUR = 3_600;
const DAY = 24 * HOUR;

function open(validUntil: (now: Date) => Date | undefined) {
  const logger = createMemoryLogger();
  const warn = createExpiryWarning(logger);
  return { logger, look: (seconds: number) => warn({ validUntil }, at(seconds)) };
}

describe('the warning of expiry', () => {
  it('VP:A4 begins less than 30 days before the end and says when that is', () => {
    const { logger, look } = open(() => at(40 * DAY));
    look(0);
    look(10 * DAY);
    expect(logger.lines).toEqual([]);
    look(10 * DAY + 1);
    const fields = { endsAt: at(40 * DAY).toISOString(), daysLeft: 29 };
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.any(String), fields }]);
  });

  it('VP:A4 comes once a day, however often it is looked', () => {
    const { logger, look } = open(() => at(3 * DAY));
    for (let hour = 0; hour < 48; hour += 1) look(hour * HOUR);
    expect(logger.lines.map(({ fields }) => fields.daysLeft)).toEqual([3, 2]);
  });

  it('VP:A4 becomes an error at once where no certificate is valid', () => {
    const { logger, look } = open((now) => (now > NOW ? undefined : NOW));
    look(0);
    look(1);
    look(2);
    look(DAY);
    look(DAY + 1);
    expect(logger.levels()).toEqual(['warn', 'error', 'error']);
  });
});
