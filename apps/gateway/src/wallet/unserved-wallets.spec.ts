import { createHash } from 'node:crypto';
import {
  ExchangePreAuthorizedCode,
  GetOfferObject,
  GetRequestObject,
  IssueCredential,
  ReportUnservedIssuances,
  ReportUnservedPresentations,
  SubmitPresentation,
  type Contract,
} from '@vestibule/contracts';
import type { ErrorKind, JsonObject } from '@vestibule/foundation';
import { until } from '@vestibule/testkit';
import {
  failing,
  formPost,
  jsonPost,
  startGateway,
  type Answers,
  type Gateway,
  type Sent,
} from '../testing/gateway.stage';
import { UnservedWallets } from './unserved-wallets';

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const code = formPost('grant_type=x&pre-authorized_code=the-code');
const token = jsonPost({}, ['authorization', 'DPoP the-token']);
const form = formPost('response=jwe');

/** What the services answer in this test; what is not named is taken. */
let answers: Answers = {};
let opened: Gateway;
const SUBJECTS = [
  ...[GetRequestObject, SubmitPresentation, GetOfferObject, ExchangePreAuthorizedCode, IssueCredential],
  ...[ReportUnservedPresentations, ReportUnservedIssuances],
].map(({ subject }) => subject);
beforeAll(async () => {
  const answer = (subject: string) => (question: JsonObject) => {
    const given = answers[subject] ?? {};
    return typeof given === 'function' ? (given(question) as unknown) : given;
  };
  const all = Object.fromEntries(SUBJECTS.map((subject) => [subject, answer(subject)]));
  opened = await startGateway({ answers: all, reportsUnserved: true });
});
afterEach(async () => {
  answers = {};
  await until(() => opened.unserved() === 0);
  opened.asked.length = 0;
});
afterAll(() => opened.close());

const away = failing('unavailable', 'service_unavailable');

type Way = readonly [what: string, contract: Contract<unknown, unknown>, path: string, sent: Sent, told: object];
const WAYS: readonly Way[] = [
  ['the request object', GetRequestObject as never, '/oidc4vp/a-state/request', {}, { state: 'a-state' }],
  ['a response', SubmitPresentation as never, '/oidc4vp/a-state/response', form, { state: 'a-state' }],
  ['an offer', GetOfferObject as never, '/oidc4vci/offers/an-offer', {}, { by: 'offer_id', name: 'an-offer' }],
  [
    'a token',
    ExchangePreAuthorizedCode as never,
    '/oidc4vci/token',
    code,
    { by: 'code_digest', name: digest('the-code') },
  ],
  [
    'a credential',
    IssueCredential as never,
    '/oidc4vci/credential',
    token,
    { by: 'token_digest', name: digest('the-token') },
  ],
];
const reportsOf = ({ asked }: Gateway) => asked.filter(({ subject }) => subject.endsWith('unserved-wallet.report'));

describe('a wallet that could not be served', () => {
  it.each(WAYS)('is reported, without anything secret: with %s', async (...way: Way) => {
    const [, { subject }, path, sent, told] = way;
    answers = { [subject]: away };
    expect([(await opened.toPublic(path, sent)).status, (await opened.toPublic(path, sent)).status]).toEqual([
      503, 503,
    ]);
    await until(() => reportsOf(opened).length === 1 && opened.unserved() === 0);
    const [report] = reportsOf(opened);
    expect(report?.question).toEqual({ flows: [{ ...told, millisecondsAgo: expect.any(Number) }] });
    expect(JSON.stringify(report)).not.toMatch(/the-code|the-token/);
  });

  it('is reported after 500, too', async () => {
    answers = { [SubmitPresentation.subject]: failing('internal', 'internal_error') };
    expect((await opened.toPublic('/oidc4vp/a-state/response', form)).status).toBe(500);
    await until(() => reportsOf(opened).length === 1);
  });
});

describe('nothing is reported', () => {
  it.each<[ErrorKind, number]>([
    ['invalid', 400],
    ['unauthenticated', 401],
    ['too_large', 413],
    ['not_found', 404],
  ])('where the wallet was at fault: %s', async (kind, status) => {
    answers = { [SubmitPresentation.subject]: failing(kind, 'invalid_request') };
    expect((await opened.toPublic('/oidc4vp/a-state/response', form)).status).toBe(status);
    expect(opened.unserved()).toBe(0);
  });

  it.each([
    ['a state that cannot be one', '/oidc4vp/no%20state/response', form],
    ['no code', '/oidc4vci/token', formPost('grant_type=x')],
    ['no form', '/oidc4vci/token', jsonPost({ 'pre-authorized_code': 'c' })],
    ['a code that is too long', '/oidc4vci/token', formPost(`pre-authorized_code=${'c'.repeat(513)}`)],
    ['no token', '/oidc4vci/credential', jsonPost({})],
    ['another scheme', '/oidc4vci/credential', jsonPost({}, ['authorization', 'Bearer the-token'])],
    ['a path that names no flow', '/oidc4vci/nonce', formPost('')],
  ])('for %s', async (_what, path, sent) => {
    await opened.toPublic(path, sent);
    expect(opened.unserved()).toBe(0);
  });

  it('of a wallet that came again and was served before anybody could be told', async () => {
    let isAway = true;
    answers = {
      [SubmitPresentation.subject]: () => (isAway ? away() : {}),
      [ReportUnservedPresentations.subject]: away,
    };
    await opened.toPublic('/oidc4vp/a-state/response', form);
    expect(opened.unserved()).toBe(1);
    isAway = false;
    await opened.toPublic('/oidc4vp/another-state/response', form);
    expect(opened.unserved()).toBe(1);
    await opened.toPublic('/oidc4vp/a-state/response', form);
    expect(opened.unserved()).toBe(0);
  });
});

describe('a refusal serves nobody, so the report stays', () => {
  const unavailable: Answers = { [ReportUnservedPresentations.subject]: away, [SubmitPresentation.subject]: away };
  const response = '/oidc4vp/a-state/response';

  it.each<[string, number, Sent, Answers]>([
    ['of the service', 400, form, { [SubmitPresentation.subject]: failing('invalid', 'invalid_request') }],
    ['of the gateway for its form', 400, { method: 'POST', headers: [['content-type', 'text/x']], body: 'x' }, {}],
    ['of the gateway for its size', 413, formPost('x'.repeat(2_000_000)), {}],
  ])('%s', async (_what, status, sent, given) => {
    answers = unavailable;
    expect((await opened.toPublic(response, form)).status).toBe(503);
    answers = { ...unavailable, ...given };
    expect((await opened.toPublic(response, sent)).status).toBe(status);
    expect(opened.unserved()).toBe(1);
  });

  it('because it came too often', async () => {
    const hurried = await startGateway({
      answers: unavailable,
      environment: { RATE_LIMIT_PER_MINUTE: '1' },
      reportsUnserved: true,
    });
    expect((await hurried.toPublic(response, form)).status).toBe(503);
    expect((await hurried.toPublic(response, form)).status).toBe(429);
    expect(hurried.unserved()).toBe(1);
    await hurried.close();
  });
});

describe('what strangers can do', () => {
  it('is to fill a bounded list while a service is away', async () => {
    const warned: string[] = [];
    const nothing = () => undefined;
    const logger = { debug: nothing, info: nothing, error: nothing, warn: (line: string) => void warned.push(line) };
    const unserved = new UnservedWallets({ ask: away, logger, stopwatch: () => 0 });
    for (let number = 0; number < 30_000; number += 1) unserved.note({ by: 'state', name: `state-${number}` });
    unserved.note({ by: 'offer_id', name: 'of-another-service' });
    expect(unserved.waiting).toBe(10_001);
    expect(warned).toEqual(['more wallets cannot be served than are remembered']);
    await unserved.close();
  });
});
