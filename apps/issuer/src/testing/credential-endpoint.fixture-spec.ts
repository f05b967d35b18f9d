import { randomBytes } from 'node:crypto';
import { MAX_ANSWER_BYTES, type CredentialAnswer, type IssuanceEvent } from '@vestibule/contracts';
import { localSigner, sha256Base64url } from '@vestibule/crypto';
import { createNonce, type NoncePurpose } from '@vestibule/oauth';
import type { Grant, PromisedCredential } from '../domain/issuance';
import type { CredentialSigner, UnservedWallet } from '../domain/ports';
import type { ReservedEntry } from '../domain/status-list';
import type { WalletMessage } from '../use-cases/open-message';
import { CLAIMS, checkNoStatus, ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID, TYPES } from './issuer.fixture-spec';
import { issuingOver, type EndpointDeps } from './running-issuer.fixture-spec';
import { createWalletKey, credentialProof, keyProof, type WalletKey } from './wallet.fixture-spec';

export const TOKEN = 'an-access-token_that.is~long+enough/0123456789==';
export const OFFER_ID = 'offer-1';
export const BATCH_SIZE = 5;
export const STATUS_LIST_URI = `${ISSUER_URL}/oidc4vci/status-lists/a-list`;
const NONCE_KEY = randomBytes(32);
export const REQUEST_ENCRYPTION_SECRET = randomBytes(32);
export const NOTIFICATION_KEY = randomBytes(32);
export const HAND_OVER_KEY = randomBytes(32);
export const INTERVAL_SECONDS = 45;
export const REDELIVERY_SECONDS = 90;

/** A c_nonce of this issuer, or what is almost one. */
export function newNonce(changes: { now?: Date; purpose?: NoncePurpose; key?: Uint8Array } = {}): string {
  return createNonce({ key: NONCE_KEY, purpose: 'c_nonce', now: NOW, random: randomBytes, ...changes });
}

/** The credentials of an answer that has some. */
export function credentialsOf(answer: CredentialAnswer): string[] {
  if (!('credentials' in answer)) throw new Error('the answer has no credentials');
  return answer.credentials.map(({ credential }) => credential);
}

/** What a wallet gets of an answer, and the name that only the gateway gets. */
export function divide(answer: CredentialAnswer): readonly [body: object, handOver: string | undefined] {
  const { handOver, ...body } = answer as { readonly handOver?: string };
  return [body, handOver];
}

export interface EndpointOptions {
  readonly deps?: Partial<EndpointDeps>;
  readonly grant?: Partial<Grant>;
}

/** A credential endpoint over fakes that write down, in order, what was asked of them. */
export async function openCredentialEndpoint(signer: WalletKey) {
  const dpopKey = await createWalletKey();
  const holder = await createWalletKey();
  const credentialSigner: CredentialSigner = {
    ...localSigner(signer.privateKey),
    x5c: [Buffer.from('a certificate').toString('base64')],
    certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
    chainEndsAt: new Date('2036-01-01T00:00:00Z'),
  };

  return ({ deps = {}, grant = {} }: EndpointOptions = {}) => {
    const asked: string[] = [];
    const events: IssuanceEvent[] = [];
    const reported: unknown[] = [];
    const nonces: string[] = [];
    /** Digests of the nonces that the grant was read with. */
    const presented: string[] = [];
    const completed: ReservedEntry[] = [];
    const shortened: (readonly [string, Date])[] = [];
    const promises: PromisedCredential[] = [];
    const unserved: UnservedWallet[] = [];
    const postponed: unknown[] = [];
    const spent = new Set<string>();
    const all: EndpointDeps = {
      clock: () => NOW,
      random: randomBytes,
      issuerUrl: ISSUER_URL,
      ...NO_DEMANDS,
      checkStatus: checkNoStatus,
      types: TYPES,
      batchSize: BATCH_SIZE,
      nonceKeys: [NONCE_KEY],
      requestEncryptionSecrets: [REQUEST_ENCRYPTION_SECRET],
      encryptionRequired: false,
      notificationKeys: [NOTIFICATION_KEY],
      handOverKeys: [HAND_OVER_KEY],
      deferredIntervalSeconds: INTERVAL_SECONDS,
      redeliverySeconds: REDELIVERY_SECONDS,
      findKept: async () => {
        asked.push('kept');
        return undefined;
      },
      signerAt: () => {
        asked.push('sign');
        return credentialSigner;
      },
      reserveStatusIndexes: async ({ count }) => {
        asked.push('reserve');
        return Array.from({ length: count }, (_, idx) => ({ uri: STATUS_LIST_URI, idx, listNumber: 1 }));
      },
      findGrant: async (digest, _now, nonceDigests, proven) => {
        asked.push('token');
        presented.push(...nonceDigests.map((nonce) => Buffer.from(nonce).toString('hex')));
        if (Buffer.from(digest).toString('base64url') !== sha256Base64url(TOKEN)) return undefined;
        const { thumbprint } = dpopKey;
        const isSpent = proven?.thumbprint === thumbprint;
        const proof = Buffer.from(proven?.proof.digest ?? []).toString('hex');
        if (isSpent) asked.push('proof');
        return {
          ...(proven ? { isProofFresh: isSpent && !spent.has(proof) && !!spent.add(proof) } : {}),
          offerId: OFFER_ID,
          configurationId: TYPE_ID,
          status: 'OFFER_CREATED',
          claims: CLAIMS,
          thumbprint,
          granted: [],
          clientId: undefined,
          usedNonces: [],
          keptRequests: [],
          ...grant,
        };
      },
      defer: async (_offer, verified, promise) => {
        asked.push('defer');
        nonces.push(...verified.map(({ digest }) => Buffer.from(digest).toString('hex')));
        promises.push(promise);
        return 'deferred';
      },
      mostAnswerBytes: () => MAX_ANSWER_BYTES,
      letOthersRun: async () => void asked.push('rest'),
      complete: async ({ nonces: verified, event, ...rest }) => {
        asked.push('complete');
        completed.push(...rest.entries);
        nonces.push(...verified.map(({ digest }) => Buffer.from(digest).toString('hex')));
        events.push(event);
        return 'issued';
      },
      markUnsigned: async () => undefined,
      fail: async (_offerId, event) => {
        asked.push('fail');
        events.push(event);
        return true;
      },
      reportShortened: (...all) => void shortened.push(all),
      reportUnreadAttestation: () => undefined,
      deferredNotificationId: true,
      reportFailure: (error) => void reported.push(error),
      findView: async (offerId) => {
        const view = { offer_id: offerId, status: 'ISSUED', created_at: 'x', expires_at: 'y' } as const;
        return { configurationId: TYPE_ID, view, shortenedTo: undefined };
      },
      markUnserved: async (wallets) => unserved.push(...wallets),
      reportPostponed: (error) => void postponed.push(error),
      ...deps,
    };
    const { issueCredential: issue } = issuingOver(all);

    const proofs = async (...jwt: Promise<string>[]) => ({ jwt: await Promise.all(jwt) });
    /** The body of a good request, with `changes`; `undefined` leaves a member out. */
    async function body(changes: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
      const good = { credential_configuration_id: TYPE_ID, proofs: await proofs(keyProof(holder, newNonce())) };
      const members = Object.entries({ ...good, ...changes });
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    /** A good request, with `changes`. */
    async function request(changes: Partial<WalletMessage> = {}): Promise<WalletMessage> {
      const dpop = [await credentialProof(dpopKey, TOKEN)];
      return { authorization: [`DPoP ${TOKEN}`], dpop, body: await body(), ...changes };
    }
    /** Sends a good request whose body has `changes`. */
    const send = async (changes: Readonly<Record<string, unknown>> = {}): Promise<CredentialAnswer> =>
      issue(await request({ body: await body(changes) }));
    return {
      deps: all,
      asked,
      events,
      reported,
      nonces,
      presented,
      completed,
      shortened,
      promises,
      unserved,
      postponed,
      issue,
      body,
      request,
      send,
      proofs,
      dpopKey,
      holder,
    };
  };
}

export type OpenEndpoint = Awaited<ReturnType<typeof openCredentialEndpoint>>;

/** A credential endpoint with a key of its own, for wallets with so many keys. */
export async function openForHolders(count: number) {
  const [issuer, ...holders] = (await Promise.all(Array.from({ length: count + 1 }, createWalletKey))) as [
    WalletKey,
    ...WalletKey[],
  ];
  return { open: await openCredentialEndpoint(issuer), holders };
}

export const failsWith = (code: string) => expect.objectContaining({ code });
