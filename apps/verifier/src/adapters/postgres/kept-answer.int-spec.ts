import { randomBytes } from 'node:crypto';
import { endingOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { sealContext } from './presentation-request.store';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

it('VP:D12 nothing is stored for an empty answer, and the sealed one of earlier versions is read', async () => {
  const request = await stage.insert();
  const accepted = { responseDigest: randomBytes(32), answer: {} };
  await stage.store.finish(endingOf(request, { accepted }));
  expect(await stage.row(request)).toMatchObject({ answer: null });
  expect(await stage.store.findAccepted(request.state)).toEqual(accepted);
  const sealed = stage.sealer.seal(Buffer.from('{}'), sealContext('answer', request.state));
  await stage.database.query('UPDATE verifier.presentation_request SET answer = $1', [sealed]);
  expect(await stage.store.findAccepted(request.state)).toEqual(accepted);
});

describe('whoever writes rows', () => {
  const answer = { redirectUri: 'https://rp.example/done?response_code=secret' };

  it('VP:D12 gets no answer for a response of their own by its digest in the row', async () => {
    const request = await stage.insert();
    await stage.store.finish(endingOf(request, { accepted: { responseDigest: randomBytes(32), answer } }));
    await stage.database.query('UPDATE verifier.presentation_request SET response_digest = $1', [randomBytes(32)]);
    await expect(stage.store.findAccepted(request.state)).rejects.toMatchObject({ code: 'record_altered' });
  });

  it('VP:D12 is believed for answers that an earlier version has sealed, without the digest', async () => {
    const request = await stage.insert();
    const accepted = { responseDigest: randomBytes(32), answer };
    await stage.store.finish(endingOf(request, { accepted }));
    const sealed = stage.sealer.seal(Buffer.from(JSON.stringify(answer)), sealContext('answer', request.state));
    await stage.database.query('UPDATE verifier.presentation_request SET answer = $1', [sealed]);
    expect(await stage.store.findAccepted(request.state)).toEqual(accepted);
  });
});
