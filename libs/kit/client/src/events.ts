import { CallbackError } from './callback-error';
import type { components } from './generated/management';

/** How a presentation request ended; `status` discriminates. */
export type PresentedCredentialsEvent = components['schemas']['PresentedCredentialsEvent'];
/** What became of a credential offer; `status` discriminates. */
export type IssuanceEvent = components['schemas']['IssuanceEvent'];
/** An operator tests the callback URL. */
export type TestEvent = components['schemas']['TestEvent'];

/** An event with its type: `type` discriminates the events, and `event.status` what is in them. */
export type TypedEvent =
  | { readonly type: 'presentedCredentials'; readonly event: PresentedCredentialsEvent }
  | { readonly type: 'issuance'; readonly event: IssuanceEvent }
  | { readonly type: 'test'; readonly event: TestEvent };

type Members = Readonly<Record<string, unknown>>;
type Kind = 'text' | 'lists';

const PRESENTED = { state: 'text' } as const;
const ISSUANCE = { eventId: 'text', offerId: 'text' } as const;
const DETAILS = { errorDetails: 'text' } as const;

/** By type and status: the members that the event must have. A newer version may have more. */
const REQUIRED: Readonly<Record<TypedEvent['type'], Readonly<Record<string, Readonly<Record<string, Kind>>>>>> = {
  presentedCredentials: {
    FULFILLED: { ...PRESENTED, credentials: 'lists' },
    REJECTED: { ...PRESENTED, ...DETAILS },
    PROCESSING_ERROR: { ...PRESENTED, ...DETAILS },
    VERIFICATION_FAILED: { ...PRESENTED, ...DETAILS },
    EXPIRED: PRESENTED,
  },
  issuance: {
    OFFER_CREATED: ISSUANCE,
    ISSUED: ISSUANCE,
    FAILED: { ...ISSUANCE, ...DETAILS },
    EXPIRED: ISSUANCE,
  },
  test: { TEST: { eventId: 'text' } },
};

/** Members that an event may lack: with CALLBACK_DATA=minimal, and where a wallet on another device answered. */
const OPTIONAL: Readonly<Record<string, Kind>> = { credentialsRaw: 'lists', responseCode: 'text' };

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'text') return typeof value === 'string' && value !== '';
  return isObject(value) && Object.values(value).every((list) => Array.isArray(list) && list.every(isObject));
}

/** Events of both services can be EXPIRED: the identifier says which of them it is. */
function typeOf(body: Members): TypedEvent['type'] {
  if (Object.hasOwn(body, 'state')) return 'presentedCredentials';
  return Object.hasOwn(body, 'offerId') ? 'issuance' : 'test';
}

/**
 * The event in a body that is known to be genuine.
 *
 * @throws CallbackError `event_unknown` if its status is unknown or a member of it is missing
 */
export function readEvent(body: unknown): TypedEvent {
  if (!isObject(body)) throw new CallbackError('body_malformed', 'the body is not a JSON object');
  const type = typeOf(body);
  const { status } = body;
  const statuses = REQUIRED[type];
  const required = typeof status === 'string' && Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  if (!required) throw new CallbackError('event_unknown', 'the event has an unknown status');
  const present = Object.entries(OPTIONAL).filter(([name]) => Object.hasOwn(body, name));
  const missing = [...Object.entries(required), ...present].find(
    ([name, kind]) => !Object.hasOwn(body, name) || !fits(body[name], kind),
  );
  if (missing) throw new CallbackError('event_unknown', `${missing[0]} of the event is missing or malformed`);
  return { type, event: body } as unknown as TypedEvent;
}
