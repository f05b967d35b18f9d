import { randomBytes } from 'node:crypto';
import { createNotificationId } from '@vestibule/oid4vci';
import {
  NOTIFICATION_KEY,
  OFFER_ID,
  openCredentialEndpoint,
  TOKEN,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { walletSteps } from '../steps';
import { ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { createWalletKey, credentialProof } from '../testing/wallet.fixture-spec';
import { acceptNotification } from './accept-notification';

let open: OpenEndpoint;
beforeAll(async () => {
  open = await openCredentialEndpoint(await createWalletKey());
});

const URL = `${ISSUER_URL}/oidc4vci/notification`;
const code = (expected: string) => expect.objectContaining({ code: expected });
const idFor = (offerId: string) => createNotificationId(NOTIFICATION_KEY, offerId, randomBytes);

/** A notification endpoint for a token of an issued offer. */
function endpoint() {
  const all = open({ grant: { status: 'ISSUED', claims: undefined } });
  const recorded: unknown[] = [];
  const accept = acceptNotification({
    ...all.deps,
    authorize: walletSteps(all.deps).authorize,
    recordNotification: async (...record) => recorded.push(record) > 0,
  });
  const notify = async (body: unknown, message: object = {}) =>
    accept({
      authorization: [`DPoP ${TOKEN}`],
      dpop: [await credentialProof(all.dpopKey, TOKEN, { htu: URL })],
      body,
      ...message,
    });
  return { ...all, recorded, notify };
}

describe('acceptNotification', () => {
  it('VCI:F7 VCI:F8 VCI:F9 records the event after ISSUED, and the same again', async () => {
    const { notify, recorded, events } = endpoint();
    const body = { notification_id: idFor(OFFER_ID), event: 'credential_accepted' };
    expect([await notify(body), await notify(body)]).toEqual([{}, {}]);
    expect(recorded).toEqual([
      [OFFER_ID, 'credential_accepted', NOW],
      [OFFER_ID, 'credential_accepted', NOW],
    ]);
    expect(events).toEqual([]);
  });

  it('VCI:F14 keeps nothing of the description', async () => {
    const { notify, recorded } = endpoint();
    const event_description = `line\n{"level":"error"} ${'x'.repeat(10_000)}`;
    await notify({ notification_id: idFor(OFFER_ID), event: 'credential_failure', event_description });
    expect(recorded).toEqual([[OFFER_ID, 'credential_failure', NOW]]);
  });

  it.each<[string, unknown, string]>([
    ['VCI:F10 an unknown id', { notification_id: 'AAAA', event: 'credential_accepted' }, 'invalid_notification_id'],
    ['VCI:F10 no id', { event: 'credential_accepted' }, 'invalid_notification_request'],
    [
      'VCI:F10 an event in another case',
      { notification_id: 'x', event: 'Credential_Accepted' },
      'invalid_notification_request',
    ],
    ['VCI:F10 no JSON', undefined, 'invalid_notification_request'],
  ])('%s', async (_what, body, expected) => {
    const { notify, recorded } = endpoint();
    await expect(notify(body ?? null)).rejects.toEqual(code(expected));
    expect(recorded).toEqual([]);
  });

  it('VCI:F13 refuses the id of another token’s credentials', async () => {
    const { notify, recorded } = endpoint();
    const body = { notification_id: idFor('another-offer'), event: 'credential_accepted' };
    await expect(notify(body)).rejects.toEqual(code('invalid_notification_id'));
    expect(recorded).toEqual([]);
  });

  it('VCI:F10 judges the token first', async () => {
    const { notify } = endpoint();
    await expect(notify(null, { authorization: [] })).rejects.toEqual(code('invalid_token'));
    await expect(notify(null, { dpop: [] })).rejects.toEqual(code('invalid_dpop_proof'));
  });
});
