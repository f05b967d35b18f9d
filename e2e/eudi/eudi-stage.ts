import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JWK } from 'jose';
import { offerCredential, type Offer } from '../src/flows';
import { startStatusHost, type StatusHost } from '../src/status-host';
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

/** A PID, whose attestations need statuses. */
export const PID = 'eu-pid';
/** For wallets that attest their keys, but not as those of the EU do; for any wallet. */
export const ATTESTED_CARD = 'attested-card';
export const PLAIN_CARD = 'plain-card';
/** The names of the issuer identifiers below that of the installation, which has the plain card. */
export const EU_ISSUER = 'eu';
const ATTESTED_ISSUER = 'attested';

/** An installation with issuers for wallets of the EU and for others, and the providers that it trusts. */
export interface EudiStage {
  readonly stage: Stage;
  readonly providers: WalletProviders;
  /** Status lists of the providers, which the issuer may fetch. */
  readonly statusHost: StatusHost;
  /** The issuer identifier of the EU types. */
  readonly issuer: string;
  offer(configurationId?: string, members?: object): Promise<Offer>;
  stop(): Promise<void>;
}

const DAY_SECONDS = 86_400;
const OPTION = { details: ['once_only'], batch_size: 10, reissue_trigger_unused: 2 };
const POLICY = { credential_reuse_policy: { id: 'arf_annex_ii', options: [OPTION] } };
const ISSUANCE = {
  issuers: {
    [EU_ISSUER]: {
      profile: 'eudi',
      attestations: 'optional',
      issuer_info: [{ format: 'registrar_dataset', data: { registryURI: 'https://registry.example' } }],
      types: {
        [CARD]: POLICY,
        [LARGE_CARD]: { ...POLICY, proof_signing_alg_values: ['ES256', 'ES384'] },
        [SUBTYPE_CARD]: POLICY,
        // The policy by default is the same.
        'eu-card-base': {},
        [PID]: { ...POLICY, pid: true, validity_seconds: 14 * DAY_SECONDS },
      },
    },
    [ATTESTED_ISSUER]: { types: { [ATTESTED_CARD]: { key_attestation: {} } } },
  },
};

function writeTypes(folder: string): void {
  mkdirSync(folder);
  const above = { ...DOCUMENT, vct: SUBTYPE_OF };
  const documents = {
    ...Object.fromEntries([CARD, LARGE_CARD, PID, ATTESTED_CARD, PLAIN_CARD].map((id) => [id, DOCUMENT])),
    [SUBTYPE_CARD]: { ...DOCUMENT, vct: SUBTYPE, extends: SUBTYPE_OF },
    'eu-card-base': above,
    issuance: ISSUANCE,
  };
  for (const [name, content] of Object.entries(documents))
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(content));
}

/** Changes what the issuer trusts before it starts; gives further variables. */
type Preparation = (
  world: Pick<EudiStage, 'providers' | 'statusHost'>,
) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;

export async function startEudiStage(prepare: Preparation = () => ({})): Promise<EudiStage> {
  const providers = await createWalletProviders();
  const types = path.join(providers.folder, 'types');
  writeTypes(types);
  const statusHost = await startStatusHost();
  const environment = {
    ATTESTATION_TRUST_FILE: providers.trustFile,
    TYPE_METADATA_FOLDER: types,
    EGRESS_DEVELOPMENT_HOSTS: statusHost.host,
    ...(await prepare({ providers, statusHost })),
  };
  const stage = await startStage({
    apps: FLOWS,
    environment: { issuer: environment, verifier: { RELOAD_SECONDS: '1' } },
  });
  return {
    stage,
    providers,
    statusHost,
    issuer: `${stage.stack.issuerUrl}/${EU_ISSUER}`,
    offer: (id = CARD, members = {}) => offerCredential(stage, { credential_configuration_id: id, ...members }),
    stop: async () => {
      await stage.stop();
      await statusHost.stop();
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
  const strict = configurationId !== ATTESTED_CARD;
  const session: Session = await openSession((await offer(configurationId)).uri, configurationId, { strict });
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
