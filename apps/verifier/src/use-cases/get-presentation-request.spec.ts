import { ApiError } from '@vestibule/foundation';
import { NOW } from '../testing/verifier.fixture-spec';
import { getPresentationRequest } from './get-presentation-request';

const view = {
  state: 'the-state',
  status: 'PENDING' as const,
  created_at: NOW.toISOString(),
  expires_at: NOW.toISOString(),
};
const get = getPresentationRequest({ findView: (state) => Promise.resolve(state === view.state ? view : undefined) });

describe('the view of a request', () => {
  it('is what the store has', async () => {
    expect(await get({ state: 'the-state' })).toEqual(view);
  });

  it('of an unknown state is presentation_request_not_found', async () => {
    const error: unknown = await get({ state: 'other' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ kind: 'not_found', code: 'presentation_request_not_found' });
  });
});
