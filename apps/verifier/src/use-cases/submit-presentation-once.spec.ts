import { openSubmission } from '../testing/submission.fixture-spec';
import {
  answerForm,
  createWorld,
  failsWith,
  pendingRequest,
  type Form,
  type World,
} from '../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const request = () => pendingRequest({ redirectUri: 'https://rp.example/back' });

describe('the second response to one request', () => {
  it('VP:D12 byte-identical after an accepted one hears the stored answer, without a second end', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    const form = await answerForm(world, open, 'same-device');
    const first = await submission.submit(form);
    expect(first.redirectUri).toBeDefined();
    expect(await submission.submit([...form, ['foo', '1']])).toEqual(first);
    expect(submission.endings).toHaveLength(1);
  });

  it('VP:G8 VP:D12 any other is refused, however good it is', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    await submission.submit(await answerForm(world, open, 'same-device'));
    await expect(submission.submit(await answerForm(world, open, 'same-device'))).rejects.toEqual(
      failsWith('invalid_request'),
    );
    expect(submission.endings).toHaveLength(1);
  });

  it('VP:D12 a repeat of one that was refused is refused', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    const form = await answerForm(world, open, 'same-device', { binding: { nonce: 'old' } });
    await expect(submission.submit(form)).rejects.toEqual(failsWith('invalid_request'));
    await expect(submission.submit(form)).rejects.toEqual(failsWith('invalid_request'));
    expect(submission.endings).toHaveLength(1);
  });

  it('VP:D12 a repeated error of the wallet hears the same', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    const form: Form = [
      ['error', 'access_denied'],
      ['state', open.state],
    ];
    expect(await submission.submit(form)).toEqual({});
    expect(await submission.submit(form)).toEqual({});
    expect(submission.endings).toHaveLength(1);
  });
});

describe('a response to a request that nobody made', () => {
  /** Fails the test as soon as somebody looks into it. */
  const untouchable = new Proxy([] as unknown as Form, {
    get: (_target, property) => {
      throw new Error(`the form was looked at: ${String(property)}`);
    },
  });

  it('VP:D12 is refused before anybody looks at what it says', async () => {
    const submission = openSubmission(world, request());
    await expect(submission.submit(untouchable, 'A'.repeat(32))).rejects.toEqual(failsWith('invalid_request'));
    expect(submission.endings).toEqual([]);
  });

  it('or that has expired, too', async () => {
    const expired = pendingRequest({ expiresAt: new Date(0) });
    const submission = openSubmission(world, expired);
    await expect(submission.submit(untouchable, expired.state)).rejects.toEqual(failsWith('invalid_request'));
  });

  it('or that ended with a refusal, too', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    await expect(submission.submit([['response', 'a.b.c.d.e']])).rejects.toEqual(failsWith('invalid_request'));
    await expect(submission.submit(untouchable)).rejects.toEqual(failsWith('invalid_request'));
    expect(submission.endings).toHaveLength(1);
  });
});

describe('responses at the same time', () => {
  it('VP:G9 one of two good ones wins, the other is refused', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    const forms = await Promise.all([1, 2].map(() => answerForm(world, open, 'same-device')));
    const results = await Promise.allSettled(forms.map((form) => submission.submit(form)));
    const [won, lost] = [...results].sort((left, right) => left.status.localeCompare(right.status));
    expect(won).toMatchObject({ status: 'fulfilled', value: { redirectUri: expect.any(String) as string } });
    expect(lost).toMatchObject({ status: 'rejected', reason: failsWith('invalid_request') as unknown });
    expect(submission.endings).toHaveLength(1);
  });

  it('VP:D12 of two identical ones both hear the address with the one code of the event', async () => {
    const open = request();
    const submission = openSubmission(world, open);
    const form = await answerForm(world, open, 'same-device');
    const [first, second] = await Promise.all([submission.submit(form), submission.submit(form)]);
    expect(first).toEqual(second);
    const [{ event } = { event: undefined }] = submission.endings;
    expect(first?.redirectUri).toContain(event?.status === 'FULFILLED' ? event.responseCode : 'no code');
  });

  it('VP:P10 one that loses against the end of the time is refused', async () => {
    const open = request();
    const submission = openSubmission(world, open, { deps: { finish: () => Promise.resolve(false) } });
    await expect(submission.submit(await answerForm(world, open))).rejects.toEqual(failsWith('invalid_request'));
  });
});
