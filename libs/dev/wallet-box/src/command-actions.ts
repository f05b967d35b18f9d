import { createWalletBox, UnknownCaseError, type WalletBox } from './box';
import type { IssuerIdentity } from './mint';
import { WALLET_PROFILES, type WalletProfile } from './profiles';
import type { WalletReport } from './report';
import { FileFault, findWallet, readIssuerIdentity, readWallet, writeWallet } from './wallet-file';

/** What `vestibule` passes to a command. */
export interface WalletInput {
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  readonly host: {
    read(): Promise<string>;
    print(line: string): void;
    report(line: string): void;
  };
}

const SLOW_MILLISECONDS = 5_000;
const OUTCOMES = ['accepted', 'refused', 'stopped'];

/** The command line is wrong: exit code 2. */
class Misuse extends Error {}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

type Answer = Readonly<Record<string, unknown>>;

function parseAnswer(text: string): Answer {
  if (!text.startsWith('{')) return { address: text };
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new Misuse('what is on standard input begins as JSON but is none');
  }
}

/** An error of the API that was piped instead of an answer, in one line. */
function errorIn({ detail, errors, code }: Answer): string | undefined {
  if (typeof detail !== 'string') return undefined;
  const faults = Array.isArray(errors) ? (errors as readonly { path?: string; message?: string }[]) : [];
  const told = [detail, ...faults.map(({ path, message }) => `${path} ${message}`)].join('; ');
  return typeof code === 'string' ? `${told} [${code}]` : told;
}

/** The address that was named, or that of the answer of POST /offers or POST /oidc4vp on standard input. */
async function findAddress(input: WalletInput, argument: string, member: string) {
  const named = input.arguments[argument];
  const answer = named === undefined ? parseAnswer((await input.host.read()).trim()) : { address: named };
  const address = answer['address'] ?? answer[member];
  if (typeof address !== 'string' || address === '') {
    throw new Misuse(errorIn(answer) ?? `there is no ${argument}: name it or pipe it`);
  }
  const code = answer['tx_code_value'];
  return { address, txCode: input.options['tx-code'] ?? (typeof code === 'string' ? code : undefined) };
}

function findIssuer({ options }: WalletInput): IssuerIdentity | undefined {
  const { 'issuer-chain': chain, 'issuer-key': key } = options;
  if (chain === undefined && key === undefined) return undefined;
  if (chain === undefined || key === undefined) throw new Misuse('--issuer-chain and --issuer-key belong together');
  return readIssuerIdentity(chain, key);
}

function findProfile({ options: { profile: name } }: WalletInput): WalletProfile | undefined {
  if (name === undefined) return undefined;
  const found = WALLET_PROFILES.find((profile) => profile.name === name);
  if (found) return found;
  throw new Misuse(`unknown profile: ${name}; known: ${WALLET_PROFILES.map((profile) => profile.name).join(', ')}`);
}

function openBox(input: WalletInput): WalletBox {
  const issuer = findIssuer(input);
  const profile = findProfile(input);
  return createWalletBox({
    now: () => new Date(),
    wait: pause,
    slowMilliseconds: SLOW_MILLISECONDS,
    ...(issuer ? { issuer } : {}),
    ...(profile ? { profile } : {}),
    confirms: input.options['confirm'] !== undefined,
  });
}

/** Prints the report; the exit code says whether it is what was expected. */
function tell({ host, options }: WalletInput, report: WalletReport): number {
  const expected = options['expect'] ?? report.expected;
  host.print(JSON.stringify({ ...report, expected, asExpected: report.outcome === expected }));
  const why = [report.status, report.error, report.detail].filter((part) => part !== undefined).join(', ');
  host.report(`${report.outcome}${why === '' ? '' : ` (${why})`}; expected: ${expected}`);
  return report.outcome === expected ? 0 : 1;
}

/** Runs an action; what is wrong with the command line or its files is said in one sentence. */
async function run(input: WalletInput, action: () => Promise<number>): Promise<number> {
  const { expect } = input.options;
  try {
    if (expect !== undefined && !OUTCOMES.includes(expect)) throw new Misuse(`--expect is ${OUTCOMES.join(', ')}`);
    return await action();
  } catch (error) {
    const isMisuse = error instanceof Misuse || error instanceof UnknownCaseError;
    if (!isMisuse && !(error instanceof FileFault)) throw error;
    input.host.report(isMisuse ? `${error.message}\nvestibule wallet --help explains it` : error.message);
    return 2;
  }
}

/** `vestibule wallet redeem`. */
export function redeem(input: WalletInput): Promise<number> {
  return run(input, async () => {
    const { address, txCode } = await findAddress(input, 'offer-uri', 'credential_offer_uri');
    const { credential: file, misbehave = 'accept' } = input.options;
    const box = openBox(input);
    const saved = file === undefined ? undefined : findWallet(file);
    if (saved) await box.wallet.restore(saved);
    const report = await box.redeem(misbehave, address, txCode);
    if (file !== undefined && report.credentials.length > 0) writeWallet(file, await box.wallet.save());
    return tell(input, report);
  });
}

/** `vestibule wallet present`. */
export function present(input: WalletInput): Promise<number> {
  return run(input, async () => {
    const { address } = await findAddress(input, 'request-uri', 'cross_device_request_uri');
    const { credential: file, misbehave = 'accept' } = input.options;
    const box = openBox(input);
    if (file !== undefined) await box.wallet.restore(readWallet(file));
    return tell(input, await box.present(misbehave, address));
  });
}
