import {
  findProbableName,
  holdsObject,
  isDateTime,
  isWithin,
  memberOf,
  readFlag,
  refuse,
  urlFault,
  type JsonObject,
  type Place,
} from '@vestibule/foundation';

type Check = (place: Place, now: Date) => void;
type Members = Readonly<Record<string, Check>>;

/** What the payload of a transaction data type must and may have, and what its members must have to do with each other. */
interface Payload {
  readonly required: Members;
  readonly optional: Members;
  readonly together?: (place: Place<JsonObject>, now: Date) => void;
}

const textOf =
  (maxLength = Infinity): Check =>
  (place) => {
    const { value } = place;
    const isRight = typeof value === 'string' && value !== '' && isWithin(value, maxLength);
    const bound = maxLength === Infinity ? '' : ` of at most ${maxLength} characters`;
    if (!isRight) refuse(place, `must be a non-empty string${bound}`);
  };

const dateTime: Check = (place) => {
  const isRight = typeof place.value === 'string' && isDateTime(place.value);
  if (!isRight) refuse(place, 'must be a timestamp of RFC 3339, such as 2026-03-01T12:00:00Z');
};

const flag: Check = (place) => void readFlag(place);

const amount: Check = (place) => {
  if (typeof place.value !== 'number') refuse(place, 'must be a number');
};

const count: Check = (place) => {
  if (!Number.isSafeInteger(place.value)) refuse(place, 'must be an integer');
};

const website: Check = (place) => {
  const { value } = place;
  const fault = typeof value === 'string' ? urlFault(value, { schemes: ['https', 'http'] }) : 'must be a URL';
  if (fault !== undefined) refuse(place, fault);
};

const logo: Check = (place, now) => {
  const isData = typeof place.value === 'string' && place.value.startsWith('data:image/');
  if (!isData) website(place, now);
};

const currency: Check = (place) => {
  const isRight = typeof place.value === 'string' && /^[A-Z]{3}$/.test(place.value);
  if (!isRight) refuse(place, 'must be a code of ISO 4217, such as EUR');
};

const FREQUENCIES = 'INDA DAIL WEEK TOWK TWMN MNTH TOMN QUTR FOMN SEMI YEAR TYEA'.split(' ');

const frequency: Check = (place) => {
  const isRight = typeof place.value === 'string' && FREQUENCIES.includes(place.value);
  if (!isRight) refuse(place, `must be one of ${FREQUENCIES.join(', ')}`);
};

function checkMembers(place: Place<JsonObject>, { required, optional }: Payload, now: Date): void {
  for (const [name, check] of Object.entries(required)) {
    const member = memberOf(place, name);
    if (member.value === undefined) refuse(member, 'is required');
    else check(member, now);
  }
  for (const [name, check] of Object.entries(optional)) {
    const member = memberOf(place, name);
    if (member.value !== undefined) check(member, now);
  }
}

const objectOf =
  (required: Members, optional: Members = {}): Check =>
  (place, now) => {
    if (holdsObject(place)) checkMembers(place, { required, optional }, now);
  };

/** Refuses members that the type does not have: a wallet would refuse the whole request. */
function refuseOthers(place: Place<JsonObject>, { required, optional }: Payload): void {
  const known = [...Object.keys(required), ...Object.keys(optional)];
  for (const name of Object.keys(place.value).filter((name) => !known.includes(name))) {
    const probable = findProbableName(name, known);
    const hint = probable === undefined ? `the type has ${known.join(', ')}` : `did you mean ${probable}?`;
    refuse(memberOf(place, name), `is not a member of this type; ${hint}`);
  }
}

/** Currencies whose amounts do not have two decimal places (ISO 4217). */
const DECIMALS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

function decimalsOf(code: string): number {
  const [places] = Object.entries(DECIMALS).find(([, codes]) => codes.split(' ').includes(code)) ?? [2];
  return Number(places);
}

/** A member of an object, or the empty place below one that is absent. */
function deepMember(place: Place<JsonObject>, names: readonly string[]): Place {
  const [first = '', ...rest] = names;
  const member = memberOf(place, first);
  if (rest.length === 0) return member;
  const { value } = member;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? deepMember(member as Place<JsonObject>, rest) : { ...member, value: undefined };
}

const MIT_AMOUNTS = ['min_amount', 'max_amount', 'total_amount', 'initial_amount'];
const AMOUNTS = [['amount'], ...MIT_AMOUNTS.map((name) => ['recurrence', 'mit_options', name])];
/** Beyond it the text of a number is no longer a plain decimal. */
const MAX_AMOUNT = 1e15;

function checkAmounts(place: Place<JsonObject>): void {
  const code = place.value['currency'];
  if (typeof code !== 'string') return;
  const places = decimalsOf(code);
  for (const path of AMOUNTS) {
    const member = deepMember(place, path);
    if (typeof member.value !== 'number') continue;
    const [, fraction = ''] = String(member.value).split('.');
    const isPlain = member.value === 0 || (Math.abs(member.value) >= 1e-6 && Math.abs(member.value) < MAX_AMOUNT);
    if (!isPlain || fraction.length > places) refuse(member, `must have at most ${places} decimal places in ${code}`);
  }
}

/** Today, where a timestamp says that it is. */
function todayIn(timestamp: string, now: Date): string {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(timestamp) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 10);
}

function checkPayment(place: Place<JsonObject>, now: Date): void {
  checkAmounts(place);
  const execution = memberOf(place, 'execution_date');
  if (typeof execution.value !== 'string') return;
  if (place.value['recurrence'] !== undefined) refuse(execution, 'must be absent if there is recurrence');
  if (!isDateTime(execution.value)) return;
  if (execution.value.slice(0, 10) < todayIn(execution.value, now)) refuse(execution, 'must not be in the past');
}

const ALWAYS: Members = { transaction_id: textOf(36) };
const COMMON: Members = { date_time: dateTime };
const PARTY = objectOf({ legal_name: textOf(), brand_name: textOf(), domain_name: textOf() });

const MIT_OPTIONS = objectOf(
  {},
  {
    amount_variable: flag,
    ...Object.fromEntries(MIT_AMOUNTS.map((name) => [name, amount])),
    initial_amount_number: count,
    apr: amount,
  },
);

const PAYMENT: Payload = {
  required: {
    ...ALWAYS,
    payee: objectOf({ name: textOf(), id: textOf() }, { logo, website }),
    currency,
    amount,
  },
  optional: {
    ...COMMON,
    pisp: PARTY,
    execution_date: dateTime,
    amount_estimated: flag,
    amount_earmarked: flag,
    sct_inst: flag,
    recurrence: objectOf(
      { frequency },
      { start_date: dateTime, end_date: dateTime, number: count, mit_options: MIT_OPTIONS },
    ),
  },
  together: checkPayment,
};

function judge(place: Place, payload: Payload, now: Date): void {
  if (!holdsObject(place)) return;
  checkMembers(place, payload, now);
  refuseOthers(place, payload);
  payload.together?.(place, now);
}

const E_MANDATE: Payload = {
  required: ALWAYS,
  optional: {
    ...COMMON,
    start_date: dateTime,
    end_date: dateTime,
    reference_number: textOf(50),
    creditor_id: textOf(50),
    purpose: textOf(1_000),
    payment_payload: (place, now) => judge(place, PAYMENT, now),
  },
  together: (place) => {
    if (place.value['payment_payload'] === undefined && place.value['purpose'] === undefined) {
      refuse(memberOf(place, 'purpose'), 'is required without payment_payload');
    }
  },
};

/** The payloads that every EU wallet shows to its user (TS12 1.0.1 §4.3). */
const PAYLOADS = {
  'urn:eudi:sca:payment:1': PAYMENT,
  'urn:eudi:sca:login_risk_transaction:1': {
    required: { ...ALWAYS, action: textOf(140) },
    optional: { ...COMMON, service: textOf(100) },
  },
  'urn:eudi:sca:account_access:1': {
    required: ALWAYS,
    optional: { ...COMMON, aisp: PARTY, description: textOf(140) },
  },
  'urn:eudi:sca:emandate:1': E_MANDATE,
} as const satisfies Readonly<Record<string, Payload>>;

/** A payload type of TS12. */
export type ScaPayloadType = keyof typeof PAYLOADS;

/** All payload types of TS12, sorted as in its §4.3. */
export const SCA_PAYLOAD_TYPES = Object.keys(PAYLOADS) as readonly ScaPayloadType[];

/** Is this URI a payload type of TS12 1.0.1? */
export const isScaPayloadType = (type: string): type is ScaPayloadType => Object.hasOwn(PAYLOADS, type);

/**
 * Records what is wrong with the payload of a transaction that a wallet user is to confirm by strong customer
 * authentication (TS12 1.0.1 §4.3): form, what its members have to do with each other, decimal places of amounts.
 */
export function checkScaPayload(place: Place, type: ScaPayloadType, now: Date): void {
  judge(place, PAYLOADS[type], now);
}
