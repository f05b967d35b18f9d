import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { signCompactJws } from '@vestibule/crypto';
import { issueForeignCredential, type Wallet } from '@vestibule/demo-wallet';
import { sampleVct, type Stack } from '@vestibule/dev-stack';

type Issuer = Pick<Stack, 'issuerUrl' | 'files'>;

/** A host of status lists that only the verifier uses. */
export interface StatusHost {
  readonly port: number;
  /** Serves the lists of this issuer from now on. */
  setIssuer(issuer: Issuer): void;
  stop(): Promise<void>;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END/g;
const HOUR_SECONDS = 3_600;
const nowSeconds = () => Math.floor(Date.now() / 1000);

function identityOf({ files }: Issuer) {
  const pem = (name: string) => readFileSync(path.join(files.folder, name), 'utf8');
  const chain = [...pem('issuer.pem').matchAll(CERTIFICATE)].map(([, body = '']) => body.replaceAll(/\s/g, ''));
  return { chain, key: createPrivateKey(pem('issuer-key.pem')) };
}

/** A list in which everything is valid. */
function statusToken(uri: string, issuer: Issuer): string {
  const { chain, key } = identityOf(issuer);
  const now = nowSeconds();
  const list = { bits: 1, lst: deflateSync(Buffer.alloc(16)).toString('base64url') };
  const payload = { sub: uri, iat: now, exp: now + HOUR_SECONDS, ttl: 300, status_list: list };
  return signCompactJws({ typ: 'statuslist+jwt', x5c: chain }, payload, key);
}

/** Starts the host; there is a list at every path, with the requested URL as its name. */
export async function startStatusHost(): Promise<StatusHost> {
  let issuer: Issuer | undefined;
  const server = createServer((request, response) => {
    if (!issuer) return void response.writeHead(404).end();
    const token = statusToken(`http://${request.headers.host}${request.url}`, issuer);
    response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(token);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    setIssuer: (one) => void (issuer = one),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Gives a wallet a credential with a status list that was never fetched before, and the options to present it: the
 * verifier has to ask the status host.
 */
export async function addFreshCredential(wallet: Wallet, issuer: Issuer, statusOrigin: string, familyName: string) {
  const { chain, key } = identityOf(issuer);
  const now = nowSeconds();
  const compact = await issueForeignCredential({
    payload: {
      iss: issuer.issuerUrl,
      iat: now - 60,
      exp: now + HOUR_SECONDS,
      vct: sampleVct(issuer.issuerUrl),
      cnf: { jwk: { ...(await wallet.createHolderKey()) } },
      family_name: familyName,
      status: { status_list: { idx: 7, uri: `${statusOrigin}/${randomUUID()}` } },
    },
    disclosureFrame: { _sd: ['family_name'] },
    x5c: chain.map((der) => Buffer.from(der, 'base64')),
    privateKey: key,
  });
  const { id } = await wallet.addCredential(compact);
  return { credentials: { card: [id] } };
}
