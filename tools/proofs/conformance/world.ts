import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createCertificateAuthority,
  DEVELOPMENT_SUBJECTS,
  openCertificateAuthority,
  toPem,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { choosePort, startCallbackReceiver, startStack, type Stack } from '@vestibule/dev-stack';
import { startFront } from './front';

export const CARD_TYPE = 'conformance-card';
const TYPE = {
  name: 'Card of the conformance runs',
  display: [{ locale: 'en', name: 'Card of the conformance runs' }],
  claims: [{ path: ['holder'], mandatory: true, sd: 'always', display: [{ locale: 'en', label: 'Holder' }] }],
};
/** In its plain profile, the suite wants to verify status lists with a key that no standard puts where it looks. */
const ISSUANCE = { attestations: 'required', types: { [CARD_TYPE]: { status_list: false } } };

/** A key that the suite signs with, as a private JWK with its certificates. */
export type SigningJwk = Readonly<Record<string, unknown>>;

/** A stack behind TLS, and the keys of the suite's wallet. */
export interface World {
  readonly stack: Stack;
  /** PEM of the authority that certified everything here. */
  readonly root: string;
  /** Signs the credentials that the wallet presents. */
  readonly credentialKey: SigningJwk;
  /** Signs the attestations of the wallet and of its keys. */
  readonly attestationKey: SigningJwk;
  stop(): Promise<void>;
}

function signingJwk({ privateKey, certificate }: IssuedCertificate, above: readonly Buffer[]): SigningJwk {
  const x5c = [certificate, ...above].map((der) => der.toString('base64'));
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', x5c };
}

function writeTypes(folder: string): string {
  const types = path.join(folder, 'types');
  mkdirSync(types);
  writeFileSync(path.join(types, `${CARD_TYPE}.json`), JSON.stringify(TYPE));
  writeFileSync(path.join(types, 'issuance.json'), JSON.stringify(ISSUANCE));
  return types;
}

/** What the development intermediate of a stack certifies for the suite. */
async function certify(stack: Stack, suiteHost: string) {
  const read = (name: string) => readFileSync(path.join(stack.files.folder, name), 'utf8');
  const certificate = Buffer.from(new X509Certificate(read('intermediate.pem')).raw);
  const privateKey = createPrivateKey(read('intermediate-key.pem'));
  const name = DEVELOPMENT_SUBJECTS.intermediate;
  const authority = openCertificateAuthority({ certificate, privateKey }, { name, now: new Date() });
  const [credential, attestation] = await Promise.all([
    authority.issue({ name: 'Credentials of the suite', dnsNames: [suiteHost] }),
    authority.issue({ name: 'Wallet provider of the suite' }),
  ]);
  return {
    root: read('root.pem'),
    credentialKey: signingJwk(credential, [certificate]),
    attestationKey: signingJwk(attestation, [certificate]),
  };
}

async function startTls(host: string) {
  const authority = await createCertificateAuthority({ name: 'TLS of the conformance runs', now: new Date() });
  const leaf = await authority.issue({ name: host, dnsNames: [host] });
  return startFront({ cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) });
}

/**
 * Starts everything.
 * @param host the name under which the suite reaches this machine
 */
export async function startWorld(host: string, suiteHost: string): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-conformance-'));
  const [front, receiver] = await Promise.all([startTls(host), startCallbackReceiver({ keep: false })]);
  const release = async () => {
    await Promise.all([front.stop(), receiver.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const publicPort = await choosePort(0, 0);
    const stack = await startStack({
      callbackUrl: receiver.url,
      ports: { management: 0, public: publicPort },
      baseUrl: `https://${host}:${front.port}`,
      environment: {
        gateway: { RATE_LIMIT_PER_MINUTE: '0' },
        verifier: { REQUEST_URI_METHOD: 'post' },
        issuer: { TYPE_METADATA_FOLDER: writeTypes(folder), KEEP_CLAIMS_UNTIL_EXPIRY: 'true' },
      },
    });
    front.forwardTo(new URL(`http://127.0.0.1:${publicPort}`));
    const stop = async () => {
      await stack.stop();
      await release();
    };
    return { stack, ...(await certify(stack, suiteHost)), stop };
  } catch (error) {
    await release();
    throw error;
  }
}
