import { judgeLoss } from './loss';

it('a standby that was behind costs flows their ends, and explains nothing else', () => {
  const explained = [
    'flow 7: WrongAnswer: GET /offers: 404',
    'status change 2: WrongAnswer: the list says valid after the change to revoked',
    'presentation a: no callback about its end',
    'presentation a: ended as PENDING, expected FULFILLED',
    'issuance b: the wallet holds 1 of 1, and the backend was told EXPIRED',
  ];
  const unexplained = [
    'the run ended early',
    '3 events wait and 1 were given up',
    'presentation c: the backend was told other claims than the wallet presented',
  ];
  expect(judgeLoss([...explained, ...unexplained])).toEqual({ cost: 4, unexplained });
  expect(judgeLoss([])).toEqual({ cost: 0, unexplained: [] });
});
