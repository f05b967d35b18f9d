import { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { until } from '@vestibule/testkit';
import { startGateway, type Gateway } from '../testing/gateway.stage';

/** More than the operating system takes from a sender whose receiver does not read. */
const MUCH = 'x'.repeat(32 * 1024 * 1024);
const REQUEST = 'POST /oidc4vci/nonce HTTP/1.1\r\nhost: wallets.example\r\ncontent-length: 0\r\n\r\n';

let gateway: Gateway;
const opened: Socket[] = [];
const start = async () => void (gateway = await startGateway({ answers: { 'issuer.nonce.issue': { c_nonce: MUCH } } }));
beforeEach(start);
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A wallet that has asked and reads nothing yet, and counts what it reads later. */
async function slowWallet() {
  const socket = connect(Number(new URL(gateway.publicUrl).port), '127.0.0.1');
  opened.push(socket);
  let received = 0;
  const begun = new Promise((resolve) => socket.once('readable', resolve));
  const ended = new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false)).once('close', () => resolve(received > MUCH.length));
  });
  socket.write(REQUEST);
  await begun;
  const read = () => void socket.on('data', (bytes) => (received += bytes.length));
  return { socket, ended, read };
}

describe('an answer that its wallet reads slowly', () => {
  it('is finished by a gateway that closes, and then its connection is', async () => {
    const { read, ended } = await slowWallet();
    const closed = gateway.close();
    read();
    expect(await ended).toBe(true);
    await closed;
  });

  it('holds up a gateway that closes only until the wallet gives it up', async () => {
    const { socket, ended } = await slowWallet();
    const closed = gateway.close();
    socket.resetAndDestroy();
    expect(await ended).toBe(false);
    await closed;
  });

  it('is given up if the wallet reads nothing of it for longer than a connection may be idle', async () => {
    await gateway.close();
    const limits: number[] = [];
    const limit = jest.spyOn(Server.prototype, 'setTimeout').mockImplementation(function (this: Server, given) {
      limits.push(Number(given));
      this.timeout = Math.min(Number(given), 1_000);
      return this;
    });
    await start().finally(() => limit.mockRestore());
    // More than a balancer keeps a connection that it has not used, and than the slowest answer takes to come.
    expect(limits).toEqual([65_000, 65_000]);
    const { ended, socket } = await slowWallet();
    await until(async () => (await gateway.connections()) === 0);
    socket.resume();
    expect(await ended).toBe(false);
    await gateway.close();
  });
});
