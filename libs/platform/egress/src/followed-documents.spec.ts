import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@vestibule/testkit';
import type { EgressResponse } from './egress';
import {
  createFollowedDocuments,
  restSeconds,
  type DocumentSource,
  type FollowedDocuments,
  type FollowedDocumentsOptions,
} from './followed-documents';
import { createKeptCopy } from './kept-copy';

const opened: FollowedDocuments<number>[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-kept-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((documents) => documents.close()));
  rmSync(folder, { recursive: true });
});

const response = (body: string, more: Partial<EgressResponse> = {}): EgressResponse => ({
  status: 200,
  contentType: undefined,
  body: Buffer.from(body),
  finalUrl: '',
  ...more,
});
/** A document is a number, and never becomes smaller. */
const source = (key = 'a'): DocumentSource<number> => ({
  key,
  name: key,
  url: `https://host.example/${key}`,
  async read(bytes, previous = 0) {
    const value = Number(Buffer.from(bytes).toString());
    if (!(value >= previous)) throw new RangeError(`${value} after ${previous}`);
    return Promise.resolve(value);
  },
});

function open(answer: () => EgressResponse, more: Partial<FollowedDocumentsOptions<number>> = {}) {
  const events: string[] = [];
  const documents = createFollowedDocuments<number>({
    egress: { get: () => new Promise((resolve) => resolve(answer())) },
    get: { purpose: 'trust-lists', accept: '*/*', maxBytes: 100, timeoutMilliseconds: 1_000, maxRedirects: 0 },
    refreshSeconds: 0.005,
    chance: () => 0,
    onChange: ({ name }, value, from) => events.push(`${name} ${value} ${from}`),
    onFailure: ({ name }, error, at) => events.push(`${name} ${(error as Error).name} ${at}`),
    ...more,
  });
  opened.push(documents);
  return { ...documents, events };
}

describe('documents that are followed', () => {
  it('change with each version that is better, and stay with each that is not', async () => {
    let body = '1';
    const { follow, find, events } = open(() => response(body));
    follow([source()]);
    await until(() => find('a') === 1);
    body = '3';
    await until(() => find('a') === 3);
    body = '2';
    await until(() => events.some((event) => event === 'a RangeError network'));
    expect(find('a')).toBe(3);
  });

  it.each([
    ['another status', () => response('5', { status: 404 })],
    ['not modified, although nothing is there', () => response('', { status: 304, etag: '"a"' })],
    [
      'a failure',
      () => {
        throw new TypeError('away');
      },
    ],
  ])('are not known by %s', async (_, answer) => {
    const { follow, find, isTried, settled, events } = open(answer);
    follow([source()]);
    expect(isTried()).toBe(false);
    await settled();
    expect([isTried(), find('a'), events.length]).toEqual([true, undefined, 1]);
  });

  it('of other sources are forgotten', async () => {
    const { follow, find, settled } = open(() => response('1'));
    follow([source('a'), source('b')]);
    await settled();
    follow([source('b')]);
    expect([find('a'), find('b')]).toEqual([undefined, 1]);
  });

  it('are not fetched any more once they are closed', async () => {
    let calls = 0;
    const { follow, close, settled } = open(() => response(String((calls += 1))));
    follow([source()]);
    await settled();
    await close();
    const before = calls;
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(before);
  });

  it('begin with the copy of the last process, and a copy that is refused is not used', async () => {
    const keptCopyOf = ({ name, url }: DocumentSource<number>) => createKeptCopy(folder, name, url, 100);
    const first = open(() => response('7'), { keptCopyOf });
    first.follow([source()]);
    await first.settled();
    const away = () => {
      throw new TypeError('away');
    };
    const second = open(away, { keptCopyOf });
    second.follow([source()]);
    await second.settled();
    expect([second.find('a'), second.events]).toEqual([7, ['a 7 kept copy', 'a TypeError network']]);
    const third = open(() => response('6'), { keptCopyOf });
    third.follow([source()]);
    await third.settled();
    expect([third.find('a'), third.events]).toEqual([7, ['a 7 kept copy', 'a RangeError network']]);
    const [file = ''] = readdirSync(folder);
    for (const content of ['broken', '1'.repeat(101)]) {
      writeFileSync(path.join(folder, file), content);
      const fourth = open(away, { keptCopyOf });
      fourth.follow([source()]);
      await fourth.settled();
      expect(fourth.find('a')).toBeUndefined();
    }
  });

  it('are used even if their copy cannot be written', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const keptCopyOf = ({ name, url }: DocumentSource<number>) =>
      createKeptCopy(path.join(folder, 'file', 'folder'), name, url, 100);
    const { follow, settled, find, events } = open(() => response('1'), { keptCopyOf });
    follow([source()]);
    await settled();
    expect([find('a'), events.at(-1)]).toEqual([1, 'a Error kept copy']);
  });
});

describe('the rest before the next attempt', () => {
  it('grows with failures up to that after a success, give or take a tenth', () => {
    const rests = [0, 1, 2, 3, 7, 8, 1_000].map((failures) => restSeconds(failures, 3_600, 0.5));
    expect(rests).toEqual([3_600, 30, 60, 120, 1_920, 3_600, 3_600]);
    expect([restSeconds(0, 100, 0), restSeconds(0, 100, 1)].map(Math.round)).toEqual([90, 110]);
  });
});
