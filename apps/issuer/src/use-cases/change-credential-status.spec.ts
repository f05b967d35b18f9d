import type { JsonObject } from '@vestibule/foundation';
import { NOW } from '../testing/issuer.fixture-spec';
import { changeCredentialStatus } from './change-credential-status';
import type { StatusChange } from '../domain/credential-status';

function open(change: StatusChange = { outcome: 'changed', credentials: 2 }) {
  const asked: unknown[] = [];
  const run = changeCredentialStatus({
    clock: () => NOW,
    changeStatus: async (...all) => {
      asked.push(all);
      return change;
    },
  });
  return { asked, change: (body: JsonObject) => run({ offerId: 'offer-1', body }) };
}

describe('a change of the status of an offer', () => {
  it.each(['valid', 'suspended', 'revoked'])(
    'to %s answers with it and how many credentials have it',
    async (status) => {
      const { asked, change } = open();
      expect(await change({ status })).toEqual({ offer_id: 'offer-1', status, credentials: 2 });
      expect(asked).toEqual([['offer-1', status, NOW]]);
    },
  );

  it.each(['Revoked', 'REVOKED', 'revoked'])('17.13 is read in any case: %s', async (status) => {
    const { asked, change } = open();
    expect((await change({ status })).status).toBe('revoked');
    expect(asked).toEqual([['offer-1', 'revoked', NOW]]);
  });

  it.each<[string, JsonObject, string[]]>([
    ['no status', {}, ['status']],
    ['another status', { status: 'expired' }, ['status']],
    ['the number of a status', { status: 1 }, ['status']],
    ['an unknown member', { status: 'valid', reason: 'x' }, ['reason']],
    ['two faults', { state: 'valid' }, ['status', 'state']],
  ])('with %s is invalid_request, with every fault, and changes nothing', async (_what, body, paths) => {
    const { asked, change } = open();
    const faults = paths.map((path) => expect.objectContaining({ path }) as unknown);
    await expect(change(body)).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_request', faults });
    expect(asked).toEqual([]);
  });

  it.each([
    ['offer_unknown', 'not_found', 'credential_offer_not_found'],
    ['not_issued', 'conflict', 'credential_not_issued'],
    ['without_status', 'conflict', 'credential_without_status'],
    ['already_revoked', 'conflict', 'credential_revocation_final'],
  ] as const)('that meets %s is %s %s', async (outcome, kind, code) => {
    await expect(open({ outcome }).change({ status: 'valid' })).rejects.toMatchObject({ kind, code });
  });
});
