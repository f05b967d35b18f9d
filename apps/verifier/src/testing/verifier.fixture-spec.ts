import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { createTimedId, exportPublicJwk, signCompactJws, signEs256 } from '@vestibule/crypto';
import { createDevelopmentPki, createPrivateKeyOf, type DevelopmentPki } from '@vestibule/dev-pki';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import {
  createFlowVariant,
  FLOW_TYPES,
  parseTransactionData,
  type FlowType,
  type IssuerTrust,
} from '@vestibule/oid4vp';
import { issueSdJwtVc } from '@vestibule/sd-jwt-vc';
import { encryptJwe } from '@vestibule/testkit';
import { createChainVerifier, parseCertificate } from '@vestibule/x509-trust';
import type { PendingRequest } from '../domain/presentation-request';
import type { SubmitPresentationInput } from '../use-cases/submit-presentation';

/** A verifier's world at one instant: an issuer that it trusts, a wallet with a key, requests and their answers. */
export const NOW = new Date('2026-03-01T12:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;
export const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
export const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk';
export const VCT = 'urn:example:pid:1';
export const CLAIMS = { given_name: 'Erika', age: 44 };
export const STATUS = { idx: 3, uri: 'https://issuer.example/lists/1' };
export const failsWith = (code: string) => expect.objectContaining({ code });
export const base64 = (der: Uint8Array) => Buffer.from(der).toString('base64');

export type Form = SubmitPresentationInput['form'];
export interface World {
  readonly pki: DevelopmentPki;
  readonly holderKey: KeyObject;
  readonly trust: IssuerTrust;
}

export async function createWorld(): Promise<World> {
  const pki = await createDevelopmentPki({ now: NOW, hosts: ['issuer.example'] });
  const anchors = [
    { certificate: parseCertificate(pki.root.certificate), purposes: ['credential', 'status'] as const },
  ];
  const chains = createChainVerifier(anchors, { maxEntries: 10 });
  return {
    pki,
    holderKey: createPrivateKeyOf('P-256'),
    trust: { chains, policy: 'auto', binding: { policy: 'none' }, covered: [] },
  };
}

export const pidQuery = (more: JsonObject = {}): JsonObject => ({
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['given_name'] }, { path: ['age'] }],
  ...more,
});

/** A request that waits for its answer since a minute. */
export function pendingRequest(more: Partial<PendingRequest> = {}): PendingRequest {
  return {
    state: createTimedId(NOW, randomBytes),
    clientId: CLIENT_ID,
    dcqlQuery: { credentials: [pidQuery()] },
    transactionData: [],
    variants: FLOW_TYPES.map((flowType) => createFlowVariant(flowType, randomBytes)),
    createdAt: at(-60),
    expiresAt: at(540),
    ...more,
  };
}

export const payment = (credentialId = 'pid') =>
  parseTransactionData(
    [{ type: 'payment', credential_ids: [credentialId] }],
    [{ id: credentialId, holderBinding: 'required' }],
    { types: new Map(), now: NOW },
  ).data;

export function variantOf(request: PendingRequest, flowType: FlowType) {
  const variant = request.variants.find((candidate) => candidate.flowType === flowType);
  if (!variant) throw new Error('the request has no such flow');
  return variant;
}

export interface CredentialOptions {
  readonly iat?: number;
  readonly exp?: number;
  readonly status?: typeof STATUS;
  readonly vct?: string;
  readonly claims?: JsonObject;
  readonly issuerKey?: KeyObject;
}

export function issue(world: World, options: CredentialOptions = {}): Promise<string> {
  const { issuer } = world.pki;
  return issueSdJwtVc({
    sign: (input) => signEs256(options.issuerKey ?? issuer.privateKey, input),
    x5c: issuer.chain.map(base64),
    registered: {
      iss: 'https://issuer.example',
      sub: 'urn:example:subject',
      iat: options.iat ?? NOW_SECONDS - 3600,
      exp: options.exp ?? NOW_SECONDS + 86_400,
      vct: options.vct ?? VCT,
      confirmationKey: exportPublicJwk(world.holderKey),
      ...(options.status ? { status: options.status } : {}),
    },
    claims: options.claims ?? CLAIMS,
    disclosurePlan: (path) => (path.length === 1 ? 'always' : 'never'),
    random: randomBytes,
  });
}

export const sha256Text = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Presents a credential in answer to one flow of a request. */
export async function present(
  world: World,
  request: PendingRequest,
  flowType: FlowType,
  credential: CredentialOptions & { readonly binding?: JsonObject } = {},
): Promise<string> {
  const sdJwt = await issue(world, credential);
  const hashes = request.transactionData.map(({ encoded }) => sha256Text(encoded));
  const claims = {
    iat: NOW_SECONDS,
    aud: request.clientId,
    nonce: variantOf(request, flowType).nonce,
    sd_hash: sha256Text(sdJwt),
    ...(hashes.length > 0 ? { transaction_data_hashes: hashes } : {}),
    ...credential.binding,
  };
  return sdJwt + signCompactJws({ typ: 'kb+jwt' }, claims, world.holderKey);
}

/** The form of an encrypted response with the given parameters. */
export function encryptedForm(request: PendingRequest, flowType: FlowType, parameters: JsonValue): Form {
  const { publicJwk, kid } = variantOf(request, flowType);
  const plaintext = Buffer.from(JSON.stringify(parameters));
  return [['response', encryptJwe(plaintext, { recipient: publicJwk, kid, enc: 'A256GCM', random: randomBytes })]];
}

/** The form of a wallet that answers with one credential. */
export async function answerForm(
  world: World,
  request: PendingRequest,
  flowType: FlowType = 'cross-device',
  credential: CredentialOptions & { readonly binding?: JsonObject } = {},
): Promise<Form> {
  const vpToken = { pid: [await present(world, request, flowType, credential)] };
  return encryptedForm(request, flowType, { state: request.state, vp_token: vpToken });
}
