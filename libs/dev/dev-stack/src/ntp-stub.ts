import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const EPOCH_SECONDS = 2_208_988_800;
const FRACTION = 2 ** 32;
const PACKET_BYTES = 48;

/** How an NTP server answers. */
export interface NtpStubOptions {
  /** How far its clock is ahead of this machine's. */
  readonly aheadMilliseconds?: number;
  /** 16 means that it is not synchronised itself. */
  readonly stratum?: number;
  /** False: it does not repeat what the question holds, as someone does who cannot see it. */
  readonly repeats?: boolean;
}

/** An NTP server on loopback, for tests. */
export interface NtpStub {
  /** `127.0.0.1:port`. */
  readonly server: string;
  stop(): Promise<void>;
}

function writeTimestamp(packet: Buffer, offset: number, milliseconds: number): void {
  const seconds = milliseconds / 1000 + EPOCH_SECONDS;
  packet.writeUInt32BE(Math.floor(seconds) % FRACTION, offset);
  packet.writeUInt32BE(Math.floor((seconds % 1) * FRACTION), offset + 4);
}

/** Starts an NTP server that answers every question (RFC 5905 §14). */
export async function startNtpStub(options: NtpStubOptions = {}): Promise<NtpStub> {
  const { aheadMilliseconds = 0, stratum = 2, repeats = true } = options;
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const packet = Buffer.alloc(PACKET_BYTES);
    packet[0] = 0x24;
    packet[1] = stratum;
    if (repeats) question.copy(packet, 24, 40, 48);
    for (const offset of [32, 40]) writeTimestamp(packet, offset, Date.now() + aheadMilliseconds);
    socket.send(packet, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
