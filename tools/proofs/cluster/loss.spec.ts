import { Away, Hang, WrongAnswer } from '../chaos/patience';
import { judgeLoss } from './loss';

it('a standby that was behind costs flows their ends, and explains nothing else', () => {
  const explained = [
    `flow 7: ${String(new WrongAnswer('GET /offers: 404'))}`,
    `flow 8: ${String(new Away(0))}`,
    'status change 2: WrongAnswer: the list says valid after the change to revoked',
    'flow 9: ServerRefusal: token: the server answered 400',
    'status change 3: WrongAnswer: invalid response: 200 at try 1, and the request is FULFILLED',
    'presentation a: no callback about its end',
    'presentation a: ended as PENDING, expected FULFILLED',
    'issuance b: the wallet holds 1 of 1, and the backend was told EXPIRED',
  ];
  const unexplained = [
    'the run ended early',
    '3 events wait and 1 were given up',
    'presentation c: the backend was told other claims than the wallet presented',
    'presentation d: the wallet and the backend have different response codes',
    'presentation e: ended as FULFILLED, expected VERIFICATION_FAILED',
    'presentation f: ended as FULFILLED, expected REJECTED',
    'presentation g: the wallet broken and heard accepted, and the backend was told FULFILLED',
    'presentation h: the wallet broken and heard accepted, and the backend was told nothing',
    'presentation i: the wallet denied and heard refused, and the backend was told REJECTED and FULFILLED',
    'presentation j: the wallet never came and heard nothing, and the backend was told FULFILLED',
    'flow 13: WrongAnswer: broken response: 200 at try 1, and the request is FULFILLED',
    'flow 3: TypeError: fetch failed',
    `flow 4: ${String(new Hang('response: still away at its deadline'))}`,
    'status change 5: TypeError: fetch failed',
  ];
  expect(judgeLoss([...explained, ...unexplained])).toEqual({ cost: 7, unexplained });
  expect(judgeLoss([])).toEqual({ cost: 0, unexplained: [] });
});
