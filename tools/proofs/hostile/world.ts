import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { startCallbackReceiver, startStack, type CallbackReceiver, type Stack } from '@vestibule/dev-stack';
import { createHolder, type Holder, type Identity } from './handmade-credential';
import { startHosts, type Hosts } from './hosts';

/**
 * No anchor is configured for this type: no matter who signs, the answer is judged to its end, with `isTrusted: false`.
 */
export const OPEN_TYPE = 'urn:example:open';
/** An anchor is configured for this type, so only issuers below it are trusted. */
export const ANCHORED_TYPE = 'urn:example:anchored';

/** A running verifier with its gateway, and issuers that it trusts and does not trust. */
export interface World {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly hosts: Hosts;
  /** The authority that is trusted for {@link ANCHORED_TYPE}. */
  readonly root: Authority;
  /** An issuer below it, with an intermediate. */
  readonly issuer: Identity;
  /** An untrusted issuer: cheap to verify. */
  readonly stranger: Identity;
  readonly holder: Holder;
  stop(): Promise<void>;
}

async function issuerBelow(root: Authority, name: string): Promise<Identity> {
  const intermediate = await root.issueAuthority({ name: `${name} CA` });
  const leaf = await intermediate.issue({ name, dnsNames: ['issuer.example'] });
  return { chain: [leaf.certificate, intermediate.certificate], key: leaf.privateKey };
}

function writeTrust(folder: string, root: Authority): string {
  writeFileSync(path.join(folder, 'root.pem'), toPem(root.certificate));
  const trust = {
    policy: 'auto',
    anchors: [{ file: 'root.pem', purposes: ['credential', 'status'], vcts: [ANCHORED_TYPE] }],
  };
  const file = path.join(folder, 'trust.json');
  writeFileSync(file, JSON.stringify(trust));
  return file;
}

/** Starts everything; the verifier and the gateway report how long their event loops were blocked. */
export async function startWorld(): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-hostile-'));
  const [root, strangerRoot] = await Promise.all(
    ['Bench Root', 'Stranger Root'].map((name) => createCertificateAuthority({ name, now: new Date() })),
  );
  if (!root || !strangerRoot) throw new Error('two authorities were made');
  const [hosts, backend] = await Promise.all([startHosts(), startCallbackReceiver()]);
  const watched = { NODE_OPTIONS: `--require ${path.join(__dirname, 'loop-watch.js')}`, LOG_LEVEL: 'warn' };
  const release = async () => {
    await Promise.all([hosts.stop(), backend.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  const starting = startStack({
    callbackUrl: backend.url,
    apps: ['verifier', 'gateway'],
    environment: {
      gateway: { ...watched, RATE_LIMIT_PER_MINUTE: '0' },
      verifier: {
        ...watched,
        TRUST_FILE: writeTrust(folder, root),
        EGRESS_DEVELOPMENT_HOSTS: hosts.developmentHosts,
      },
    },
  });
  const stack = await starting.catch(async (error: unknown) => {
    await release();
    throw error;
  });
  return {
    stack,
    backend,
    hosts,
    root,
    issuer: await issuerBelow(root, 'Issuer'),
    stranger: await issuerBelow(strangerRoot, 'Stranger'),
    holder: createHolder(),
    async stop() {
      await stack.stop();
      await release();
    },
  };
}
