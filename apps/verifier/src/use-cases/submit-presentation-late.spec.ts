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

/** What the statement that ends a request may take, and what clocks may differ. */
const NEEDED = 10_500;
/** A response is not decided when it took longer than this. */
const MOST = 13_000;

/** A response, sent once the clocks are as they are told; `awaited` and `took` are asked before and after judging. */
async function submitting({
  awaited = [30_000, 30_000],
  took = [0, 0],
}: {
  awaited?: readonly number[];
  took?: readonly number[];
}) {
  const open = pendingRequest();
  const form = await answerForm(world, open, 'cross-device');
  let judged = false;
  const submission = openSubmission(world, open, {
    deps: {
      awaitedMilliseconds: () => awaited[judged ? 1 : 0] ?? 0,
      stopwatch: () => took[judged ? 1 : 0] ?? 0,
      within: async (_milliseconds, task) => {
        const result = await task();
        judged = true;
        return result;
      },
    },
  });
  return { form, ...submission };
}

describe('a response whose wallet may already have heard that it could not be processed', () => {
  it.each([
    ['arrived late', { awaited: [NEEDED - 1, NEEDED - 1] }],
    ['arrived after the gateway gave up', { awaited: [-60_000, -60_000] }],
    ['was judged while this process stood still, by the clocks', { awaited: [30_000, -1] }],
    ['was judged too late for what Postgres may take', { awaited: [30_000, NEEDED - 1] }],
    ['was judged while this process stood still, whatever the clocks say', { took: [0, MOST + 1] }],
  ])('ends nothing: it %s', async (_, times) => {
    const submission = await submitting(times);
    await expect(submission.submit(submission.form)).rejects.toEqual(failsWith('server_error'));
    expect(submission.endings).toEqual([]);
  });

  it('ends nothing, though the response is refused', async () => {
    const open = pendingRequest();
    const submission = openSubmission(world, open, { deps: { awaitedMilliseconds: () => NEEDED - 1 } });
    const form: Form = [
      ['error', 'access_denied'],
      ['state', open.state],
    ];
    await expect(submission.submit(form)).rejects.toEqual(failsWith('server_error'));
    expect(submission.endings).toEqual([]);
  });

  it('may send it again', async () => {
    const open = pendingRequest();
    let awaited = -1;
    const submission = openSubmission(world, open, { deps: { awaitedMilliseconds: () => awaited } });
    const form = await answerForm(world, open, 'cross-device');
    await expect(submission.submit(form)).rejects.toEqual(failsWith('server_error'));
    awaited = 30_000;
    await submission.submit(form);
    expect(submission.endings).toMatchObject([{ status: 'FULFILLED' }]);
  });

  it.each([
    ['at the last moment', { awaited: [NEEDED, NEEDED], took: [0, MOST] }],
    ['where nobody said how long it waits', { awaited: [Infinity, Infinity] }],
  ])('is none that is judged %s', async (_, times) => {
    const submission = await submitting(times);
    await submission.submit(submission.form);
    expect(submission.endings).toMatchObject([{ status: 'FULFILLED' }]);
  });
});

it('a response that comes too late is not even read', async () => {
  const open = pendingRequest();
  const findPending = jest.fn(async () => open);
  const deps = { awaitedMilliseconds: () => NEEDED - 1, findPending };
  const submission = openSubmission(world, open, { deps });
  const form = await answerForm(world, open, 'cross-device');
  await expect(submission.submit(form)).rejects.toEqual(failsWith('server_error'));
  expect(findPending).not.toHaveBeenCalled();
});

it('what a response waited for its request is taken off the time to judge it', async () => {
  const open = pendingRequest();
  let now = 100_000;
  const left: number[] = [];
  const submission = openSubmission(world, open, {
    deps: {
      stopwatch: () => now,
      async findPending() {
        now += 4_000;
        return open;
      },
      within(milliseconds, task) {
        left.push(milliseconds);
        return task();
      },
    },
  });
  await submission.submit(await answerForm(world, open, 'cross-device'));
  expect(left).toEqual([8_000]);
});
