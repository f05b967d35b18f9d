import { existsSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { claims } from './attempts';
import { createBench, type Attempt, type OwnBench } from './checklist-bench';
import type { JwtDraft } from './handmade-credential';
import { encryptResponse, postForm } from './handmade-wallet';
import { startStatusHost, statusToken, type StatusHost } from './status-host';

let bench: OwnBench;
let host: StatusHost;
beforeAll(async () => {
  bench = await createBench();
  host = await startStatusHost({ openDoor: bench.stage.openDoor });
});
afterAll(async () => {
  await bench?.stop();
  await host?.stop();
});

describe('a verifier of whose memory nobody else makes use', () => {
  let served = 0;
  const referringTo = (change?: (right: JwtDraft) => Partial<JwtDraft>): Attempt => {
    const uri = host.serve(`/lists/${(served += 1)}`, (address) => statusToken(address, bench.pki.issuer, change));
    return claims({ status: { status_list: { idx: 0, uri } } });
  };
  const atOnce = (count: number, make: () => Attempt) =>
    Promise.all(Array.from({ length: count }, () => bench.attempt(make())));

  const onLinux = existsSync('/proc/self/status') ? it : it.skip;
  onLinux('VP:O10 VP:O19 has as much of it as before after a status list that inflates to 64 MiB', async () => {
    const pid = bench.stage.pidOf('verifier');
    /** The highest that the memory of the process has ever been. */
    const peak = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
    const lst = deflateSync(Buffer.alloc(67_108_864)).toString('base64url');
    const bomb = ({ payload }: JwtDraft) => ({ payload: { ...(payload as object), status_list: { bits: 2, lst } } });
    // What it needs for good lists it has then.
    for (let round = 0; round < 5; round += 1) await atOnce(8, () => referringTo());
    const before = peak();
    const endings = await atOnce(8, () => referringTo(bomb));
    expect(endings.map(({ codes }) => codes)).toEqual(endings.map(() => ['status_list_too_large']));
    expect(before).toBeGreaterThan(0);
    expect(peak() - before).toBeLessThan(67_108_864);
  });
});

describe('VP:D9 what this side lacks', () => {
  it('VP:G8 a service that is down leaves the request open: 503, and the same answer is taken afterwards', async () => {
    const verifier = bench.stage.stack.process('verifier');
    const [request, other] = [await bench.ask(), await bench.ask()];
    const response = await encryptResponse(request, JSON.stringify({ error: 'access_denied', state: request.state }));
    await verifier.stop();
    const down = await postForm(request.responseUri, { response });
    expect([down.status, JSON.parse(down.text)]).toEqual([
      503,
      { error: 'server_error', error_description: 'the service is temporarily unavailable' },
    ]);
    expect(down.headers.get('content-type')).toMatch(/^application\/json/);
    expect([down.headers.get('cache-control'), down.headers.get('location')]).toEqual(['no-store', null]);
    await verifier.restart();
    expect((await bench.endOf(request.state, down)).status).toBe('PENDING');
    const again = await postForm(request.responseUri, { response });
    expect((await bench.endOf(request.state, again)).status).toBe('REJECTED');
    expect((await bench.answer(other)).status).toBe('FULFILLED');
  });
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());
