import { errors, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { MAX_PAYLOAD_BYTES, toWireError } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { finding, type Check, type Finding, type NatsConfiguration } from '@vestibule/process';
import { connectToNats } from './connect';
import { UNDERSTOOD, writeContractVersion } from './contract-version';
import { writeAnswerBy } from './headers';
import { readNatsAccess } from './nats-access';
import { writeQuestion, writeReply } from './packet';

const CONNECT_MILLISECONDS = 8_000;
/** Permissions that are named in one finding; the rest is counted. */
const NAMED = 5;

/** What a process does on the bus. */
export interface BusUse {
  /** Its name there, and its queue group. */
  readonly name: string;
  /** The subjects that it answers. */
  readonly answered?: readonly string[];
  /** The subjects that it asks. */
  readonly asked?: readonly string[];
}

const SUBSCRIBE = 'subscription';

/** Notes what NATS refuses on a connection, until it is closed. */
async function noteRefusals(connection: NatsConnection, refused: Set<string>): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
    const { operation, subject } = status.error;
    refused.add(`${operation === SUBSCRIBE ? 'subscribe' : 'publish'} ${subject}`);
  }
}

/** A question that arrives in this moment is not lost: its asker is told immediately to ask again. */
function decline(message: Msg): void {
  const error = new DomainError({
    kind: 'unavailable',
    code: 'service_unavailable',
    detail: 'a service is unavailable',
  });
  message.respond(writeReply({ ok: false, error: toWireError(error) }, UNDERSTOOD.newest));
}

/** Joins the queue of each subject, as the service does, and leaves it with the next bytes. */
async function tryToAnswer(connection: NatsConnection, { name, answered = [] }: BusUse): Promise<void> {
  const left = answered.map((subject) => {
    const callback = (error: Error | null, message: Msg) => (error ? undefined : decline(message));
    return connection.subscribe(subject, { queue: name, callback }).drain();
  });
  // Leaving fails where joining was refused, which is noted.
  await Promise.allSettled(left);
}

/** Publishes a question that is already too late, which every service drops unread. */
function tryToAsk(connection: NatsConnection, { name, asked = [] }: BusUse): void {
  const context = writeContractVersion(writeAnswerBy(headers(), new Date(1_000_000_000_000)), UNDERSTOOD.newest);
  const inbox = `_INBOX_${name}.doctor.1`;
  if (asked.length > 0) connection.subscribe(inbox, { callback: () => undefined });
  for (const subject of asked) connection.publish(subject, writeQuestion({}), { headers: context, reply: inbox });
}

function permissionFindings(refused: ReadonlySet<string>): readonly Finding[] {
  if (refused.size === 0) return [];
  const named = [...refused].sort().slice(0, NAMED).join(', ');
  const more = refused.size > NAMED ? ` and ${refused.size - NAMED} more` : '';
  return [finding('nats_permission_missing', `the user may not ${named}${more}`)];
}

/**
 * NATS as one process sees it: connection, TLS, login and message size, and each permission that it needs. Services log that
 * a question of the gateway came too late; nobody is disturbed otherwise.
 */
export function busCheck(use: BusUse): Check<NatsConfiguration> {
  return {
    name: 'nats',
    async run({ configuration, logger }) {
      const abort = AbortSignal.timeout(CONNECT_MILLISECONDS);
      const quiet = { ...logger, warn: () => undefined, error: () => undefined };
      const access = readNatsAccess(configuration);
      const options = { ...access, name: use.name, logger: quiet, payloadBytes: MAX_PAYLOAD_BYTES };
      const connected = await connectToNats(options, abort);
      if (!connected) return [finding('nats_unreachable', access.servers.join(', '))];
      const { connection } = connected;
      try {
        const refused = new Set<string>();
        void noteRefusals(connection, refused);
        tryToAsk(connection, use);
        await tryToAnswer(connection, use);
        // NATS refuses in order: what it has not refused before this answer, it has accepted.
        await connection.flush();
        return permissionFindings(refused);
      } finally {
        await connection.close();
      }
    },
  };
}
