import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compactDecrypt, decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { until } from '@vestibule/testkit';
import { openRequest, postForm, readRequestObject, requestUriIn } from '../src/handmade-wallet';
import { CARD, prove, startEudiStage, SUBTYPE_CARD, SUBTYPE_OF, type EudiStage } from './eudi-stage';
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
  const { answer, state } = await present(stage, credential, issued.keys[0] as WalletKey, { vct: SUBTYPE_OF });
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

    const kept = path.join(eudi.stage.stack.files.folder, 'national.json');
    writeFileSync(kept, JSON.stringify({ vct: before.vct, extends: SUBTYPE_OF }));
    await trust({ subtypes: {}, typeMetadata: ['national.json'] });
    const byMetadata = await presentNational();
    expect(byMetadata.event).toMatchObject({ status: 'VERIFICATION_FAILED' });
    expect(byMetadata.event['errorDetails']).toMatch(/^subtype_metadata_mismatch: credential "card": /);
    const published = await fetch(`${eudi.issuer}/oidc4vci/types/${SUBTYPE_CARD}`);
    writeFileSync(kept, await published.text());
    await trust({ subtypes: {}, typeMetadata: ['national.json'] });
    expect((await presentNational()).event).toMatchObject({ status: 'FULFILLED' });

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

describe('a wallet that wants its request object encrypted', () => {
  it('EU:P3 VP:B11 gets it signed and then encrypted to its key, and its answer counts', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256' });
    const headers: unknown[] = [];
    const fetchEncrypted = async (uri: string) => {
      const metadata = {
        jwks: { keys: [{ ...(await exportJWK(publicKey)), use: 'enc', alg: 'ECDH-ES', kid: 'wallet' }] },
        request_object_encryption_alg_values_supported: ['ECDH-ES'],
        request_object_encryption_enc_values_supported: ['A128GCM'],
      };
      const form = { wallet_metadata: JSON.stringify(metadata), wallet_nonce: 'n-1' };
      const answer = await postForm(requestUriIn(uri), form);
      expect(answer.headers.get('content-type')).toBe('application/oauth-authz-req+jwt');
      const { plaintext, protectedHeader } = await compactDecrypt(answer.text, privateKey);
      headers.push(protectedHeader);
      const request = readRequestObject(Buffer.from(plaintext).toString());
      // Without metadata, the same request comes unencrypted.
      const { nonce, state } = await openRequest(uri);
      expect([request.nonce, request.state]).toEqual([nonce, state]);
      return request;
    };
    const issued = await prove(eudi, { type: 'attestation', configurationId: CARD });
    const [{ credential } = { credential: '' }] = issued.body['credentials'] as { credential: string }[];
    const vct = String(decodeJwt(credential.split('~')[0] ?? '')['vct']);
    const presented = await present(eudi.stage, credential, issued.keys[0] as WalletKey, {
      vct,
      fetchRequest: fetchEncrypted,
    });
    const { header, claims } = presented.request;
    expect(headers).toEqual([expect.objectContaining({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'wallet', cty: 'JWT' })]);
    expect([header['typ'], claims['wallet_nonce']]).toEqual(['oauth-authz-req+jwt', 'n-1']);
    expect(presented.answer.status).toBe(200);
    expect(await eudi.stage.callbacksOf(presented.state, 1)).toMatchObject([{ status: 'FULFILLED' }]);
  });
});
