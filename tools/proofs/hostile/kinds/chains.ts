import { randomBytes } from 'node:crypto';
import { createCertificateAuthority, type Authority, type KeyType, type RawExtension } from '@vestibule/dev-pki';
import { makeCredential, type Credential, type Identity } from '../handmade-credential';
import { ANCHORED_TYPE, OPEN_TYPE, type World } from '../world';
import { answerWith, inTurn, MAX_PRESENTATIONS, upTo, type HostileKind } from './hostile-kind';

const CHAIN_LENGTH = 10;

interface ChainOptions {
  readonly length: number;
  readonly keyType: KeyType;
  /** The issuer's name in the last certificate. */
  readonly topName?: string;
}

/** A leaf with a key that may sign credentials, below authorities made only for it. */
async function ownChain({ length, keyType, topName }: ChainOptions): Promise<Identity> {
  const root = await createCertificateAuthority({ name: 'Somebody', now: new Date(), keyType });
  const above: Authority[] = [];
  for (let depth = 1; depth < length; depth += 1) {
    const forged = depth === 1 && topName !== undefined ? { issuerName: topName } : {};
    above.unshift(await (above[0] ?? root).issueAuthority({ name: `Authority ${depth}`, keyType, ...forged }));
  }
  const leaf = await (above[0] ?? root).issue({ name: 'Issuer', dnsNames: ['issuer.example'] });
  return { chain: [leaf, ...above].map(({ certificate }) => certificate), key: leaf.privateKey };
}

const credentialsOf = ({ holder }: World, vct: string, issuers: readonly Identity[]): Credential[] =>
  issuers.map((issuer) => makeCredential({ issuer, holder, vct }));

const OWN_CHAINS: HostileKind = {
  name: 'chains-p521',
  what: '64 presentations, each with its own chain of 10 P-521 certificates, of a type without anchor',
  inShort: true,
  async prepare(world) {
    const issuers = await inTurn(MAX_PRESENTATIONS, () => ownChain({ length: CHAIN_LENGTH, keyType: 'P-521' }));
    return answerWith(world, credentialsOf(world, OPEN_TYPE, issuers));
  },
};

const SHORTER_CHAINS: HostileKind = {
  name: 'chains-p521-of-4',
  what: 'the same with chains of 4 certificates',
  inShort: true,
  async prepare(world) {
    const issuers = await inTurn(MAX_PRESENTATIONS, () => ownChain({ length: 4, keyType: 'P-521' }));
    return answerWith(world, credentialsOf(world, OPEN_TYPE, issuers));
  },
};

const CHAINS_TAKEN: HostileKind = {
  name: 'chains-taken',
  what: '64 presentations with eight such chains, as many as are looked at',
  inShort: true,
  async prepare(world) {
    const issuers = await inTurn(8, () => ownChain({ length: 4, keyType: 'P-521' }));
    const [first] = issuers;
    const all = upTo(MAX_PRESENTATIONS, (index) => issuers[index % issuers.length] ?? first);
    return answerWith(
      world,
      credentialsOf(
        world,
        OPEN_TYPE,
        all.flatMap((issuer) => issuer ?? []),
      ),
    );
  },
};

const FORGED_CHAINS: HostileKind = {
  name: 'chains-forged',
  what: '64 presentations of an anchored type, each with its own chain of 4 P-521 certificates that names the anchor',
  inShort: false,
  async prepare(world) {
    const options = { length: 4, keyType: 'P-521', topName: world.root.name } as const;
    const issuers = await inTurn(MAX_PRESENTATIONS, () => ownChain(options));
    return answerWith(world, credentialsOf(world, ANCHORED_TYPE, issuers), { vct: ANCHORED_TYPE });
  },
};

const der = (tag: number, content: Buffer): Buffer => {
  const length = Buffer.from([0x82, content.byteLength >> 8, content.byteLength & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
};

/** Thousands of one-letter names: as many elements as fit into a certificate of 16 KiB. */
const DENSE_NAMES: RawExtension = {
  oid: '2.5.29.17',
  critical: false,
  value: der(0x30, Buffer.concat(upTo(5_000, () => Buffer.from([0x82, 1, 0x61])))),
};

const DENSE_CERTIFICATES: HostileKind = {
  name: 'certificates-dense',
  what: '12 presentations with 2 certificates of 16 KiB each that hold 5,000 names',
  inShort: true,
  async prepare(world) {
    const root = await createCertificateAuthority({ name: 'Dense Root', now: new Date() });
    const issuers = await inTurn(12, async (index): Promise<Identity> => {
      const authority = await root.issueAuthority({ name: `Dense ${index}`, extensions: [DENSE_NAMES] });
      const leaf = await authority.issue({ name: `Leaf ${index}`, extensions: [DENSE_NAMES] });
      return { chain: [leaf.certificate, authority.certificate], key: leaf.privateKey };
    });
    return answerWith(world, credentialsOf(world, OPEN_TYPE, issuers));
  },
};

const SAME_CHAIN: HostileKind = {
  name: 'chain-long-same',
  what: '25 presentations that share one chain of 4 P-521 certificates, of 16 KB',
  inShort: false,
  async prepare(world) {
    const filling: RawExtension = { oid: '1.3.6.1.4.1.55555.1', critical: false, value: randomBytes(4_000) };
    const root = await createCertificateAuthority({ name: 'Large Root', now: new Date(), keyType: 'P-521' });
    let authority = root;
    const above: Uint8Array[] = [];
    for (let depth = 1; depth < 4; depth += 1) {
      authority = await authority.issueAuthority({ name: `Large ${depth}`, keyType: 'P-521', extensions: [filling] });
      above.unshift(authority.certificate);
    }
    const leaf = await authority.issue({ name: 'Issuer', dnsNames: ['issuer.example'] });
    const issuer = { chain: [leaf.certificate, ...above], key: leaf.privateKey };
    return answerWith(
      world,
      credentialsOf(
        world,
        OPEN_TYPE,
        upTo(25, () => issuer),
      ),
    );
  },
};

/** Certificate chains: the presenter chooses them, and every signature in them takes time. */
export const CHAIN_KINDS = [OWN_CHAINS, SHORTER_CHAINS, CHAINS_TAKEN, FORGED_CHAINS, DENSE_CERTIFICATES, SAME_CHAIN];
