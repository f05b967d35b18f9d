import type { JsonObject } from '@vestibule/foundation';
import { endOf, openSubmission } from '../testing/submission.fixture-spec';
import {
  answerForm,
  createWorld,
  failsWith,
  pendingRequest,
  pidQuery,
  type World,
} from '../testing/verifier.fixture-spec';
import { MAX_CALLBACK_BYTES } from './submit-presentation';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const asking = (...names: string[]): JsonObject => ({
  credentials: [pidQuery({ claims: names.map((name) => ({ path: [name] })) })],
});
const PORTRAIT = 'p'.repeat(500_000);

async function submit(claims: JsonObject, ...names: string[]) {
  const request = pendingRequest({ dcqlQuery: asking(...names) });
  const submission = openSubmission(world, request);
  const answer = submission.submit(await answerForm(world, request, 'cross-device', { claims }));
  const heard = await answer.catch((error: unknown) => error);
  return { heard, end: endOf(submission) };
}

describe('an event that is larger than 1 MiB', () => {
  it('ends the request as PROCESSING_ERROR with a code of its own, and holds no claim', async () => {
    const { heard, end } = await submit({ portrait: PORTRAIT }, 'portrait');
    expect(heard).toEqual(failsWith('invalid_request'));
    expect(end).toMatchObject({ status: 'PROCESSING_ERROR', event: { status: 'PROCESSING_ERROR' } });
    expect(end.event).toMatchObject({ errorDetails: 'callback_too_large: the event is larger than 1 MiB' });
    expect(end.checks.at(-1)).toMatchObject({ check: 'callback', outcome: 'failed', code: 'callback_too_large' });
    expect(JSON.stringify(end)).not.toContain('pppppp');
    expect(end.accepted).toBeUndefined();
  });

  it('is none of what is not delivered', async () => {
    const { end } = await submit({ portrait: PORTRAIT, given_name: 'Erika' }, 'given_name');
    expect(end.status).toBe('FULFILLED');
  });

  it.each([
    ['characters of three bytes', 160_000, '\u20ac', 'PROCESSING_ERROR'],
    ['characters of one byte', 160_000, 'a', 'FULFILLED'],
    ['characters that JSON escapes', 90_000, '\u0001', 'PROCESSING_ERROR'],
  ])('is counted in bytes as they are sent: %s', async (_what, count, character, status) => {
    const { end } = await submit({ portrait: character.repeat(count) }, 'portrait');
    expect(end.status).toBe(status);
    if (status === 'FULFILLED') expect(Buffer.byteLength(JSON.stringify(end.event))).toBeLessThan(MAX_CALLBACK_BYTES);
  });
});
