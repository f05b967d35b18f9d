import { X509Certificate, X509ChainBuilder } from '@peculiar/x509';
import { createCertificateAuthority, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { parseCertificate, verifyChain } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const past = new Date('2026-02-28T12:00:00Z');
const future = new Date('2026-03-02T12:00:00Z');

type Certified = Pick<IssuedCertificate, 'certificate'>;

let root: Authority;
let intermediate: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  intermediate = await root.issueAuthority({ name: 'Intermediate', pathLength: 0 });
});

function failureOf(chain: readonly Certified[]): unknown {
  const anchors = [{ certificate: parseCertificate(root.certificate), purposes: ['credential' as const] }];
  const certificates = chain.map(({ certificate }) => parseCertificate(certificate));
  try {
    return verifyChain(certificates, anchors, { now, purpose: 'credential' }).anchor === anchors[0] ? 'none' : 'other';
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

/** How many certificates a builder of chains puts above and including the leaf. */
async function builtLength(chain: readonly Certified[]): Promise<number> {
  const [leaf, ...others] = [...chain, root].map(({ certificate }) => new X509Certificate(new Uint8Array(certificate)));
  const built = await new X509ChainBuilder({ certificates: others }).build(leaf as X509Certificate);
  return built.length;
}

const under = async (authority: Authority, options: Parameters<Authority['issue']>[0], above: Certified[]) => [
  await authority.issue(options),
  ...above,
];

const faulty: Readonly<Record<string, () => Promise<Certified[]>>> = {
  certificate_expired: () => under(intermediate, { name: 'Leaf', notAfter: past }, [intermediate]),
  certificate_not_yet_valid: () => under(intermediate, { name: 'Leaf', notBefore: future }, [intermediate]),
  issuer_not_ca: async () => {
    const impostor = await root.issueAuthority({ name: 'No CA', ca: false, keyUsages: ['keyCertSign'] });
    return under(impostor, { name: 'Leaf' }, [impostor]);
  },
  path_length_exceeded: async () => {
    const lower = await intermediate.issueAuthority({ name: 'Lower CA' });
    return under(lower, { name: 'Leaf' }, [lower, intermediate]);
  },
  leaf_key_usage: () => under(intermediate, { name: 'Leaf', keyUsages: ['keyAgreement'] }, [intermediate]),
};

describe('a chain that can be built', () => {
  it('VP:N10 is accepted when nothing is wrong with it', async () => {
    const chain = await under(intermediate, { name: 'Leaf' }, [intermediate]);
    expect([await builtLength(chain), failureOf(chain)]).toEqual([3, 'none']);
  });

  it.each(Object.keys(faulty))('VP:N10 is not thereby valid: %s', async (code) => {
    const chain = (await faulty[code]?.()) ?? [];
    expect([await builtLength(chain), failureOf(chain)]).toEqual([chain.length + 1, code]);
  });
});
