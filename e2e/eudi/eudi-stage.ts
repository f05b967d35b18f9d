import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JWK } from 'jose';
import { offerCredential, type Offer } from '../src/flows';
import { FLOWS, startStage, type Stage } from '../src/stage';
import { createWalletProviders, type Attester, type WalletProviders } from './attesters';
import type { Json } from './strict-judgement';
import { createKey, keyProof, openSession, type Answer, type Session, type WalletKey } from './strict-wallet';

/** Takes P-256 alone; P-384 too. */
export const CARD = 'eu-card';
export const LARGE_CARD = 'eu-card-p384';
/** A national subtype, and the type that it extends. */
export const SUBTYPE_CARD = 'eu-card-national';
export const SUBTYPE_OF = 'urn:example:eudi:card:1';
const SUBTYPE = 'urn:example:eudi:card:xx:1';

const NAMES = ['given_name', 'family_name', 'birthdate'];
const DOCUMENT = {
  name: 'EU card',
  claims: [
    ...NAMES.map((name) => ({ path: [name], sd: 'always' })),
    { path: ['iat'], sd: 'never' },
    { path: ['sub'], sd: 'allowed' },
  ],
};

/** An installation whose types all demand attested keys, and the providers that it trusts. */
export interface EudiStage {
  readonly stage: Stage;
  readonly providers: WalletProviders;
  offer(configurationId?: string, members?: object): Promise<Offer>;
  stop(): Promise<void>;
}

export async function startEudiStage(): Promise<EudiStage> {
  const providers = await createWalletProviders();
  const types = path.join(providers.folder, 'types');
  mkdirSync(types);
  for (const id of [CARD, LARGE_CARD]) writeFileSync(path.join(types, `${id}.json`), JSON.stringify(DOCUMENT));
  const national = { ...DOCUMENT, vct: SUBTYPE, extends: SUBTYPE_OF };
  writeFileSync(path.join(types, `${SUBTYPE_CARD}.json`), JSON.stringify(national));
  const above = { ...DOCUMENT, vct: SUBTYPE_OF };
  writeFileSync(path.join(types, 'eu-card-base.json'), JSON.stringify(above));
  const option = { details: ['once_only'], batch_size: 10, reissue_trigger_unused: 2 };
  const demands = { key_attestation: {}, credential_reuse_policy: { id: 'arf_annex_ii', options: [option] } };
  const issuance = {
    issuer_info: [{ format: 'registrar_dataset', data: { registryURI: 'https://registry.example' } }],
    types: {
      [CARD]: demands,
      [LARGE_CARD]: { ...demands, proof_signing_alg_values: ['ES256', 'ES384'] },
      [SUBTYPE_CARD]: demands,
      'eu-card-base': demands,
    },
  };
  writeFileSync(path.join(types, 'issuance.json'), JSON.stringify(issuance));
  const environment = { ATTESTATION_TRUST_FILE: providers.trustFile, TYPE_METADATA_FOLDER: types };
  const stage = await startStage({
    apps: FLOWS,
    environment: { issuer: environment, verifier: { RELOAD_SECONDS: '1' } },
  });
  return {
    stage,
    providers,
    offer: (id = CARD, members = {}) => offerCredential(stage, { credential_configuration_id: id, ...members }),
    stop: async () => {
      await stage.stop();
      providers.remove();
    },
  };
}

/** A way to prove attested keys. */
export interface Form {
  readonly type: 'jwt' | 'attestation';
  readonly configurationId?: string;
  /** The algorithm of the keys. Default ES256. */
  readonly alg?: WalletKey['alg'];
  readonly attester?: Attester;
  /** Which key signs: by place, or one that is not attested. Default the first. */
  readonly signer?: number | 'foreign';
  /** Members that the attested keys have besides. */
  readonly members?: (key: JWK, index: number) => Json;
  /** Members of the proof's header besides the attestation, which `null` leaves out. */
  readonly header?: Json;
  readonly nonce?: string;
  /** Claims that the attestation has besides. */
  readonly claims?: Json;
}

/** Sends two attested keys in a form, and gives the answer with the keys. */
export async function prove(
  { offer, providers }: EudiStage,
  form: Form,
): Promise<Answer & { readonly keys: readonly WalletKey[] }> {
  const { configurationId = CARD, alg = 'ES256', signer = 0, members = () => ({}) } = form;
  const session: Session = await openSession((await offer(configurationId)).uri, configurationId);
  const keys = [await createKey(alg), await createKey(alg)];
  const nonce = form.nonce ?? (await session.nonce());
  const attested = keys.map(({ jwk }, index) => ({ ...jwk, ...members(jwk, index) }) as JWK);
  const attestation = await providers.attestKeys(attested, { nonce, ...form.claims }, form.attester);
  if (form.type === 'attestation') return { ...(await session.ask({ attestation: [attestation] })), keys };
  const by = signer === 'foreign' ? await createKey(alg) : (keys[signer] as WalletKey);
  const header = Object.fromEntries(
    Object.entries({ key_attestation: attestation, ...form.header }).filter(([, value]) => value !== null),
  );
  const proof = await keyProof(by, header, { aud: session.issuer, nonce });
  return { ...(await session.ask({ jwt: [proof] })), keys };
}
