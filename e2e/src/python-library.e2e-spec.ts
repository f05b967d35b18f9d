import { spawn, type ChildProcess } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { createPrivateKeyOf } from '@vestibule/dev-pki';
import { PythonMissing, pythonWith } from '@vestibule/testkit';
import { joinBench, type JoinedBench } from './checklist-bench';
import { CLAIMS, issueTo } from './flows';
import { ISSUER, nowSeconds, TYPE, x5cOf, type Members } from './handmade-credential';

const FOLDER = path.resolve(__dirname, '../python');
const CACHE = path.resolve(__dirname, '../../node_modules/.cache');

/** An SD-JWT library that shares no code with this repository: `sd-jwt` with `jwcrypto`, in a process of its own. */
interface Peer {
  /** What it answers; an error is the name of its exception. */
  ask(order: Members): Promise<Record<string, unknown>>;
  stop(): void;
}

function startPeer(python: string): Peer {
  const child: ChildProcess = spawn(python, [path.join(FOLDER, 'sd_jwt_peer.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (!child.stdin || !child.stdout) throw new Error('the program has no pipes');
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(order) {
      stdin.write(`${JSON.stringify(order)}\n`);
      const { value } = await lines.next();
      return JSON.parse(value as string) as Record<string, unknown>;
    },
    stop: () => void child.kill(),
  };
}

/** Undefined where there is no Python: what is not tested then is said. */
function findPython(): string | undefined {
  try {
    return pythonWith(path.join(FOLDER, 'requirements.txt'), CACHE);
  } catch (error) {
    if (!(error instanceof PythonMissing)) throw error;
    process.stderr.write(`credentials are NOT JUDGED by the Python library sd-jwt: ${error.message}\n`);
    return undefined;
  }
}

const python = findPython();
const privateJwk = (key: KeyObject) => key.export({ format: 'jwk' });
const publicJwk = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });

let bench: JoinedBench;
let peer: Peer;
beforeAll(async () => {
  bench = await joinBench();
  if (python !== undefined) peer = startPeer(python);
});
afterAll(async () => {
  peer?.stop();
  await bench?.stop();
});

(python === undefined ? describe.skip : describe)('18.13 the Python library sd-jwt', () => {
  const holder = createPrivateKeyOf('P-256');

  it('verifies what the issuer has issued, claim by claim', async () => {
    const credential = await issueTo(bench.stage, bench.stage.createWallet());
    const { claims } = await peer.ask({ do: 'judge', sdJwt: credential.compact });
    expect(claims).toMatchObject({ ...CLAIMS, iss: credential.payload['iss'], vct: credential.vct });
    expect(claims).toEqual(expect.not.objectContaining({ _sd: expect.anything() as unknown }));
  });

  it('refuses it once its signature, its payload or a disclosure was changed', async () => {
    const { compact } = await issueTo(bench.stage, bench.stage.createWallet());
    const [jwt = '', ...disclosures] = compact.split('~');
    const [head = '', body = '', signature = ''] = jwt.split('.');
    const payload = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as Members), sub: 'somebody else' };
    const other = Buffer.from(JSON.stringify(payload)).toString('base64url');
    const flipped = Buffer.from(signature, 'base64url');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    for (const changed of [`${head}.${other}.${signature}`, `${head}.${body}.${flipped.toString('base64url')}`])
      expect(await peer.ask({ do: 'judge', sdJwt: [changed, ...disclosures].join('~') })).toEqual({
        error: 'InvalidJWSSignature',
      });
    const [first = '', ...rest] = disclosures;
    const [salt, name] = JSON.parse(Buffer.from(first, 'base64url').toString()) as string[];
    const forged = Buffer.from(JSON.stringify([salt, name, 'forged'])).toString('base64url');
    const { claims } = await peer.ask({ do: 'judge', sdJwt: [jwt, forged, ...rest].join('~') });
    expect(claims).not.toHaveProperty(name ?? '');
  });

  /** A credential that the library makes, of the issuer that the verifier trusts. */
  async function issued(more: Members = {}): Promise<string> {
    const { sdJwt } = await peer.ask({
      do: 'issue',
      claims: {
        iss: ISSUER,
        vct: TYPE,
        iat: nowSeconds() - 60,
        exp: nowSeconds() + 3_600,
        family_name: 'Šimůnek',
        given_name: 'Ada',
        address: { locality: 'Köln', country: 'DE' },
      },
      disclosable: ['family_name', 'given_name', 'address'],
      key: privateJwk(bench.pki.issuer.key),
      holder: publicJwk(holder),
      header: { x5c: x5cOf(bench.pki.issuer.chain) },
      ...more,
    });
    return String(sdJwt);
  }
  const disclose = { family_name: true };

  /** How a request ends that is answered with what the library presents. */
  async function ending(sdJwt: string, more: Members = {}, change = (text: string) => text) {
    const request = await bench.ask();
    const order = { do: 'present', sdJwt, disclose, nonce: request.nonce, aud: request.clientId };
    const { presentation } = await peer.ask({ ...order, holder: privateJwk(holder), ...more });
    const { state, status, codes } = await bench.answer(request, {
      vpToken: () => ({ card: [change(String(presentation))] }),
    });
    return { state, ended: [status, ...codes] };
  }

  it('issues and presents what the verifier accepts, and no more than was disclosed', async () => {
    const { state, ended } = await ending(await issued());
    expect(ended).toEqual(['FULFILLED']);
    const { credentials } = await bench.eventOf(state);
    const { card } = credentials as { card: { claims: Members; isTrusted: boolean; kbSignatureIsValid: boolean }[] };
    expect(card).toMatchObject([{ claims: { family_name: 'Šimůnek' }, isTrusted: true, kbSignatureIsValid: true }]);
    expect(Object.keys(card[0]?.claims ?? {})).toEqual(['family_name']);
  });

  it('presents what the verifier refuses: for another request, of another holder, cut, or by another issuer', async () => {
    const sdJwt = await issued();
    const stranger = createPrivateKeyOf('P-256');
    const without = (text: string) => {
      const [jwt, ...rest] = text.split('~');
      return [jwt, ...rest.slice(1)].join('~');
    };
    const cases: readonly [string, Promise<{ ended: readonly unknown[] }>][] = [
      ['key_binding_nonce', ending(sdJwt, { nonce: 'another-nonce' })],
      ['key_binding_audience', ending(sdJwt, { aud: 'x509_hash:another' })],
      ['key_binding_signature', ending(sdJwt, { holder: privateJwk(stranger) })],
      ['key_binding_hash', ending(sdJwt, { disclose: { family_name: true, given_name: true } }, without)],
      ['issuer_signature_invalid', ending(await issued({ key: privateJwk(stranger) }))],
    ];
    for (const [code, attempt] of cases) expect((await attempt).ended).toEqual(['VERIFICATION_FAILED', code]);
  });
});
