import { readFileSync } from 'node:fs';
import path from 'node:path';
import { joinStage, type SharedStage } from './stage';
import { newTenantKey } from './wallet-api';

type Members = Record<string, unknown>;

/** One call of the tutorial: what is sent, and what is answered. */
interface Step {
  readonly call: string;
  readonly body: string | undefined;
  readonly answer: unknown;
}

const TUTORIAL = path.resolve(__dirname, '../../docs/wallet-walk.md');
const BLOCK = /```http\n([A-Z]+ \S+)\n(?:\n([\s\S]*?)\n)?```\s+(?:[^`]*?)```json\n([\s\S]*?)\n```/g;

/** The calls of the tutorial in their order, each with the answer that stands below it. */
function readTutorial(): Step[] {
  return [...readFileSync(TUTORIAL, 'utf8').matchAll(BLOCK)].map(([, call = '', body, answer = '']) => ({
    call,
    body,
    answer: JSON.parse(answer) as unknown,
  }));
}

/** Texts that are other ones in every installation: DIDs, ids, instants, signatures, and the public address. */
const VOLATILE =
  /did:key:z[1-9A-HJ-NP-Za-km-z]+(?:#z[1-9A-HJ-NP-Za-km-z]+)?|\d{4}-\d\d-\d\dT[\d:.]+Z|https?:\/\/[^/"]+(?=\/schemas\/)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\bz[1-9A-HJ-NP-Za-km-z]{80,}|"id":"[\w-]{20,36}"/g;

const SHORTENED = '…';

/** The same shape: equal but for what is other every time, and for what the tutorial leaves out. */
function comparable(value: unknown, cut: unknown): unknown {
  if (cut === SHORTENED) return SHORTENED;
  if (Array.isArray(value) && Array.isArray(cut)) return value.map((item, index) => comparable(item, cut[index]));
  if (typeof value !== 'object' || value === null) return value;
  const known = (cut ?? {}) as Members;
  const kept = Object.entries(value).filter(([name]) => !(SHORTENED in known) || name in known);
  const compared = Object.fromEntries(kept.map(([name, part]) => [name, comparable(part, known[name])]));
  return SHORTENED in known ? { ...compared, [SHORTENED]: SHORTENED } : compared;
}
const shapeOf = (value: unknown) => JSON.stringify(value).replace(VOLATILE, 'volatile');

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage?.stop());

it('the walk of the tutorial works, call by call, with the answers that it shows', async () => {
  const key = await newTenantKey(stage, 'acme');
  const steps = readTutorial();
  expect(steps.map(({ call }) => call.replace(/\?.*/, '').replace(/\{\w+\}/g, '{}'))).toEqual([
    'POST /api/wallet/v1/entity',
    'POST /api/wallet/v1/wallet',
    'POST /schemas',
    'PATCH /schemas/{}/publish',
    'POST /drafts',
    'PATCH /drafts/{}',
    'POST /drafts/{}/issue',
    'GET /credentials/{}/values',
    'POST /api/wallet/v1/vp',
    'POST /api/wallet/v1/vp/{}/issue',
    'POST /api/wallet/v1/entity',
    'POST /api/wallet/v1/wallet',
    'POST /api/wallet/v1/vp/{}/present',
    'GET /api/wallet/v1/credentials',
  ]);
  const names = new Map<string, string>();
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => names.get(name) ?? whole);
  for (const [index, { call, body, answer }] of steps.entries()) {
    const [method = '', address = ''] = filled(call).split(' ');
    const response = await fetch(`${stage.stack.baseUrl}${address}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: filled(body) }),
    });
    const got = (await response.json()) as Members | Members[];
    expect([call, response.ok, JSON.stringify(got).slice(0, 300)]).toEqual([call, true, expect.any(String)]);
    remember(names, index, Array.isArray(got) ? {} : got);
    expect([call, shapeOf(comparable(got, answer))]).toEqual([call, shapeOf(answer)]);
  }
});

/** What later calls of the tutorial name, by the step that made it. */
function remember(names: Map<string, string>, index: number, got: Members): void {
  const data = (got['data'] ?? {}) as Members;
  const made: Record<number, [string, unknown][]> = {
    0: [['entity', got['EntityDid']]],
    1: [['wallet', got['WalletDid']]],
    2: [['schema', got['id']]],
    3: [['meta_schema', data['meta_schema']]],
    4: [['draft', got['id']]],
    8: [['presentation', got['PresentationDid']]],
    10: [['other_entity', got['EntityDid']]],
    11: [['other_wallet', got['WalletDid']]],
  };
  for (const [name, value] of made[index] ?? []) names.set(name, String(value));
}
