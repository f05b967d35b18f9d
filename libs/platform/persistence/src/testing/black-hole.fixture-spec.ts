import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** Stands before Postgres and can swallow what goes over it, as a network does that drops packets. */
export interface BlackHole {
  readonly url: string;
  /** How many connections were made through it so far. */
  readonly accepted: number;
  /** The connections that exist now are silent in both directions for good; new ones work. */
  swallow(): void;
  /** The answers alone are lost: what is sent arrives. */
  swallowAnswers(): void;
  /** The connection on which Postgres answers next breaks instead of passing the answer on. */
  breakAtNextAnswer(): void;
  /** The connection on which Postgres answers next passes on these bytes instead, and ends. */
  replaceNextAnswer(bytes: Buffer): void;
  /** The next statement with this text is cancelled, as Postgres does after `statement_timeout`; the connection stays. */
  cancelNext(statement: string): void;
  close(): Promise<void>;
}

/** ErrorResponse with SQLSTATE 57014, and ReadyForQuery. */
function cancelled(): Buffer {
  const fields = Buffer.from('SERROR\0VERROR\0C57014\0Mcanceling statement\0\0', 'utf8');
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.byteLength + 4);
  return Buffer.concat([Buffer.from('E'), length, fields, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])]);
}

export async function startBlackHole(target: string): Promise<BlackHole> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let accepted = 0;
  let toCancel: string | undefined;
  const server = createServer((near) => {
    accepted += 1;
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    const judged = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        const isCancelled = toCancel !== undefined && bytes.includes(toCancel);
        if (!isCancelled) return done(null, bytes);
        toCancel = undefined;
        near.write(cancelled());
        done();
      },
    });
    near.pipe(judged).pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const drain = (from: Socket) => from.unpipe().resume();
  return {
    url: url.href,
    get accepted() {
      return accepted;
    },
    swallow() {
      for (const pair of pairs) pair.forEach(drain);
    },
    swallowAnswers() {
      for (const [, far] of pairs) drain(far);
    },
    breakAtNextAnswer() {
      for (const [, far] of pairs) drain(far).once('data', () => far.destroy());
    },
    replaceNextAnswer(bytes) {
      for (const [near, far] of pairs) drain(far).once('data', () => near.end(bytes));
    },
    cancelNext: (statement) => void (toCancel = statement),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const pair of pairs) for (const socket of pair) socket.destroy();
      }),
  };
}
