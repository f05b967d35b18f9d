import { request as send, type OutgoingHttpHeaders } from 'node:http';
import { exchange } from '../src/handmade-wallet';
import { CARD, EU_ISSUER, PLAIN_CARD, prove, startEudiStage, type EudiStage } from './eudi-stage';
import type { Json } from './strict-judgement';
import {
  challengeOf,
  createKey,
  keyProof,
  openSession,
  readOffer,
  requestToken,
  type Answer,
  type Session,
} from './strict-wallet';

let eudi: EudiStage;
/** The identifier of the installation, and one beside that of the EU types. */
let own: string;
let attested: string;
beforeAll(async () => {
  eudi = await startEudiStage();
  own = eudi.stage.stack.issuerUrl;
  attested = `${own}/attested`;
});
afterAll(async () => eudi?.stop());

const refusal = (status: number, error: string) => ({ status, body: expect.objectContaining({ error }) as Json });

/** A request whose target nobody normalises. */
function raw(method: string, target: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  const { hostname, port } = new URL(own);
  return new Promise((resolve, reject) => {
    const request = send({ hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = String(response.headers['content-type']).startsWith('application/json');
        resolve({ status: response.statusCode ?? 0, body: isJson ? (JSON.parse(text) as Json) : {} });
      });
    });
    request.on('error', reject).end();
  });
}

async function proofFor(session: Session, nonce?: string) {
  const key = await createKey();
  const fresh = nonce ?? (await session.nonce());
  const key_attestation = await eudi.providers.attestKeys([key.jwk], { nonce: fresh });
  return { jwt: [await keyProof(key, { key_attestation }, { aud: session.issuer, nonce: fresh })] };
}

async function plainSession(members: object = {}): Promise<{ session: Session; proofs: Json }> {
  const session = await openSession((await eudi.offer(PLAIN_CARD, members)).uri, PLAIN_CARD, { strict: false });
  const key = await createKey();
  const nonce = await session.nonce();
  return { session, proofs: { jwt: [await keyProof(key, { jwk: key.jwk }, { aud: session.issuer, nonce })] } };
}

describe('EU:M2 what a wallet holds of two issuer identifiers', () => {
  it('cannot be mixed: the transaction of one with the token of the other', async () => {
    const waiting = { deferred: true, claims: {} };
    const strict = await openSession((await eudi.offer(CARD, waiting)).uri, CARD);
    const { session: plain, proofs } = await plainSession(waiting);
    const transactions = [await strict.ask(await proofFor(strict)), await plain.ask(proofs)];
    const [first, second] = transactions.map(({ body }) => String(body['transaction_id']));
    expect(await strict.collect(second ?? '')).toMatchObject(refusal(400, 'invalid_transaction_id'));
    expect(await plain.collect(first ?? '')).toMatchObject(refusal(400, 'invalid_transaction_id'));
    expect([await strict.collect(first ?? ''), await plain.collect(second ?? '')]).toMatchObject([
      { status: 202 },
      { status: 202 },
    ]);
  });

  it('cannot be mixed: the notification of one with the token of the other', async () => {
    const strict = await openSession((await eudi.offer(CARD)).uri, CARD);
    const { session: plain, proofs } = await plainSession();
    const answers = [await strict.ask(await proofFor(strict)), await plain.ask(proofs)];
    const [first = '', second = ''] = answers.map(({ body }) => String(body['notification_id']));
    const sent = (session: Session, id: string) => {
      const endpoint = String(session.metadata['notification_endpoint']);
      return session.send(endpoint, { notification_id: id, event: 'credential_failure' });
    };
    expect(await sent(strict, second)).toMatchObject(refusal(400, 'invalid_notification_id'));
    expect(await sent(plain, first)).toMatchObject(refusal(400, 'invalid_notification_id'));
    expect([await strict.notify(first), await plain.notify(second)]).toEqual([204, 204]);
  });

  it('is not given again elsewhere: the answer to a request that was repeated at another', async () => {
    const strict = await openSession((await eudi.offer(CARD)).uri, CARD);
    const body = { credential_configuration_id: CARD, proofs: await proofFor(strict) };
    const at = (issuer: string) => strict.send(`${issuer}/oidc4vci/credential`, body);
    const given = await at(eudi.issuer);
    expect(given.status).toBe(200);
    for (const other of [own, attested]) expect(await at(other)).toMatchObject(refusal(401, 'invalid_token'));
    expect(await at(eudi.issuer)).toEqual(given);
  });

  it('is not given again elsewhere: the token for a code that was redeemed, nor can it be revoked there', async () => {
    const { uri, txCode = '' } = await eudi.offer(CARD, { tx_code: { length: 6 } });
    const [offer, key, stranger] = [await readOffer(uri), await createKey(), await createKey()];
    const given = await requestToken(offer, key, undefined, { txCode });
    expect(given.status).toBe(200);
    for (const at of [own, attested])
      for (const asking of [key, stranger])
        expect(await requestToken(offer, asking, undefined, { at, txCode })).toMatchObject(
          refusal(400, 'invalid_grant'),
        );
    const again = await requestToken(offer, key, undefined, { txCode });
    expect(again.body['access_token']).toBe(given.body['access_token']);
  });

  it('cannot be used up elsewhere: the attempts at a transaction code', async () => {
    const { uri, txCode = '' } = await eudi.offer(CARD, { tx_code: { length: 6 } });
    const offer = await readOffer(uri);
    const key = await createKey();
    const wrong = txCode === '000000' ? '111111' : '000000';
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const answer = await requestToken(offer, key, undefined, { at: attested, txCode: wrong });
      expect(answer).toMatchObject(refusal(400, 'invalid_grant'));
    }
    expect(await requestToken(offer, key, undefined, { at: attested, txCode })).toMatchObject(
      refusal(400, 'invalid_grant'),
    );
    expect((await requestToken(offer, key, undefined, { txCode })).status).toBe(200);
  });

  it('is for one: a proof of possession or of a key that names several audiences', async () => {
    const offer = await readOffer((await eudi.offer(CARD)).uri);
    const [key, instance] = [await createKey(), await createKey()];
    const attestation = await eudi.providers.attestWallet(instance.jwk);
    const provedTo = [attested, eudi.issuer] as unknown as string;
    const challenge = await challengeOf(eudi.issuer);
    expect(await requestToken(offer, key, { attestation, instance, challenge }, { provedTo })).toMatchObject(
      refusal(400, 'invalid_client'),
    );
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    const [holder, nonce] = [await createKey(), await session.nonce()];
    const key_attestation = await eudi.providers.attestKeys([holder.jwk], { nonce });
    const jwt = await keyProof(holder, { key_attestation }, { aud: [attested, eudi.issuer], nonce });
    expect(await session.ask({ jwt: [jwt] })).toMatchObject(refusal(400, 'invalid_proof'));
  });
});

describe('EU:M2 the path of an issuer identifier', () => {
  const nonce = '/oidc4vci/nonce';
  it.each([
    `/${EU_ISSUER}/${nonce}`,
    `//${EU_ISSUER}${nonce}`,
    `/${EU_ISSUER}%2foidc4vci/nonce`,
    `/${EU_ISSUER}%2Foidc4vci%2Fnonce`,
    `/EU${nonce}`,
    `/${EU_ISSUER}/oidc4vci/Nonce`,
    `/${EU_ISSUER}${nonce}/`,
    `/${EU_ISSUER}${nonce}%00`,
    `/attested/../${EU_ISSUER}${nonce}`,
    `/attested/%2e%2e/${EU_ISSUER}${nonce}`,
    `/attested/..%2f${EU_ISSUER}${nonce}`,
    `/${EU_ISSUER}/.${nonce}`,
    `/./${EU_ISSUER}${nonce}`,
    `/${EU_ISSUER};x=1${nonce}`,
    `/${EU_ISSUER}.${nonce}`,
    `/-${EU_ISSUER}${nonce}`,
    `/${EU_ISSUER}-${nonce}`,
    `/${EU_ISSUER}\\oidc4vci\\nonce`,
    `/%65%75${nonce}`,
    `/%2565u${nonce}`,
    `/${EU_ISSUER}%20${nonce}`,
    `/${EU_ISSUER}%ef%bd%95${nonce}`,
    `/${EU_ISSUER}/${EU_ISSUER}${nonce}`,
    `/oidc4vci${nonce}`,
    `/__proto__${nonce}`,
    `/constructor${nonce}`,
    `/${'a'.repeat(64)}${nonce}`,
  ])('is written in one way alone: %s is nowhere', async (target) => {
    expect((await raw('POST', target)).status).toBe(404);
  });

  const OTHER_WORDS: readonly [string, string, OutgoingHttpHeaders][] = [
    ['a query', '?issuer=attested', {}],
    ['another host', '', { host: 'attacker.example' }],
    ['a host with a path', '', { host: 'attacker.example/attested' }],
    ['a forwarded host and prefix', '', { 'x-forwarded-host': 'attacker.example', 'x-forwarded-prefix': '/attested' }],
    ['the header Forwarded', '', { forwarded: 'host=attacker.example;proto=http;path=/attested' }],
    [
      'an original URL',
      '',
      { 'x-original-url': '/attested/oidc4vci/nonce', 'x-rewrite-url': '/attested/oidc4vci/nonce' },
    ],
    ['another method', '', { 'x-http-method-override': 'GET' }],
  ];

  it.each(OTHER_WORDS)('counts whatever else a request says: %s', async (_what, query, headers) => {
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    const nonceAt = async (path: string) => {
      const { status, body } = await raw('POST', `${path}${nonce}${query}`, headers);
      expect(status).toBe(200);
      return String(body['c_nonce']);
    };
    expect(await session.ask(await proofFor(session, await nonceAt('')))).toMatchObject(refusal(400, 'invalid_nonce'));
    expect((await session.ask(await proofFor(session, await nonceAt(`/${EU_ISSUER}`)))).status).toBe(200);
  });

  it.each(OTHER_WORDS)(
    'names itself in its documents, whatever else a request says: %s',
    async (_what, query, headers) => {
      for (const [name, member] of [
        ['openid-credential-issuer', 'credential_issuer'],
        ['oauth-authorization-server', 'issuer'],
        ['jwt-vc-issuer', 'issuer'],
      ] as const) {
        const { status, body } = await raw('GET', `/.well-known/${name}/${EU_ISSUER}${query}`, headers);
        expect([status, body[member]]).toEqual([200, eudi.issuer]);
        expect(JSON.stringify(body)).not.toContain('attacker.example');
      }
    },
  );

  it('counts, not what the body of a request says', async () => {
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    const proofs = await proofFor(session);
    const body = { credential_configuration_id: CARD, proofs, issuer: 'attested', at: { issuer: 'attested' } };
    const answer = await session.send(`${own}/oidc4vci/credential`, { ...body, issuer: EU_ISSUER });
    expect(answer).toMatchObject(refusal(401, 'invalid_token'));
    expect((await session.send(`${eudi.issuer}/oidc4vci/credential`, body)).status).toBe(200);
  });

  it('belongs to status lists, which nobody else serves under any spelling', async () => {
    const { body } = await prove(eudi, { type: 'attestation' });
    const [{ credential = '' } = {}] = (body['credentials'] ?? []) as { credential?: string }[];
    const claims = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString()) as Json;
    const { uri } = (claims['status'] as { status_list: { uri: string } }).status_list;
    const target = new URL(uri).pathname;
    expect((await exchange(uri)).status).toBe(200);
    for (const other of [
      target.replace(`/${EU_ISSUER}/`, '/'),
      target.replace(`/${EU_ISSUER}/`, '/attested/'),
      target.replace(`/${EU_ISSUER}/`, `/attested/../${EU_ISSUER}/`),
      target.replace(`/${EU_ISSUER}/`, '/EU/'),
      `${target}/`,
      `/${target}`,
      target.replace('/status-lists/', '/status-lists//'),
      target.replace('/status-lists/', '/status-lists%2f'),
    ])
      expect([other, (await raw('GET', other)).status]).toEqual([other, 404]);
  });
});
