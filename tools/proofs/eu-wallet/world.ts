import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import {
  createBackend,
  createManagement,
  EUDI_SAMPLE_ISSUER,
  EUDI_SAMPLE_TYPE,
  offerSample,
  requestSample,
  startCallbackReceiver,
  startStack,
  subjectOf,
  type Offer,
  type OfferMembers,
  type PresentationRequest,
  type RequestMembers,
  type Stack,
} from '@vestibule/dev-stack';
import { SignJWT } from 'jose';
import { startWallet, type Told } from './eu-wallet-process';
import { register, type Registrations } from './registrations';
import { openTlsDoor, type TlsDoor } from './tls-door';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

/** A host with the status list of the wallet provider: everything is valid. */
async function startProviderList() {
  let answer = '';
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const uri = `http://${host}/wallets`;
  return {
    host,
    uri,
    sign: async (folder: string) => {
      const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
      const x5c = [...read('wallet-provider.pem').matchAll(PEM_BLOCK)].map(([, body = '']) =>
        body.replaceAll(/\s/g, ''),
      );
      const list = { bits: 2, lst: deflateSync(Buffer.alloc(16)).toString('base64url') };
      answer = await new SignJWT({ sub: uri, ttl: 300, status_list: list })
        .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', x5c })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(createPrivateKey(read('wallet-provider-key.pem')));
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** A stack as in production behind TLS, a backend, and the wallet. */
export interface World {
  readonly stack: Stack;
  readonly vct: string;
  offer(members?: OfferMembers): Promise<Offer>;
  ask(members?: RequestMembers): Promise<PresentationRequest>;
  manage: ReturnType<typeof createManagement>;
  tell(command: object): Promise<Told>;
  /** The event that ends an offer or a request. */
  end(id: string): Promise<Members>;
  stop(): Promise<void>;
}

interface Surroundings {
  readonly door: TlsDoor;
  readonly listHost: string;
  readonly callbackUrl: string;
  readonly registrations: Registrations;
}

function startBehind({ door, listHost, callbackUrl, registrations }: Surroundings): Promise<Stack> {
  const trust = { NODE_EXTRA_CA_CERTS: door.rootFile };
  return startStack({
    callbackUrl,
    apps: ['gateway', 'issuer', 'verifier'],
    ports: { management: 0, public: 0 },
    baseUrl: door.origin,
    developmentHosts: [listHost],
    environment: {
      gateway: { RATE_LIMIT_PER_MINUTE: '0' },
      verifier: { ...trust, REGISTRATION_FILE: registrations.file },
      issuer: {
        ...trust,
        EGRESS_DEVELOPMENT_HOSTS: [new URL(door.origin).host, listHost].join(','),
        DEFERRED_INTERVAL_SECONDS: '1',
        DPOP_NONCE: 'required',
        STATUS_LIST_TTL_SECONDS: '30',
      },
    },
  });
}

/** Starts everything. DPoP proofs need nonces, as wallets of HAIP must be able to give them. */
export async function startWorld(classPath: string): Promise<World> {
  const door = await openTlsDoor();
  const list = await startProviderList();
  const backend = await startCallbackReceiver();
  const vct = `${door.origin}/${EUDI_SAMPLE_ISSUER}/oidc4vci/types/${EUDI_SAMPLE_TYPE}`;
  const registrations = await register(vct);
  const stack = await startBehind({ door, listHost: list.host, callbackUrl: backend.url, registrations });
  const publicPort = Number(new URL(stack.process('gateway').addressOf('public') ?? '').port);
  door.leadTo(publicPort);
  await list.sign(stack.files.folder);
  await registrations.publish(stack);
  const { folder } = stack.files;
  const roots = { tlsRoot: door.rootFile, registrarRoot: registrations.rootFile };
  const wallet = startWallet(classPath, { folder, statusUri: list.uri, ...roots });
  const made = createBackend(stack);
  return {
    stack,
    vct,
    manage: createManagement(stack.managementUrl),
    offer: (members = {}) => offerSample(made, { credential_configuration_id: EUDI_SAMPLE_TYPE, ...members }),
    ask: (members = {}) => requestSample(made, members),
    tell: (command) => wallet.tell(command),
    end: async (id) => {
      const isEnd = (event: unknown) => subjectOf(event) === id && (event as Members)['status'] !== 'OFFER_CREATED';
      return (await backend.waitFor(({ body }) => isEnd(body))).body as Members;
    },
    stop: async () => {
      await wallet.stop();
      await stack.stop();
      await backend.stop();
      await list.stop();
      await door.stop();
      registrations.remove();
    },
  };
}
