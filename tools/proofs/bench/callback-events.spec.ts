import { EventBoard } from './callback-events';

describe('flows that wait for their callbacks', () => {
  it('hear of the one that is about them, whether it came before or comes after', async () => {
    const board = new EventBoard();
    board.take({ state: 'early', status: 'FULFILLED' });
    const late = board.waitFor('late', 'FULFILLED');
    board.take({ state: 'other', status: 'FULFILLED' });
    board.take({ state: 'late', status: 'FULFILLED' });
    await expect(Promise.all([board.waitFor('early', 'FULFILLED'), late])).resolves.toBeDefined();
  });

  it('wait for the end of an offer beyond its first event', async () => {
    const board = new EventBoard();
    board.take({ offerId: 'o', status: 'OFFER_CREATED' });
    const ended = board.waitFor('o', 'ISSUED');
    board.take({ offerId: 'o', status: 'OFFER_CREATED' });
    board.take({ offerId: 'o', status: 'ISSUED' });
    await expect(ended).resolves.toBeUndefined();
  });

  it('may wait for both events of an offer, one after the other', async () => {
    const board = new EventBoard();
    const created = board.waitFor('o', 'OFFER_CREATED');
    board.take({ offerId: 'o', status: 'OFFER_CREATED' });
    await created;
    board.take({ offerId: 'o', status: 'ISSUED' });
    await expect(board.waitFor('o', 'ISSUED')).resolves.toBeUndefined();
  });

  it('fail by the name of another end', async () => {
    const board = new EventBoard();
    const ended = board.waitFor('s', 'FULFILLED');
    board.take({ state: 's', status: 'VERIFICATION_FAILED' });
    await expect(ended).rejects.toThrow('callback: VERIFICATION_FAILED');
  });

  it('fail when nothing comes', async () => {
    await expect(new EventBoard().waitFor('s', 'FULFILLED', 1)).rejects.toThrow('callback: missing');
  });

  it('are not disturbed by bodies of another shape', async () => {
    const board = new EventBoard();
    const ended = board.waitFor('s', 'FULFILLED');
    for (const body of [{}, { state: 's' }, { status: 'FULFILLED' }, { state: 1, status: 'FULFILLED' }])
      board.take(body);
    board.take({ state: 's', status: 'FULFILLED' });
    await expect(ended).resolves.toBeUndefined();
  });
});
