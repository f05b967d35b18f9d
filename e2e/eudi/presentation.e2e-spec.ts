import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { until } from '@vestibule/testkit';
import { prove, startEudiStage, SUBTYPE_CARD, SUBTYPE_OF, type EudiStage } from './eudi-stage';
import { present } from './presenting';
import type { Json } from './strict-judgement';
import type { WalletKey } from './strict-wallet';

let eudi: EudiStage;
beforeAll(async () => {
  eudi = await startEudiStage();
});
afterAll(async () => eudi?.stop());

/** Changes the verifier's trust file, and waits until it is loaded. */
async function trust(members: Json): Promise<void> {
  const { stage } = eudi;
  const loads = () => stage.logLines.filter((line) => line.includes('changed files were loaded')).length;
  const before = loads();
  const file = path.join(stage.stack.files.folder, 'trust.json');
  const content = { ...(JSON.parse(readFileSync(file, 'utf8')) as Json), ...members };
  writeFileSync(`${file}.new`, JSON.stringify(content));
  renameSync(`${file}.new`, file);
  await until(() => loads() > before);
}

/** Issues a card of the national type, presents it for a query of the type above, and gives what the backend is told. */
async function presentNational() {
  const { stage } = eudi;
  const issued = await prove(eudi, { type: 'attestation', configurationId: SUBTYPE_CARD });
  const [{ credential } = { credential: '' }] = issued.body['credentials'] as { credential: string }[];
  const vct = decodeJwt(credential.split('~')[0] ?? '')['vct'];
  const { answer, state } = await present(stage, credential, issued.keys[0] as WalletKey, SUBTYPE_OF);
  const [event] = await stage.callbacksOf(state, 1);
  const { body } = await stage.management('GET', `/oidc4vp/${state}`);
  return { vct, answer, event: event as Json, checks: (body as { checks: Json[] }).checks };
}

const rawClaimsOf = (event: Json) => {
  const { card } = event['credentialsRaw'] as { card: { claims: string }[] };
  return JSON.parse(Buffer.from(card[0]?.claims ?? '', 'base64').toString()) as Json;
};

describe('a national subtype', () => {
  it('EU:P2 VP:J6 counts for the type that it extends once the operator says so, and only if its issuer is trusted for it', async () => {
    const before = await presentNational();
    expect(before.answer.status).toBe(400);
    expect(before.event).toMatchObject({ status: 'VERIFICATION_FAILED' });
    expect(before.event['errorDetails']).toMatch(/^vct_not_requested: /);

    const subtypes = { [String(before.vct)]: SUBTYPE_OF };
    await trust({ subtypes });
    const { vct, answer, event, checks } = await presentNational();
    expect(answer.status).toBe(200);
    expect(event).toMatchObject({ status: 'FULFILLED', credentials: { card: [{ isTrusted: true }] } });
    expect(vct).not.toBe(SUBTYPE_OF);
    expect(rawClaimsOf(event)).toMatchObject({ vct });
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'vct_subtype', credential: 'card', outcome: 'passed' }),
    );

    for (const policy of ['auto', 'report']) {
      const anchors = [{ file: 'root.pem', purposes: ['credential', 'status'], vcts: [SUBTYPE_OF] }];
      await trust({ policy, subtypes, anchors });
      const refused = await presentNational();
      expect(refused.event).toMatchObject({ status: 'VERIFICATION_FAILED' });
      expect(refused.event['errorDetails']).toMatch(/^subtype_issuer_untrusted: credential "card": /);
      expect(refused.checks.at(-1)).toMatchObject({
        check: 'vct_subtype',
        outcome: 'failed',
        section: 'OpenID4VP 1.0 §B.3.5',
      });
    }
  });
});
