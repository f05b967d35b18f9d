import { startOtlpStub, type ExportedSpan, type OtlpStub } from '@vestibule/dev-stack';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

const CANARY = 'canary-claim-0123456789';
const FOREIGN_TRACE = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;

let collector: OtlpStub;
let stage: Stage;
let seen: { readonly state: string; readonly uris: readonly string[]; readonly code: string };

/** Flows with every process exporting, and all that was exported when each of them has stopped. */
beforeAll(async () => {
  collector = await startOtlpStub();
  const environment = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  stage = await startStage({
    apps: ['gateway', 'verifier', 'issuer'],
    environment: { gateway: environment, verifier: environment, issuer: environment },
  });
  const wallet = stage.createWallet();
  await issueTo(stage, wallet, { given_name: CANARY, family_name: CANARY });
  const offer = await offerCredential(stage, { claims: { given_name: CANARY, family_name: CANARY } });
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  await stage.callbacksOf(state, 1);
  await fetch(`${stage.stack.baseUrl}/oidc4vp/${state}/request?secret=${CANARY}`, {
    headers: { traceparent: FOREIGN_TRACE },
  });
  await stage.management('GET', `/oidc4vp/${state}`, undefined, { traceparent: FOREIGN_TRACE });
  seen = { state, uris: [crossDevice, offer.uri], code: offer.offerId };
  await stage.stop();
});
afterAll(() => collector?.stop());

const routeOf = ({ attributes }: ExportedSpan) => attributes['http.route'];
const traceOf = (route: string) => {
  const root = collector.spans().find((span) => routeOf(span) === route);
  return collector.spans().filter(({ traceId }) => traceId === root?.traceId);
};

describe('19.2 traces', () => {
  it('are one from the request of a wallet over the bus to Postgres and the callback', () => {
    const trace = traceOf('/oidc4vp/:state/response');
    const names = trace.map(({ service, name }) => `${service}: ${name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'gateway: HTTP POST',
        'gateway: ask verifier.presentation.submit',
        'verifier: answer verifier.presentation.submit',
        'verifier: update verifier.presentation_request',
        'verifier: post callback',
      ]),
    );
    const [root, ...more] = trace.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect([root?.name, more]).toEqual(['HTTP POST', []]);
    const ids = new Set(trace.map(({ spanId }) => spanId));
    expect(trace.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
  });

  it('of an issuance reach the issuer and its tables', () => {
    const names = traceOf('/oidc4vci/credential').map(({ service, name }) => `${service}: ${name}`);
    expect(names).toEqual(expect.arrayContaining(['issuer: answer issuer.credential.issue']));
    expect(names.some((name) => /^issuer: (?:insert|update|delete) issuer\./.test(name))).toBe(true);
  });

  it('continue those of backends, and never those that a wallet names', () => {
    const foreign = FOREIGN_TRACE.split('-')[1];
    const roots = collector.spans().filter(({ traceId, name }) => traceId === foreign && name.startsWith('HTTP'));
    expect(roots.map(({ attributes }) => attributes['vestibule.listener'])).toEqual(['management']);
  });

  it('carry no claim, no id of a flow, no address and no query: only what the closed list has', () => {
    const exported = collector.raw();
    expect(exported.length).toBeGreaterThan(10_000);
    const secrets = [CANARY, seen.state, seen.code, ...seen.uris, 'secret=', stage.stack.files.secrets.sealingKey];
    for (const secret of secrets) expect(exported).not.toContain(secret);
    const names = new Set(collector.spans().flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].filter((name) => !/^(?:http\.(?:route|request\.method|response\.status_code)|vestibule\.(?:listener|result)|messaging\.destination\.name|db\.query\.summary)$/.test(name))).toEqual([]); // prettier-ignore
  });
});
