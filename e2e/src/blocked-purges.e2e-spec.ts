import { Client } from 'pg';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let operator: Client;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS });
  operator = new Client({ connectionString: stage.database.adminUrl });
  await operator.connect();
});
afterAll(async () => {
  await operator?.end();
  await stage?.stop();
});

it('what is over ends in time, and its claims are deleted, although a purge waits for a lock of somebody else', async () => {
  await operator.query('BEGIN');
  for (const service of ['issuer', 'verifier'])
    await operator.query(`LOCK TABLE ${service}.idempotency_key IN ACCESS EXCLUSIVE MODE`);
  const { offerId } = await offerCredential(stage, { expires_in: 1 });
  const { state } = await requestPresentation(stage, { expires_in: 1 });
  const statusesOf = async (id: string, count: number) =>
    (await stage.callbacksOf(id, count)).map(({ status }) => status);
  expect(await statusesOf(offerId, 2)).toEqual(['OFFER_CREATED', 'EXPIRED']);
  expect(await statusesOf(state, 1)).toEqual(['EXPIRED']);
  const held = `SELECT count(*)::int AS held FROM issuer.credential_offer WHERE session IS NOT NULL`;
  expect((await operator.query<{ held: number }>(held)).rows).toEqual([{ held: 0 }]);
  await operator.query('ROLLBACK');
});
