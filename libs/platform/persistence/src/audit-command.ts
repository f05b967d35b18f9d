import { once } from 'node:events';
import { ApiError, ProcessingFailure } from '@vestibule/foundation';
import { AuditChain, parseHead, renderHead, type AuditHead } from './audit-chain';
import { auditTable, type AuditRow } from './audit-table';
import type { Database } from './database';

/** Where the lines go: standard output, whose reader may be slower than Postgres. */
export interface LineSink {
  /** False: wait for `drain`. */
  write(line: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface AuditCommandOptions {
  readonly database: Pick<Database, 'query'>;
  readonly schema: string;
  readonly output: LineSink;
}

/** What the command line asks for. */
interface Wanted {
  readonly isVerification: boolean;
  readonly expected: AuditHead | undefined;
  readonly after: AuditHead | undefined;
}

const PAGE = 1_000;
const USAGE = 'audit [--verify] [--expect-head <seq>:<hash>] [--after <seq>:<hash>]';

const pageSql = (schema: string): string => `
  SELECT seq, record, hash FROM ${auditTable(schema)} WHERE seq > $1::bigint ORDER BY seq LIMIT ${PAGE}`;

function usage(message: string): ApiError {
  return new ApiError({ kind: 'invalid', code: 'command_invalid', detail: `${message}; usage: ${USAGE}` });
}

function headFrom(text: string | undefined, option: string): AuditHead {
  const head = text === undefined ? undefined : parseHead(text);
  if (head) return head;
  throw usage(`${option} needs a head as --verify prints it: <seq>:<hash>`);
}

function parseArguments(argv: readonly string[]): Wanted {
  const [rest, heads] = [[...argv], new Map<string, AuditHead>()];
  let isVerification = false;
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    const isHead = option === '--expect-head' || option === '--after';
    if (option === '--verify') isVerification = true;
    else if (isHead && !heads.has(option)) heads.set(option, headFrom(rest.shift(), option));
    else throw usage('an option is unknown or repeated');
  }
  const expected = heads.get('--expect-head');
  if (expected && !isVerification) throw usage('--expect-head needs --verify');
  const after = heads.get('--after');
  if (expected && after && expected.seq < after.seq)
    throw usage('--expect-head is before --after, and is not verified');
  return { isVerification, expected, after };
}

async function* rowsAfter({ database, schema }: AuditCommandOptions, after: bigint): AsyncGenerator<AuditRow> {
  let last = String(after);
  for (;;) {
    const page: readonly AuditRow[] = await database.query<AuditRow>(pageSql(schema), [last]);
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1)?.seq ?? last;
  }
}

/** The record as a member of a line; as text if somebody has put there what we would never write. */
function memberOf(record: string): string {
  try {
    return JSON.stringify(JSON.parse(record)) === record ? record : JSON.stringify(record);
  } catch {
    return JSON.stringify(record);
  }
}

const lineOf = ({ seq, record, hash }: AuditRow): string =>
  `{"seq":${seq},"hash":"${hash.toString('hex')}","record":${memberOf(record)}}\n`;

async function verify(options: AuditCommandOptions, { expected, after }: Wanted): Promise<void> {
  const chain = new AuditChain(expected, after);
  let records = 0;
  // Also rows before the first one that is expected: none has a place there.
  for await (const row of rowsAfter(options, after?.seq ?? -1n)) {
    chain.add(row);
    records += 1;
  }
  const broken = chain.end();
  if (broken) {
    options.output.write(`broken\t${broken.seq}\t${broken.fault}\n`);
    throw new ProcessingFailure('audit_chain_broken', `record ${broken.seq} ${broken.fault}`);
  }
  options.output.write(`whole\t${records}\t${renderHead(chain.head)}\n`);
}

async function exportRecords(options: AuditCommandOptions, { after }: Wanted): Promise<void> {
  for await (const row of rowsAfter(options, after?.seq ?? -1n)) {
    if (!options.output.write(lineOf(row))) await once(options.output as never, 'drain');
  }
}

/**
 * The operator's command for the audit trail of one service: prints every record as a line of JSON, or verifies the
 * chain and prints its length and head. Throws `command_invalid`, and `audit_chain_broken` with the first broken record.
 */
export async function auditCommand(options: AuditCommandOptions, argv: readonly string[]): Promise<void> {
  const wanted = parseArguments(argv);
  await (wanted.isVerification ? verify : exportRecords)(options, wanted);
}
