import { randomBytes } from 'node:crypto';
import { MAX_ANSWER_BYTES, type CredentialAnswer } from '@vestibule/contracts';
import { localSigner } from '@vestibule/crypto';
import { createNonce } from '@vestibule/oauth';
import { issuerEndpoints } from '@vestibule/oid4vci';
import type { OpenOffer } from '../domain/credential-offer';
import { checkNoStatus, ISSUER_URL, NO_DEMANDS, NOW, TYPES } from './issuer.fixture-spec';
import { exchangeOver, issuingOver } from './running-issuer.fixture-spec';
import { at, type StoreStage } from './store.fixture-spec';
import { credentialProof, keyProof, tokenProof, type WalletKey } from './wallet.fixture-spec';

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const NONCE_KEY = randomBytes(32);
const KEYS = [randomBytes(32)];
const nothing = () => undefined;

export type ServedStore = StoreStage['store'];

/** An issuer over a real store, and what wallets get of it. */
export function servedWallets(store: ServedStore, signer: WalletKey) {
  const common = {
    clock: () => NOW,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    ...NO_DEMANDS,
    redeliverySeconds: 120,
  };
  const deferral = { deferredSeconds: 604_800, deferredIntervalSeconds: 30, deferredNotificationId: true };
  const exchange = exchangeOver({
    ...common,
    ...store,
    ...deferral,
    nonceKeys: [NONCE_KEY],
    reportUnreadAttestation: nothing,
    spendAttestationProof: (digest, expiresAt) => store.spendAttestationProof(digest, expiresAt),
    spendProof: (digest, expiresAt) => store.spendProof(digest, expiresAt),
  });
  const issue = issuingOver({
    ...common,
    ...store,
    ...deferral,
    checkStatus: checkNoStatus,
    types: TYPES,
    batchSize: 1,
    nonceKeys: [NONCE_KEY],
    requestEncryptionSecrets: KEYS,
    encryptionRequired: false,
    notificationKeys: KEYS,
    handOverKeys: KEYS,
    reserveStatusIndexes: async () => [],
    signerAt: () => ({
      ...localSigner(signer.privateKey),
      x5c: [Buffer.from('a certificate').toString('base64')],
      certificateNotBefore: at(-86_400),
      chainEndsAt: at(1_000_000_000),
    }),
    mostAnswerBytes: () => MAX_ANSWER_BYTES,
    letOthersRun: async () => undefined,
    reportFailure: nothing,
    reportShortened: nothing,
    reportPostponed: nothing,
    reportUnreadAttestation: nothing,
  });

  const redeem = async (
    { preAuthorizedCode }: Pick<OpenOffer, 'preAuthorizedCode'>,
    key: WalletKey,
    txCode?: string,
  ) => {
    const tried: [string, string][] = txCode === undefined ? [] : [['tx_code', txCode]];
    const form: [string, string][] = [['grant_type', GRANT], ['pre-authorized_code', preAuthorizedCode], ...tried];
    return (await exchange({ form, dpop: [await tokenProof(key)] })).access_token;
  };
  const request = async (token: string, key: WalletKey, configurationId: string): Promise<CredentialAnswer> => {
    const nonce = createNonce({ key: NONCE_KEY, purpose: 'c_nonce', now: NOW, random: randomBytes });
    return issue.issueCredential({
      authorization: [`DPoP ${token}`],
      dpop: [await credentialProof(key, token)],
      body: { credential_configuration_id: configurationId, proofs: { jwt: [await keyProof(key, nonce)] } },
    });
  };
  const requestLater = async (token: string, key: WalletKey, transactionId: string): Promise<CredentialAnswer> =>
    issue.issueDeferredCredential({
      authorization: [`DPoP ${token}`],
      dpop: [await credentialProof(key, token, { htu: issuerEndpoints(ISSUER_URL).deferredCredential })],
      body: { transaction_id: transactionId },
    });
  return { redeem, request, requestLater };
}
