import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { choosePort, writeRunning } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { makePastingPlace, paste, readPastedBlocks, type PastingPlace } from './pasted-page';
import { shapeOf } from './shortened-json';
import { startStage, type Stage } from './stage';

const FOLDER = path.resolve(__dirname, '../../docs/tutorials');
const PAGES = readdirSync(FOLDER).filter((name) => name !== 'README.md');

const OWN_TYPE_PAGE = 'own-type.md';
const NEW_TYPE = 'bank-customer.json';

/** What `npm start` does beside a stack: it signs callbacks, and says where it listens and where backends may. */
async function startLikeNpmStart(): Promise<Stage> {
  const backendUrl = `http://127.0.0.1:${await choosePort(0, 0)}`;
  const callbackSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const signed = { CALLBACK_SECRETS: callbackSecret, CALLBACK_ORIGINS: backendUrl };
  const environment = { verifier: signed, issuer: { ...signed, STATUS_LIST_TTL_SECONDS: '30' } };
  const started = await startStage({ environment });
  const { dataFolder, files, managementUrl, baseUrl, issuerUrl } = started.stack;
  const secrets = JSON.stringify({ ...files.secrets, callbackSecret });
  writeFileSync(path.join(files.folder, 'secrets.json'), secrets);
  writeRunning(dataFolder, { managementUrl, baseUrl, issuerUrl, backendUrl });
  return started;
}

let stage: Stage;
let place: PastingPlace;
beforeAll(async () => {
  stage = await startLikeNpmStart();
  place = makePastingPlace({ DATA_FOLDER: stage.stack.dataFolder });
});
afterAll(async () => {
  place?.remove();
  await stage?.stop();
});

it('21.7 the walk through the wallet content API can be pasted, and each call gives the answer that stands below it', async () => {
  const blocks = readPastedBlocks('wallet-walk.md');
  const { exitCode, printed, said } = await paste(blocks, place);
  expect([exitCode, exitCode === 0 ? '' : said]).toEqual([0, '']);
  const calls = blocks.map(({ code, output }, index) => ({ code, output, got: printed[index] ?? '' })).slice(1);
  expect(calls.length).toBe(14);
  for (const { code, output, got } of calls) {
    const told = JSON.parse(output?.text ?? '') as unknown;
    expect([code, shapeOf(JSON.parse(got), told)]).toEqual([code, shapeOf(told)]);
  }
});

/** Does what the page about types asks its reader to do in the other terminal: starts the issuer again once there is a new type. */
async function restartOnNewType(): Promise<void> {
  const types = path.join(stage.stack.files.folder, 'types');
  await until(
    () =>
      existsSync(path.join(types, NEW_TYPE)) &&
      readFileSync(path.join(types, 'issuance.json'), 'utf8').includes('bank-customer'),
  );
  await stage.stack.process('issuer').restart();
}

describe('21.5 the tutorial', () => {
  it.each(PAGES)('%s can be pasted, and prints what it says', async (page) => {
    const blocks = readPastedBlocks(`tutorials/${page}`);
    const told = blocks.map(({ output }) => output?.text);
    expect(told.filter((text) => text !== undefined).length).toBeGreaterThan(2);
    const restarted = page === OWN_TYPE_PAGE ? restartOnNewType() : undefined;
    const { exitCode, printed, said } = await paste(blocks, place);
    await restarted;
    const compared = printed.map((text, index) => (told[index] === undefined ? undefined : text));
    expect({ compared, exitCode, said: exitCode === 0 ? '' : said }).toEqual({ compared: told, exitCode: 0, said: '' });
  });

  it('list names each of them', () => {
    const list = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
    expect(PAGES.filter((page) => !list.includes(`(${page})`))).toEqual([]);
  });
});
