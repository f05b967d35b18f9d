import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makePastingPlace, paste, type PastedBlock, type PastingPlace } from './pasted-page';
import { joinStage, type SharedStage } from './stage';

const root = path.resolve(__dirname, '../..');
const MANAGEMENT = 'http://127.0.0.1:8081';
const PUBLIC = 'http://127.0.0.1:8080';
/** What readers paste into the folder they are in. */
const WALLET_FILE = 'card.json';

type Members = Readonly<Record<string, unknown>>;

/** A call that a page prints, and the JSON below it that it must give, if any. */
interface PrintedCall {
  readonly code: string;
  readonly answer: Members | undefined;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names and types of a document, without its values: those of a state or a key are others each time. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isObject(value)) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, shapeOf(member)]),
  );
}

let stage: SharedStage;
let place: PastingPlace;
beforeAll(async () => {
  stage = await joinStage();
  place = makePastingPlace({});
});
afterAll(async () => {
  place?.remove();
  await stage?.stop();
});

/** A page with the addresses of this stage in place of those of `npm start`. */
function readPage(file: string): string {
  const { managementUrl, issuerUrl } = stage.stack;
  const text = readFileSync(path.join(root, file), 'utf8');
  return text.replaceAll(MANAGEMENT, managementUrl).replaceAll(PUBLIC, issuerUrl);
}

/** The blocks that begin with a call. */
function printedCalls(text: string): readonly PrintedCall[] {
  const blocks = [...text.matchAll(/^```\n(curl [\s\S]*?)^```\n(?:\n```json\n([\s\S]*?)^```\n)?/gm)];
  return blocks.map(([, code = '', answer]) => ({
    code: code.replaceAll(WALLET_FILE, `"$TMPDIR/${WALLET_FILE}"`),
    answer: answer === undefined ? undefined : (JSON.parse(answer) as Members),
  }));
}

/** What a call sends. */
const bodyOf = ({ code }: PrintedCall) => JSON.parse(/ -d '([\s\S]*?)'/.exec(code)?.[1] ?? '') as Members;

const blockOf = ({ code }: PrintedCall): PastedBlock => ({ code, output: undefined });

async function pasteAll(calls: readonly PrintedCall[]): Promise<readonly string[]> {
  const { exitCode, printed, said } = await paste(calls.map(blockOf), place);
  expect([exitCode, exitCode === 0 ? '' : said]).toEqual([0, '']);
  return printed;
}

describe('the README', () => {
  it('prints calls that can be pasted, and the answers that they give', async () => {
    const calls = printedCalls(readPage('README.md'));
    expect(calls.map(({ answer }) => answer !== undefined)).toEqual([true, true, false]);
    const printed = await pasteAll(calls);
    const answers = calls.flatMap(({ answer }, index) =>
      answer === undefined ? [] : [[shapeOf(JSON.parse(printed[index] ?? '')), shapeOf(answer)]],
    );
    for (const [given, told] of answers) expect(given).toEqual(told);
    const [redeemed, presented] = (printed[2] ?? '').trim().split('\n');
    expect(JSON.parse(redeemed ?? '')).toMatchObject({ case: 'accept', outcome: 'accepted' });
    expect(JSON.parse(presented ?? '')).toMatchObject({ case: 'accept', outcome: 'accepted', status: 200 });
  });

  it('prints the callbacks of both flows', async () => {
    const text = readPage('README.md');
    const events = [...text.matchAll(/^```json\n([\s\S]*?)^```\n/gm)].map(
      ([, json = '']) => JSON.parse(json) as Members,
    );
    const toldOf = (wanted: string) => shapeOf(events.find(({ status }) => status === wanted));
    const [requestBody = {}, offerBody = {}] = printedCalls(text).map(bodyOf);
    const wallet = stage.createWallet();
    const { body: offer } = await stage.management('POST', '/offers', offerBody);
    await wallet.redeemOffer(String(offer['credential_offer_uri']), { txCode: String(offer['tx_code_value']) });
    const [, issued] = await stage.callbacksOf(String(offer['offer_id']), 2);
    expect(shapeOf(issued)).toEqual(toldOf('ISSUED'));
    const { body: request } = await stage.management('POST', '/oidc4vp', requestBody);
    await wallet.present(String(request['cross_device_request_uri']));
    const [presented] = await stage.callbacksOf(String(request['state']), 1);
    expect(shapeOf(presented)).toEqual(toldOf('FULFILLED'));
  });
});

it('the page about the wallet for tests prints calls that can be pasted', async () => {
  const [both] = printedCalls(readPage('docs/test-wallet.md'));
  const [printed = ''] = both === undefined ? [] : await pasteAll([both]);
  const reports = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Members);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
});
