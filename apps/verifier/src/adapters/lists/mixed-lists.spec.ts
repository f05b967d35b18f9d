import { createCertificateAuthority, toPem, type IssuedCertificate } from '@vestibule/dev-pki';
import { createFolder, type Folder } from '../../testing/key-files.fixture-spec';
import { openListedVerifier } from '../../testing/listed-verifier.fixture-spec';
import { createListHost, issueListSigner, pidList, type ListHost } from '../../testing/trusted-lists.fixture-spec';
import { createWorld, NOW, VCT, type World } from '../../testing/verifier.fixture-spec';

const TYPE = 'https://scheme.example/list';
const ISSUING = 'https://scheme.example/issuing';
const [PID_URL, OTHER_URL] = ['https://lists.example/pid.jwt', 'https://lists.example/other.jwt'];
const EXCHANGEABLE = 'lists of one type and signer can be exchanged by who serves them: set schemeName';
let world: World;
let signer: IssuedCertificate;
let files: Folder;
let host: ListHost;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await createWorld();
  signer = await issueListSigner(await createCertificateAuthority({ name: 'Scheme Root', now: NOW }));
});
beforeEach(() => {
  files = createFolder();
  files.write('scheme.pem', toPem(signer.certificate));
  host = createListHost();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  files.remove();
});

const listed = (certificates: readonly Uint8Array[], schemeName?: string) =>
  pidList(signer, certificates.length === 0 ? [] : [{ type: ISSUING, certificates }], {
    type: TYPE,
    ...(schemeName === undefined ? {} : { schemeName }),
  });

/** Two lists of one operator and one type: the world's issuer is on that for other types of credentials. */
async function open(names: readonly [pid?: string, other?: string], urls = [PID_URL, OTHER_URL]) {
  const settings = { signers: ['scheme.pem'], type: TYPE, services: { [ISSUING]: ['credential', 'status'] } };
  const named = (schemeName?: string) => (schemeName === undefined ? {} : { schemeName });
  const lists = [
    { ...settings, id: 'pid', url: urls[0], vcts: [VCT], ...named(names[0]) },
    { ...settings, id: 'other', url: urls[1], vcts: ['urn:example:other:1'], ...named(names[1]) },
  ];
  const verifier = openListedVerifier({ world, files, host, begin: NOW }, { lists }, {});
  closing.push(verifier.close);
  await verifier.tried();
  return verifier;
}

const warned = ({ logger }: Awaited<ReturnType<typeof open>>) => JSON.stringify(logger.lines).includes(EXCHANGEABLE);

describe('two lists of trusted entities with one type and one signer', () => {
  const issuer = () => [world.pki.root.certificate];

  it('EU:T1 are told apart by the names of their schemes: neither is used at the address of the other', async () => {
    host.serve(listed(issuer(), 'Other'), { url: PID_URL });
    host.serve(listed([], 'PID'), { url: OTHER_URL });
    const verifier = await open(['PID', 'Other']);
    expect(await verifier.outcome()).toEqual(['PROCESSING_ERROR', 'trusted_list_unavailable']);
    expect(JSON.stringify(verifier.logger.lines)).toContain('trusted_list_scheme_mismatch');
    expect(warned(verifier)).toBe(false);
  });

  it('EU:T1 are used each at its own address, where the name is one of those that the list has', async () => {
    host.serve(listed(issuer(), 'PID'), { url: PID_URL });
    host.serve(listed([], 'Other'), { url: OTHER_URL });
    expect(await (await open(['PID', 'Other'])).outcome()).toEqual(['FULFILLED', undefined]);
    host.serve(listed(issuer()), { url: PID_URL });
    expect(await (await open(['PID', 'Other'])).outcome()).toEqual(['PROCESSING_ERROR', 'trusted_list_unavailable']);
  });

  it.each<readonly [string, readonly [pid?: string, other?: string]]>([
    ['no name', []],
    ['one name', ['PID']],
    ['the same name', ['PID', 'PID']],
  ])('are named in the log if they can be exchanged, having %s', async (_what, names) => {
    host.serve(listed([], 'PID'), { url: PID_URL });
    expect(warned(await open(names))).toBe(true);
  });

  it('are no two if they have one address: nobody can exchange a list that is used twice', async () => {
    host.serve(listed(issuer(), 'PID'), { url: PID_URL });
    const verifier = await open(['PID', 'PID'], [PID_URL, PID_URL]);
    expect([warned(verifier), await verifier.outcome()]).toEqual([false, ['FULFILLED', undefined]]);
  });
});
