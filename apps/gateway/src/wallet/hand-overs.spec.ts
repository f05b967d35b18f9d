import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { MAX_HAND_OVERS, ReportHandOvers } from '@vestibule/contracts';
import { DomainError, type ErrorKind } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import type { Ask } from '../ask';
import { HandOvers } from './hand-overs';

const nothing = () => undefined;
const logged: string[] = [];
const logger: Logger = { debug: nothing, info: nothing, error: nothing, warn: (line) => void logged.push(line) };
/** More than the operating system takes from a sender whose receiver does not read. */
const MUCH = Buffer.alloc(40 * 1024 * 1024, 'x');

/** What the issuer was told, message by message, and how it answers the next one. */
let told: string[][];
let answer: () => Promise<object>;
let now: number;
const ask: Ask = async (contract, question) => {
  expect(contract.subject).toBe(ReportHandOvers.subject);
  told.push(ReportHandOvers.question.parse(question).handOvers);
  return contract.answer.parse(await answer());
};
const refusing = (kind: ErrorKind) => async () => {
  throw new DomainError({ kind, code: 'service_unavailable', detail: 'a service is unavailable' });
};

let handOvers: HandOvers;
let server: Server;
let respond: (response: ServerResponse) => void;
let responses: ServerResponse[];
beforeEach(async () => {
  told = [];
  logged.length = 0;
  now = 0;
  answer = async () => ({});
  responses = [];
  handOvers = new HandOvers({ ask, logger, stopwatch: () => now });
  server = createServer((_request, response) => {
    responses.push(response);
    response.on('error', nothing);
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await handOvers.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A client that reads nothing until it is told to. */
async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', nothing);
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  await until(() => responses.length > 0);
  return socket;
}
/** What is handed over by an event alone. */
const finished = (name: string, statusCode = 200, errored: Error | null = null) => {
  const listeners: (() => void)[] = [];
  const response = {
    statusCode,
    req: { socket: { errored, destroyed: false } },
    once: (_: string, listener: () => void) => listeners.push(listener),
  };
  handOvers.follow(response as unknown as ServerResponse, name);
  for (const listener of listeners) listener();
};
const names = (count: number, prefix = 'a') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('an answer', () => {
  it('VCI:P9 is told once all of it was handed to the operating system', async () => {
    respond = (response) => {
      handOvers.follow(response, 'small');
      response.end('the answer');
    };
    (await open()).resume();
    await until(() => told.length === 1);
    expect(told).toEqual([['small']]);
  });

  it('VCI:P9 is not told while its reader is slow, and is when the reader has caught up', async () => {
    respond = (response) => {
      handOvers.follow(response, 'large');
      response.end(MUCH);
    };
    const socket = await open();
    finished('marker');
    await until(() => told.length === 1);
    expect([responses[0]?.writableEnded, responses[0]?.writableFinished]).toEqual([true, false]);
    socket.resume();
    await until(() => told.length === 2, 60);
    expect(told).toEqual([['marker'], ['large']]);
  });

  it.each<[string, (response: ServerResponse) => void, (socket: Socket) => void]>([
    ['halfway', (response) => response.end(MUCH), (socket) => socket.resetAndDestroy()],
    ['halfway, in peace', (response) => response.end(MUCH), (socket) => socket.destroy()],
    ['before it', nothing, (socket) => socket.resetAndDestroy()],
    ['before it, in peace', nothing, (socket) => socket.destroy()],
  ])('VCI:P9 is never told where the wallet ends the connection %s', async (_when, send, breaks) => {
    respond = (response) => {
      handOvers.follow(response, 'broken');
      send(response);
    };
    const socket = await open();
    const [response] = responses;
    const isClosed = new Promise((resolve) => response?.once('close', resolve));
    breaks(socket);
    await isClosed;
    // Also what is written into a connection that is gone hands nothing over.
    response?.end('too late');
    finished('marker');
    await until(() => told.length === 1);
    expect(told).toEqual([['marker']]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['closes the connection', (response) => response.req.socket.destroy()],
    [
      'closes it after all it was given',
      (response) => {
        response.req.socket.destroySoon();
        response.req.socket.destroy();
      },
    ],
    ['gives the response up', (response) => void response.destroy()],
    ['closes every connection', () => server.closeAllConnections()],
    ['closes what it takes for idle', () => server.closeIdleConnections()],
    ['lost patience with the reader', (response) => void response.req.socket.emit('timeout')],
  ])('VCI:P9 is never told where the gateway itself %s halfway', async (_how, breaks) => {
    respond = (response) => {
      handOvers.follow(response, 'broken');
      response.end(MUCH);
    };
    await open();
    const [response] = responses;
    const isClosed = new Promise((resolve) => response?.once('close', resolve));
    if (response) breaks(response);
    await isClosed;
    finished('marker');
    await until(() => told.length === 1);
    expect(told).toEqual([['marker']]);
  });

  it('VCI:P9 is told of each request that a wallet sent without waiting for the answers before', async () => {
    respond = (response) => {
      handOvers.follow(response, `${responses.length}`);
      if (responses.length === 3) for (const one of [...responses].reverse()) one.end('the answer');
    };
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(3));
    await until(() => told.flat().length === 3);
    expect(told.flat()).toEqual(['1', '2', '3']);
    socket.destroy();
  });

  it('VCI:P9 of several on one connection is told for those that were sent before it broke', async () => {
    respond = (response) => {
      handOvers.follow(response, `${responses.length}`);
      if (responses.length === 3) responses.forEach((one, index) => one.end(index === 1 ? MUCH : 'the answer'));
    };
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', nothing);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(3));
    await until(() => told.length === 1);
    const isClosed = new Promise((resolve) => responses[1]?.once('close', resolve));
    responses[1]?.req.socket.destroy();
    await isClosed;
    finished('marker');
    await until(() => told.length === 2);
    expect(told).toEqual([['1'], ['marker']]);
  });

  it('VCI:P9 is not told where it became an error, nor where its connection failed with the last byte', async () => {
    finished('error', 500);
    finished('reset', 200, new Error('ECONNRESET'));
    finished('right');
    await until(() => told.length === 1);
    expect(told).toEqual([['right']]);
  });
});

describe('reports', () => {
  it('take what is there in one message, and what comes meanwhile in the next', async () => {
    let release: () => void = nothing;
    answer = () => new Promise((resolve) => (release = () => resolve({})));
    for (const name of ['a', 'b', 'c']) finished(name);
    await until(() => told.length === 1);
    for (const name of names(700)) finished(name);
    expect([told, handOvers.waiting]).toEqual([[['a', 'b', 'c']], 700]);
    answer = async () => ({});
    release();
    await until(() => told.length === 3);
    expect(told.slice(1)).toEqual([names(700).slice(0, MAX_HAND_OVERS), names(700).slice(MAX_HAND_OVERS)]);
  });

  it.each<ErrorKind>(['unavailable', 'internal'])('are repeated where the issuer is %s', async (kind) => {
    answer = refusing(kind);
    finished('a');
    await until(() => told.length === 1 && handOvers.waiting === 1);
    finished('b');
    answer = async () => ({});
    await until(() => told.length === 2);
    expect(told).toEqual([['a'], ['a', 'b']]);
    expect(logged).toEqual([]);
  });

  it('are given up where they are wrong, and when no issuer waits for them any more', async () => {
    answer = refusing('invalid');
    finished('wrong');
    await until(() => logged.length === 1);
    expect([handOvers.waiting, logged]).toEqual([0, ['a report of answers was refused']]);
    answer = refusing('unavailable');
    finished('old');
    await until(() => told.length === 2 && handOvers.waiting === 1);
    now = 600_000;
    finished('new');
    await until(() => told.length === 3 && handOvers.waiting === 1);
    answer = async () => ({});
    await handOvers.close();
    expect(told.slice(1)).toEqual([['old'], ['old', 'new'], ['new']]);
  });

  it('wait in a bounded space: the newest of 10,000', async () => {
    answer = refusing('unavailable');
    for (const name of names(12_000)) finished(name);
    expect(handOvers.waiting).toBe(10_000);
    await until(() => told.length === 1 && handOvers.waiting === 10_000);
    for (const name of names(100, 'late')) finished(name);
    expect(handOvers.waiting).toBe(10_000);
    answer = async () => ({});
    told = [];
    await handOvers.close();
    const all = told.flat();
    expect([all.length, new Set(all).size, all.at(-1)]).toEqual([10_000, 10_000, 'late99']);
    expect(Math.max(...told.map(({ length }) => length))).toBe(MAX_HAND_OVERS);
  });

  it('are sent before the end, and tried once where nobody takes them', async () => {
    for (const name of names(3)) finished(name);
    await handOvers.close();
    expect(told.flat()).toEqual(names(3));
    answer = refusing('unavailable');
    finished('lost');
    await handOvers.close();
    expect([told.length > 1, handOvers.waiting]).toEqual([true, 1]);
  });
});
