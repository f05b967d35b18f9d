import { Away, Hang, judgeAnswer, patiently, WrongAnswer } from './patience';

describe('an answer while a part is away', () => {
  it.each([200, 201, 302, 400, 404, 409])('may be %i', (status) => {
    expect(() => judgeAnswer('it', status, null)).not.toThrow();
  });

  it('is 503 with the seconds after which to come back', () => {
    expect(() => judgeAnswer('it', 503, '2')).toThrow(Away);
    for (const retryAfter of [null, '', '0', 'soon']) {
      expect(() => judgeAnswer('it', 503, retryAfter)).toThrow(WrongAnswer);
    }
  });

  it.each([500, 502, 504])('is never %i', (status) => {
    expect(() => judgeAnswer('it', status, '1')).toThrow(WrongAnswer);
  });
});

describe('patience', () => {
  const soon = () => ({ deadline: performance.now() + 1_000, onAway: jest.fn() });

  it('tries again while a part is away', async () => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries < 3) throw new Away(1);
      return tries;
    };
    const patience = soon();
    await expect(patiently('it', patience, work)).resolves.toBe(3);
    expect(patience.onAway).toHaveBeenCalledTimes(2);
  });

  it('ends at its deadline', async () => {
    await expect(
      patiently('it', { deadline: performance.now() + 20 }, () => Promise.reject(new Away(5))),
    ).rejects.toThrow(Hang);
  });

  it('has none with other errors', async () => {
    const work = jest.fn(() => Promise.reject(new WrongAnswer('500')));
    await expect(patiently('it', soon(), work)).rejects.toThrow('500');
    expect(work).toHaveBeenCalledTimes(1);
  });
});
