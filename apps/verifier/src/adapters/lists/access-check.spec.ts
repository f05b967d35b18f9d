import { createCertificateAuthority } from '@vestibule/dev-pki';
import { createChainVerifier, parseCertificate, type TrustAnchor, type TrustCoverage } from '@vestibule/x509-trust';
import { createMemoryLogger } from '../../testing/key-files.fixture-spec';
import { base64, createWorld, NOW, type World } from '../../testing/verifier.fixture-spec';
import { createAccessCheck } from './access-check';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const anchor = (certificate: Uint8Array, purposes: TrustAnchor['purposes']): TrustAnchor => ({
  certificate: parseCertificate(certificate),
  purposes,
});

function open() {
  const logger = createMemoryLogger();
  const current = {
    anchors: [] as TrustAnchor[],
    missing: undefined as TrustCoverage['missing'],
    isListed: true,
  };
  const check = createAccessCheck({
    logger,
    certificates: () => ({ chainsAt: () => [world.pki.verifier.chain.map(base64)] }),
    trust: () => ({
      chains: createChainVerifier(current.anchors, { maxEntries: 10 }),
      policy: 'auto',
      covered: current.isListed ? [{ purposes: ['access'], missing: current.missing }] : [],
    }),
  });
  return { current, logger, look: () => check(NOW) };
}

describe('18.8 the access certificate of this verifier', () => {
  it('is compared with the list of authorities, and each change of the result is logged once', async () => {
    const { current, logger, look } = open();
    current.anchors = [anchor(world.pki.root.certificate, ['access'])];
    look();
    look();
    expect(logger.levels()).toEqual(['info']);
    const other = await createCertificateAuthority({ name: 'Other', now: NOW });
    current.anchors = [anchor(other.certificate, ['access'])];
    look();
    look();
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { reasons: 'untrusted_issuer' } });
    current.anchors = [anchor(world.pki.root.certificate, ['credential'])];
    look();
    expect(logger.levels()).toEqual(['info', 'warn']);
    current.anchors = [anchor(world.pki.root.certificate, ['access'])];
    look();
    expect(logger.levels()).toEqual(['info', 'warn', 'info']);
  });

  it('is not judged without such a list, and not while it is not known', () => {
    const { current, logger, look } = open();
    current.missing = 'anchors';
    look();
    current.isListed = false;
    look();
    expect(logger.lines).toEqual([]);
  });
});
